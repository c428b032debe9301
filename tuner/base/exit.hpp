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
    {Exit::failure, "failure: no valid configuration, a wrong result, a full disk, a regression"},
    {Exit::usage, "wrong command line, size, definition or expression"},
    {Exit::no_answer, "no stored record fits, or nothing could be checked"},
    {Exit::no_device, "the GPU asked for is missing or cannot be used"},
    {Exit::interrupted, "ended by Ctrl-C or a signal; all measurements are stored"},
});

}  // namespace tune
