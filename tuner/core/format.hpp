// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

namespace tune {

/// The formatting functions of the whole project, in one place: std::format where every supported compiler
/// has it.
using fmt::format;

}  // namespace tune
