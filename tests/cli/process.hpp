// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/sandbox.hpp"

namespace tune::testing {

/// The built program, running beside the test. Its outputs go to files.
class Process {
 public:
  /// `largest_file` in bytes limits what it may write to one file, as a full disk would; 0 for no limit.
  Process(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          std::size_t largest_file = 0);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Waits until standard error holds `text`; false where the program ends, or half a minute passes, without
  /// it.
  bool wait_for(const std::string& text);
  void send(int signal) const;
  pid_t id() const { return child_; }
  /// What it has written to standard output so far.
  std::string out() const;
  /// Waits for its end. The status is 128 + signal where a signal ended it, as a shell says.
  ProgramResult wait();

 private:
  bool has_ended();

  std::filesystem::path out_, err_;
  pid_t child_ = 0;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace tune::testing
