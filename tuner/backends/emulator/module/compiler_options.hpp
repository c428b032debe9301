// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tune::emulator {

/// What is compiled in.
enum class Flavour {
  plain,    ///< nothing: fast, finds wrong results and what harms the emulator itself
  sanitize  ///< a call-back before every memory access
};

/// How much g++ does for the speed of what it compiles.
enum class Effort {
  little,  ///< compiles in half of the time, to what runs for up to twice as long: for little work
  much
};

/// What a module is for. Both purposes lead through the same instructions but for what is told of an error.
enum class Purpose {
  search,  ///< is there an error? A misaligned address is a trap, nothing says where anything stands.
  explain  ///< of what kind, and at which line?
};

struct Build {
  Flavour flavour = Flavour::sanitize;
  Effort effort = Effort::much;
  Purpose purpose = Purpose::explain;
};

/// Of g++, without the names of files.
std::vector<std::string> compiler_options(const Build& build);

}  // namespace tune::emulator
