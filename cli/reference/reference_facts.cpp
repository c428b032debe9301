// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/reference_facts.hpp"

#include <utility>

#include "tuner/base/exit.hpp"

namespace tune::cli {

std::vector<Fact> common_options() {
  return {
      {"--config-file FILE",
       "the project file; default: tune.toml in this folder or the nearest one above it"},
      {"--no-config-file", "read no project file"},
      {"--help, -h", "the options of the command"},
  };
}

std::vector<Fact> environment_facts() {
  return {
      {"TUNE_DB", "the database, unless --db is given"},
      {"TUNE_CACHE_DIR", "the folder of compiled kernels, unless --cache-dir is given"},
      {"TUNE_CACHE_SIZE", "size limit of the folder of compiled kernels: 512M, 4G"},
      {"TUNE_RECORDINGS", "a folder of recordings that replace the shipped ones"},
      {"TUNE_EMULATOR_CXX", "the C++ compiler of the emulator; default: c++, g++ or clang++ of the PATH"},
      {"TUNE_WORKER", "for programs that link libtune: the program tune, their worker"},
      {"TUNE_CAPTURE", "for programs that link libtune: the kernels to capture; 'tune capture' sets it"},
      {"TUNE_CAPTURE_DIR", "the folder of captured kernels"},
      {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit, if it is not in /usr/local/cuda or on the PATH"},
      {"CUDA_VISIBLE_DEVICES", "the GPUs that CUDA programs see"},
      {"NVCC_CCBIN, NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS",
       "read by nvcc, and part of the key of its binaries"},
      {"NO_COLOR, CLICOLOR_FORCE", "no colours at a terminal; colours also in a pipe"},
      {"COLUMNS, LINES", "the size of the terminal, in place of its own"},
      {"XDG_DATA_HOME, XDG_CACHE_HOME", "the folders that replace ~/.local/share and ~/.cache"},
  };
}

std::vector<Fact> exit_facts() {
  std::vector<Fact> facts;
  for (const ExitMeaning& one : exit_meanings)
    facts.push_back({std::to_string(static_cast<int>(one.exit)), std::string(one.text)});
  return facts;
}

std::vector<Fact> file_facts() {
  return {
      {"~/.local/share/tune/results.db", "the database: every measurement of every run"},
      {"~/.cache/tune/binaries", "compiled kernels"},
      {"tune.toml", "options, in a table for each command; those at the top are for all commands"},
  };
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
