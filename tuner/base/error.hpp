// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "tuner/base/exit.hpp"

namespace tune {

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

/// A GPU that is asked for is not there, or cannot be used.
class NoDeviceError : public Error {
 public:
  explicit NoDeviceError(const std::string& what) : Error(what, Exit::no_device) {}
};

/// A wrong command line or definition.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(what, Exit::usage) {}
};

}  // namespace tune
