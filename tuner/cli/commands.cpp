// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tuner/cli/command.hpp"

namespace tune::cli {

std::span<const Command> commands() {
  static const std::array<Command, 10> table = {
      run_command(),   best_command(),    list_command(),   show_command(), space_command(),
      check_command(), devices_command(), report_command(), db_command(),   replay_command()};
  return table;
}

}  // namespace tune::cli
