// SPDX-License-Identifier: Apache-2.0
// The library as headers, here alone: a program that is linked statically needs no other form of it, which
// not every distribution has.
#define FMT_HEADER_ONLY
#include "tuner/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tune {

std::string formatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace tune
