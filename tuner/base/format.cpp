// SPDX-License-Identifier: Apache-2.0
// The library as headers, here alone: a program that is linked statically needs no other form of it, which
// not every distribution has.
#define FMT_HEADER_ONLY
#include "tuner/base/format.hpp"

#include <fmt/format.h>

namespace tune {

std::string formatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace tune
