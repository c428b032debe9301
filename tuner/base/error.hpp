// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace tune {

/// Exit statuses of the program, on which scripts rely.
enum class Exit : int {
  success = 0,
  failure = 1,    ///< the work did not succeed: nothing valid found, a wrong result, a full disk
  usage = 2,      ///< the command line, a size or an expression cannot be read
  no_answer = 3,  ///< the database has no record that fits, or a check could check nothing
  interrupted = 130,
};

/// A broken environment or wrong use. `what()` is one line for the user that names the cure. Only main
/// catches it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, Exit exit = Exit::failure)
      : std::runtime_error(what), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// A wrong command line or definition.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(what, Exit::usage) {}
};

}  // namespace tune
