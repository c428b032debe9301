// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/reference_facts.hpp"

#include <array>
#include <utility>

namespace tune::cli {

std::span<const Fact> environment_facts() {
  static constexpr auto facts = std::to_array<Fact>({
      {"TUNE_DB", "the database, where --db is not given"},
      {"TUNE_CACHE_DIR", "the folder of compiled kernels, where --cache-dir is not given"},
      {"TUNE_CACHE_SIZE", "the most bytes that compiled kernels may take: 512M, 4G"},
      {"TUNE_RECORDINGS", "a folder of recordings that replace the shipped ones"},
      {"TUNE_EMULATOR_CXX", "the C++ compiler of the emulator; default: c++, g++ or clang++ of the PATH"},
      {"TUNE_WORKER", "for programs that link libtune: the program tune, which they start as their worker"},
      {"TUNE_CAPTURE", "for programs that link libtune: the kernels to save, as 'tune capture' sets it"},
      {"TUNE_CAPTURE_DIR", "the folder into which they are saved"},
      {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit, where it is not in /usr/local/cuda or on the PATH"},
      {"CUDA_VISIBLE_DEVICES", "the GPUs that the program sees, as in every CUDA program"},
      {"NVCC_CCBIN, NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS",
       "read by nvcc, and part of the key of its binaries"},
      {"NO_COLOR, CLICOLOR_FORCE", "no colours at a terminal; colours also in a pipe"},
      {"COLUMNS, LINES", "the size of the terminal, where its own is not to count"},
      {"XDG_DATA_HOME, XDG_CACHE_HOME", "the folders in place of ~/.local/share and ~/.cache"},
  });
  return facts;
}

std::span<const Fact> exit_facts() {
  static constexpr auto facts = std::to_array<Fact>({
      {"0", "success"},
      {"1", "the work did not succeed: no valid configuration, a wrong result, a full disk, a regression"},
      {"2",
       "the command line, a size, a definition or an expression cannot be used; there is no such GPU here"},
      {"3", "the database has no record that fits, or a check could check nothing"},
      {"130", "ended by Ctrl-C or a signal; what was measured is stored"},
  });
  return facts;
}

std::span<const Fact> file_facts() {
  static constexpr auto facts = std::to_array<Fact>({
      {"~/.local/share/tune/results.db", "the database: every measurement of every run"},
      {"~/.cache/tune/binaries", "compiled kernels"},
  });
  return facts;
}

CommandPage page_of(const Command& command) {
  CommandPage page{&command, {}, {}};
  if (command.bind != nullptr) page.keeps_alive = command.bind(page.table);
  return page;
}

std::vector<CommandPage> command_pages() {
  std::vector<CommandPage> pages;
  for (const Command& command : commands()) {
    if (command.parts == nullptr)
      pages.push_back(page_of(command));
    else
      for (const Command& part : command.parts()) pages.push_back(page_of(part));
  }
  return pages;
}

}  // namespace tune::cli
