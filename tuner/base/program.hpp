// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tune {

/// How a program ended.
struct ProgramResult {
  int status = 0;            ///< its exit status; 128 + signal where a signal ended it
  int signal = 0;            ///< that ended it; 0: none
  std::string output;        ///< standard output and standard error together
  bool was_stopped = false;  ///< by ProgramOptions::stop
  bool took_too_long = false;
};

struct ProgramOptions {
  std::filesystem::path temporary = {};  ///< the folder for its temporary files; empty: as for this process
  std::filesystem::path folder = {};     ///< the folder in which it runs; empty: that of this process
  double seconds = 0;                    ///< that it may take; 0: any
  std::function<bool()> stop = {};       ///< asked several times a second: true ends it
};

/// Runs a program without a shell and waits for its end; its messages are English, and it reads nothing. A
/// program with a limit or a stop has a process group of its own, which ends as a whole. Throws Error where
/// it cannot be started.
ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// Returns the path of a program by PATH; empty where there is none.
std::string find_program(const std::string& name);

}  // namespace tune
