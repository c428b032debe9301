// SPDX-License-Identifier: Apache-2.0
#include "cli/input/project_file.hpp"

#include <string>

#include "cli/input/command.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

// A project file. The options of its tables go to those of a run, which does not take place.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  try {
    const std::string text(tune::testing::bytes_of(data, size));
    const cli::ProjectFile file = cli::read_project_text(text, "a/tune.toml", [](std::string_view name) {
      return name == "run" || name == "db" || name == "db export";
    });
    for (const cli::ProjectTable& one : file.tables) {
      cli::OptionTable table;
      const auto bound = cli::run_command().bind(table);
      (void)table.read({}, "run", "problem", 1, {.path = file.path, .options = one.options});
    }
  } catch (const Error&) {
  }
  return 0;
}
