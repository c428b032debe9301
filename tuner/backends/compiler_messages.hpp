// SPDX-License-Identifier: Apache-2.0
// What compilers that are programs say of failed compiles.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// A text in a log, and the reason that it stands for.
using Cause = std::pair<std::string_view, std::string_view>;
/// Causes of the machine and of options, which come before the errors of a source.
inline constexpr std::array common_causes = {
    Cause{"No space left on device", "disk"},
    Cause{"Killed", "out of memory"},
    Cause{"internal compiler error", "compiler crashed"},
    Cause{"died due to signal", "compiler crashed"},
    Cause{"No such file or directory", "missing header"},
    Cause{"unrecognized command-line option", "option"},
};

/// Returns the reason of the first cause whose text the log has; empty where it has none.
std::string cause_in(std::string_view log, std::span<const Cause> causes);

/// Where a log has errors.
struct ErrorPlaces {
  bool in_unit = false;    ///< in the file of this name, which the tuner wrote: an entry is not there
  bool in_source = false;  ///< elsewhere
};
ErrorPlaces errors_in(std::string_view log, std::string_view unit);

}  // namespace tune
