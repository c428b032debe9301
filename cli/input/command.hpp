// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

namespace po = boost::program_options;

/// One command of the program: one file, one line in the table.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;       ///< `tune show RUN`
  std::string_view example;     ///< one or more lines that work as they stand
  std::string_view positional;  ///< name of the option that a word without `--` gives; empty for none
  po::options_description (*options)();
  /// Exit status. Throws Error for what cannot be done.
  int (*run)(const po::variables_map& values);
  int words = 1;  ///< how many words without `--` the positional option takes at most; -1: any number
  /// Of a group such as `db`, whose commands are called `db info`, ...: its table. Null for a command.
  std::span<const Command> (*parts)() = nullptr;
};

/// All commands, in the order of `tune help`.
std::span<const Command> commands();

const Command& run_command();
const Command& best_command();
const Command& list_command();
const Command& show_command();
const Command& space_command();
const Command& check_command();
const Command& devices_command();
const Command& report_command();
const Command& serve_command();
const Command& db_command();
const Command& replay_command();
const Command& new_command();

/// Runs the program on its arguments (without its own name). Every Error ends here: one line, nonzero status.
int dispatch(const std::vector<std::string>& arguments);

/// The arguments as given, quoted for a shell: to get a run again.
std::string command_line();

}  // namespace tune::cli
