// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"

namespace tune {

using search::Value;

/// A problem at one size: the extents and the settings (radius, shape, type).
struct Instance {
  std::string problem;
  std::vector<std::pair<std::string, std::int64_t>> extents;  ///< in the problem's order: nx, ny, nz
  std::vector<std::pair<std::string, Value>> settings;        ///< in the problem's order: type, shape, radius

  /// Throws std::out_of_range that names the extent or setting.
  std::int64_t extent(std::string_view name) const;
  const Value& setting(std::string_view name) const;
  /// Returns `otherwise` where the instance leaves the setting out.
  Value setting_or(std::string_view name, Value otherwise) const;

  /// `512x512x512`.
  std::string size() const;
  /// `radius=1,shape=star,type=float`: canonical, sorted by name.
  std::string settings_key() const;
  /// `512x512x512 radius=1`, or the size alone where there are no settings.
  std::string key() const { return size() + (settings.empty() ? "" : " " + settings_key()); }

  friend bool operator==(const Instance&, const Instance&) = default;
};

/// Returns what `other` has and `instance` has not: its size where that differs, and each setting that does
/// (`steps=24`).
std::string instance_difference(const Instance& instance, const Instance& other);

}  // namespace tune
