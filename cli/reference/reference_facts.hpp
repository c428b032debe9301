// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/input/command.hpp"

namespace tune::cli {

/// A name and what it means.
struct Fact {
  std::string name, meaning;
};

/// Options that every command has.
std::vector<Fact> common_options();
/// Environment variables that the program reads.
std::vector<Fact> environment_facts();
/// Exit statuses.
std::vector<Fact> exit_facts();
/// Files that the program keeps.
std::vector<Fact> file_facts();

/// A command with its options.
struct CommandPage {
  const Command* command;
  OptionTable table;
  std::function<int()> keeps_alive;  ///< the structure that the options are bound to
};

CommandPage page_of(const Command& command);
/// Every command that has options, those of groups too, in the order of the help.
std::vector<CommandPage> command_pages();

}  // namespace tune::cli
