// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <vector>

#include "cli/input/command.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

namespace {

const tune::cli::Command* find(std::span<const tune::cli::Command> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &tune::cli::Command::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

// The name of a command in the first line (`run`, `db info`), a word of its arguments in each that follows.
// The command is not run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  std::string_view text = tune::testing::bytes_of(data, size), name = tune::testing::next_part(text);
  const cli::Command* command = find(cli::commands(), tune::testing::next_part(name, ' '));
  if (command != nullptr && command->parts != nullptr) command = find(command->parts(), name);
  if (command == nullptr || command->bind == nullptr) return 0;
  std::vector<std::string> arguments;
  while (!text.empty()) arguments.emplace_back(tune::testing::next_part(text));
  cli::OptionTable table;
  const auto bound = command->bind(table);
  try {
    table.read(arguments, command->name, command->positional, command->words);
  } catch (const Error&) {
  }
  return 0;
}
