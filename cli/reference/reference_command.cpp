// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string_view>
#include <utility>

#include "cli/input/command.hpp"
#include "cli/reference/manual.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {

std::span<const std::pair<std::string_view, std::string_view>> completion_scripts();

namespace {

void write_manual(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : manual_pages()) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    if (!file.flush()) throw Error(format("cannot write {}", (folder / name).string()));
  }
}

}  // namespace

int run_reference(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "man") {
    write_manual(arguments[1]);
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "markdown") {
    std::cout << commands_markdown();
    return 0;
  }
  if (arguments.size() == 1)
    for (const auto& [name, text] : completion_scripts())
      if (name == "tune." + arguments[0]) {
        std::cout << text;
        return 0;
      }
  throw UsageError(
      "'tune reference' takes one of: markdown, man FOLDER, bash, zsh, fish (the last three print a script of "
      "completion for this shell)");
}

}  // namespace tune::cli
