// SPDX-License-Identifier: Apache-2.0
// Only this file includes fmt's code as headers: so no compiled library of it is needed, which not every
// distribution has for static linking.
#define FMT_HEADER_ONLY
#include "tuner/base/format.hpp"

#include <fmt/format.h>

namespace tune {

std::string formatted(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace tune
