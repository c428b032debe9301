// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace tune {

/// Exit statuses of the program: what a script can rely on.
enum class Exit : int {
  success = 0,
  failure = 1,  ///< the work was tried and did not succeed (nothing valid found, a wrong result, a full disk)
  usage = 2,    ///< the command line, a size or an expression cannot be read
  no_answer = 3,  ///< the database has no record that fits
  interrupted = 130,
};

/// A broken environment or wrong use, for people: `what()` is one line that names the cure. Caught once, in
/// main.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, Exit exit = Exit::failure)
      : std::runtime_error(what), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// Wrong words on the command line or in a definition.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(what, Exit::usage) {}
};

}  // namespace tune
