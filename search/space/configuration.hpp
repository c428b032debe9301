// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"

namespace tune::search {

/// One value for each parameter that exists under the chosen variant, in the order in which the space
/// declares them. Access is by name only.
class Configuration {
 public:
  using Entry = std::pair<std::string, Value>;

  Configuration() = default;
  Configuration(std::initializer_list<Entry> entries);

  /// Adds the parameter, or replaces its value.
  void set(std::string_view name, Value value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns null where the parameter does not exist in this configuration. Valid until the next `set`.
  const Value* find(std::string_view name) const;
  /// Throws std::out_of_range that names the parameter.
  const Value& operator[](std::string_view name) const;

  const std::vector<Entry>& entries() const { return entries_; }

  /// Returns the canonical key: `name=value` pairs sorted by name and joined by `,`. Equal configurations
  /// have equal keys, whatever the order in which a later version declares the parameters; a database finds
  /// them by it.
  std::string key() const;
  /// Returns the same in declaration order, for messages: `variant=direct, block_x=32, ...`.
  std::string to_string() const;
  /// Reads `name=value,name=value` (spaces around commas are skipped). Throws std::invalid_argument.
  static Configuration parse(std::string_view text);
  /// Returns what this one has and `other` has not: the parameters with another value, or that exist here
  /// only, as `to_string` does.
  std::string difference_from(const Configuration& other) const;

  /// True for the same parameters with the same values, in any order.
  friend bool operator==(const Configuration& a, const Configuration& b);

 private:
  std::vector<Entry> entries_;
};

}  // namespace tune::search
