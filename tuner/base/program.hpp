// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/perf_counters.hpp"

namespace tune {

/// How a program ended.
struct ProgramResult {
  int status = 0;            ///< its exit status; 128 + signal where a signal ended it
  int signal = 0;            ///< that ended it; 0: none
  std::string output;        ///< standard output and standard error together, unless they are separate
  std::string errors = {};   ///< standard error, where it is separate
  bool was_cut = false;      ///< it wrote more than ProgramOptions::output_limit: the beginning is lost
  bool was_stopped = false;  ///< by ProgramOptions::stop
  bool took_too_long = false;
  /// From its start to its end, its processor time and its peak of resident memory [bytes]; with
  /// ProgramOptions::measure.
  double seconds = 0, processor_seconds = 0, peak_memory = 0;
  PerfCounters::Counts counts = {};  ///< likewise; of the program and all that it starts
};

struct ProgramOptions {
  std::filesystem::path temporary = {};  ///< the folder for its temporary files; empty: as for this process
  std::filesystem::path folder = {};     ///< the folder in which it runs; empty: that of this process
  double seconds = 0;                    ///< that it may take; 0: any
  std::function<bool()> stop = {};       ///< asked several times a second: true ends it
  /// Variables in addition to, or instead of, those of this process.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::size_t output_limit = 0;  ///< bytes of each output that are kept, the last ones; 0: all
  bool separate_errors = false;  ///< keep standard error apart
  bool measure = false;          ///< ProgramResult::seconds and the other figures
};

/// Runs a program without a shell and waits for its end; its messages are English, and it reads nothing. A
/// program with a limit or a stop, or that is measured, has a process group of its own; when it ends, all
/// processes that it started end with it, also those that left the group. Throws Error where it cannot be
/// started.
ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// Returns the path of a program by PATH; empty where there is none.
std::string find_program(const std::string& name);

/// Returns the C++ compiler that this variable of the environment names, else g++. Throws Error where there
/// is no such program; `needed_by`: who needs it, for the message.
std::string cxx_program(const char* variable, std::string_view needed_by);

}  // namespace tune
