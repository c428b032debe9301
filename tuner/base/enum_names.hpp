// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tune {

/// Returns the value of an enumeration by its name; `names` are in the order of the values. Throws
/// std::invalid_argument for an unknown name: `what` is what is named (`phase`).
template<class Enum>
Enum enum_from_name(std::span<const std::string_view> names, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(name) + "'");
  return static_cast<Enum>(found - names.begin());
}

}  // namespace tune
