// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/input/command.hpp"
#include "cli/run/data_command.hpp"

namespace tune::cli {

std::span<const Command> commands() {
  // clang-format off
  static const auto table = std::to_array<Command>({
      run_command(),
      best_command(),
      list_command(),
      show_command(),
      space_command(),
      check_command(),
      devices_command(),
      report_command(),
      serve_command(),
      db_command(),
      data_command(),
      replay_command(),
      new_command(),
  });
  // clang-format on
  return table;
}

}  // namespace tune::cli
