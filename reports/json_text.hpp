// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "search/expressions/value.hpp"

namespace tune::reports {

/// The text of one object, member by member: the same as nlohmann::ordered_json writes with an indent of 2
/// and U+FFFD for what is not UTF-8, without a tree in memory, which takes five times as long.
class JsonText {
 public:
  /// Begins an object within `depth` lists and objects.
  explicit JsonText(std::size_t depth) : depth_(depth) {}

  void begin(std::string_view name);  ///< of a member that is an object
  void end();

  void add(std::string_view name, std::nullptr_t);
  void add(std::string_view name, double value);
  void add(std::string_view name, const std::string& value) { add(name, std::string_view(value)); }
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const search::Value& value);
  void add(std::string_view name, const nlohmann::ordered_json& value);
  template<std::integral Integer>
  void add(std::string_view name, Integer value) {
    add_plain(name, std::is_same_v<Integer, bool> ? (value ? "true" : "false") : std::to_string(value));
  }

  /// Ends the object and returns it, without a line break at the end. To be called once.
  std::string finish();

 private:
  void add_name(std::string_view name);
  void add_plain(std::string_view name, std::string_view value);
  void indent(std::size_t depth);
  void append_quoted(std::string_view text);

  std::string text_;
  std::size_t depth_;
  bool empty_ = true;  ///< the object has no member yet
};

}  // namespace tune::reports
