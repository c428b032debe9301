// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input/options.hpp"
#include "tuner/base/error.hpp"

namespace tune::cli {

/// A wrong command line, with lines to copy below the message.
class ListedError : public UsageError {
 public:
  ListedError(const std::string& what, std::vector<std::string> lines)
      : UsageError(what), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

/// One command of the program: a line in the table.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;       ///< such as `tune show RUN`
  std::string_view example;     ///< one or more lines that work as they stand
  std::string_view positional;  ///< the option that a word without `--` belongs to; empty for none
  /// Adds the command's options to the table, bound to a structure of its own, and returns a function that
  /// runs the command with it: it returns the exit status, or throws Error. Null for a group.
  std::function<int()> (*bind)(OptionTable& table);
  int words = 1;  ///< the most words without `--` that the positional option takes; -1: any number
  /// The table of a group such as `db`, whose commands are `db info`, ...; null for a command.
  std::span<const Command> (*parts)() = nullptr;
};

/// Command::bind for a command whose request is a structure with `void add_to(OptionTable&)`.
template<class Request, int (*run)(const Request&)>
std::function<int()> bind_request(OptionTable& table) {
  const auto request = std::make_shared<Request>();
  request->add_to(table);
  return [request] { return run(*request); };
}

/// All commands, in the order of `tune help`.
std::span<const Command> commands();

Command run_command();
Command best_command();
Command list_command();
Command show_command();
Command space_command();
Command check_command();
Command devices_command();
Command report_command();
Command serve_command();
Command db_command();
Command diff_command();
Command rm_command();
Command data_command();
Command replay_command();
Command new_command();
Command capture_command();
Command import_command();
Command plan_command();

/// The worker processes that the program starts: `worker device 0` launches kernels, `worker compiler sm_90`
/// compiles them. They talk over a descriptor, so users do not call them. Returns the exit status.
int run_worker(const std::vector<std::string>& arguments);

/// Completes the last of the words of an unfinished command line, for shells: one candidate a line, none
/// where only a file can follow. Returns the exit status.
int run_completion(const std::vector<std::string>& words);

/// `man FOLDER` writes the manual pages, `markdown` prints docs/reference/commands.md, and `bash`, `zsh` or
/// `fish` the script that makes this shell complete. Returns the exit status.
int run_reference(const std::vector<std::string>& arguments);

/// `info` for `db info`.
std::string_view last_word(const Command& part);

/// Runs the program on its arguments (without its own name) and returns the exit status. Every Error ends
/// here, as one line and a nonzero status.
int dispatch(const std::vector<std::string>& arguments);

/// The arguments as given and those of the project file, quoted for a shell, to repeat a run.
std::string command_line();
/// What a project file has added to the arguments.
struct ProjectUse {
  std::filesystem::path path = {};  ///< empty: there is no file
  std::vector<std::string> words = {};
};
const ProjectUse& project_use();

/// The commands of `tune db` that have files of their own.
Command db_export_command();
Command db_import_command();

}  // namespace tune::cli
