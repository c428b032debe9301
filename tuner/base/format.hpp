// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <string>

namespace tune {

/// The one place where fmt's own code is compiled: as a part of every file that formats, it took three
/// quarters of their compile time.
std::string formatted(fmt::string_view text, fmt::format_args arguments);

/// Formatting for the whole project, in one place: std::format where every supported compiler has it. Texts
/// are checked when they are compiled. An object, not a function: else a call with a std::string would find
/// std::format too, where the library has it, and be ambiguous.
struct FormatFunction {
  template<class... Arguments>
  std::string operator()(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    return formatted(text, fmt::make_format_args(arguments...));
  }
};
inline constexpr FormatFunction format{};

}  // namespace tune
