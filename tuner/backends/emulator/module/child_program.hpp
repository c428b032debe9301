// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tune::emulator {

/// What a program said (both outputs) and its exit status; 128 + signal where one ended it.
struct ProgramResult {
  int status = 0;
  std::string output;
};

/// Runs a program without a shell and waits for its end. Throws Error where it cannot be started.
ProgramResult run_program(const std::vector<std::string>& command);

/// The path of a program by PATH; empty where there is none.
std::string find_program(const std::string& name);

}  // namespace tune::emulator
