// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tune {

/// Formatting for the whole project, in one place: std::format where every supported compiler has it. An
/// object, not a function: else a call with a std::string would find std::format too, where the library has
/// it, and be ambiguous.
struct FormatFunction {
  template<class... Arguments>
  std::string operator()(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    return fmt::format(text, std::forward<Arguments>(arguments)...);
  }
};
inline constexpr FormatFunction format{};

}  // namespace tune
