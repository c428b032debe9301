// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace tune {

/// Exit statuses of the program, on which scripts rely. `exit_meanings` has the text of each.
enum class Exit : int {
  success = 0,
  failure = 1,
  usage = 2,
  no_answer = 3,
  no_device = 4,
  interrupted = 130,
};

struct ExitMeaning {
  Exit exit;
  std::string_view text;
};

/// The table of the manual.
inline constexpr auto exit_meanings = std::to_array<ExitMeaning>({
    {Exit::success, "success"},
    {Exit::failure,
     "the work did not succeed: no valid configuration, a wrong result, a full disk, a regression"},
    {Exit::usage, "the command line, a size, a definition or an expression cannot be used"},
    {Exit::no_answer, "the database has no record that fits, or a check could check nothing"},
    {Exit::no_device, "a GPU was asked for, and this machine has none of that number or cannot use it"},
    {Exit::interrupted, "ended by Ctrl-C or a signal; what was measured is stored"},
});

}  // namespace tune
