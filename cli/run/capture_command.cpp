// SPDX-License-Identifier: Apache-2.0
// `tune capture`: runs a program that links the library, which saves calls of its kernels.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/output/printable_output.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  std::vector<std::string> program;
  std::string names = "all", folder = "captured";
  std::uint64_t call = 1;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    table.texts("program", "PROGRAM", "the program and its arguments, behind '--'", program);
    table.text("name", "NAMES", "problems to capture, separated by commas; default: all", names);
    table.text("dir", "DIR",
               "the folder to write, with a folder for each problem and size; default: captured", folder);
    table.count("call", "N", "number of the call to capture; default: the first", call, 1);
    add_format_option(table, format);
  }
};

/// Runs it with this process's input and output; returns its exit status, 128 + signal where one ended it.
int run_here(const std::vector<std::string>& program) {
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) throw Error(format("cannot run {}: {}", program.front(), std::strerror(error)));
  // Ctrl-C is for the program; what it has saved is told all the same.
  const auto before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  std::signal(SIGINT, before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The definitions of captures in the folder.
std::set<std::string> definitions_in(const fs::path& folder) {
  std::set<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(".")) continue;
    std::error_code inner;
    for (fs::directory_iterator file(entry->path(), inner), last; !inner && file != last;
         file.increment(inner))
      if (file->path().extension() == ".json") files.insert(file->path().string());
  }
  return files;
}

std::string requested(const CaptureOptions& options) {
  std::string all, name;
  for (const char c : options.names + ",") {
    if (c != ',') {
      name += c;
      continue;
    }
    if (!name.empty()) all += format("{}{}:{}", all.empty() ? "" : ",", name, options.call);
    name.clear();
  }
  if (all.empty()) throw UsageError("--name: no name is given");
  return all;
}

int run_capture(const CaptureOptions& options) {
  if (options.program.empty()) throw UsageError("name the program: tune capture -- ./app its arguments");
  setenv("TUNE_CAPTURE", requested(options).c_str(), 1);
  // The program may work in another folder.
  setenv("TUNE_CAPTURE_DIR", fs::absolute(options.folder).c_str(), 1);
  const std::set<std::string> before = definitions_in(options.folder);
  const int status = run_here(options.program);
  std::vector<std::string> captured;
  std::ranges::set_difference(definitions_in(options.folder), before, std::back_inserter(captured));
  if (status != 0) say(format("{} ended with status {}", options.program.front(), status));
  if (options.format == Format::json)
    std::cout << json_text({{"captured", captured}, {"status", status}});
  else
    for (const std::string& file : captured)
      std::cout << format(
          "captured {0}\n  check it:  tune check --problem {0}\n  tune it:   tune --problem {0}\n", file);
  if (captured.empty())
    throw Error(format("nothing was captured: {} made no call {} of {} by a tune::Dispatcher",
                       options.program.front(), options.call,
                       options.names == "all" ? "any problem" : options.names));
  return status == 0 ? 0 : static_cast<int>(Exit::failure);
}

}  // namespace

Command capture_command() {
  return {.name = "capture",
          .summary = "saves inputs and outputs of a program's kernels, to tune them later",
          .usage = "tune capture [options] -- PROGRAM [arguments]",
          .example = "  tune capture -- ./app 1000\n  tune capture --name saxpy --call 10 -- ./app\n",
          .positional = "program",
          .bind = bind_request<CaptureOptions, run_capture>,
          .words = -1};
}

}  // namespace tune::cli
