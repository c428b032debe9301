// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tune/dispatcher.hpp>
#include <vector>

#include "kernels/described/problem.hpp"

namespace tune::api {

/// The bytes that an array takes at this size.
std::size_t bytes_of(const described::Argument& array, const described::DescribedProblem& problem,
                     const Instance& instance);

/// The arguments that a call passes, as the problem declares them.
class CallArguments {
 public:
  /// `with_sizes`: scalars whose value is a size are passed too.
  CallArguments(const described::DescribedProblem& problem, const Instance& instance,
                bool with_sizes = false);

  /// Throws UsageError, with the names of the problem and the declaration of the kernel, for other arguments.
  void check(const Dispatcher::Argument* arguments, std::size_t count) const;
  /// Returns the sizes that checked arguments have, and moves the others to `others`.
  Sizes take_sizes(const Dispatcher::Argument* arguments, std::vector<Dispatcher::Argument>& others) const;

 private:
  struct Expected {
    std::string name;
    bool pointer = false;
    std::string type = {};
    std::size_t bytes = 0;  ///< of a struct, or of a number that may be of a class; 0: by the type
    std::string size = {};  ///< the size that it has; empty: none
  };
  [[noreturn]] void refuse(const std::string& what) const;

  std::string problem_;
  std::string signature_;  ///< of the first launch's kernel; empty where it is not understood
  std::vector<Expected> all_;
};

/// The variables that the program fills: `__constant__` and `__device__` memory of a kernel's code.
class CallVariables {
 public:
  struct Variable {
    std::string name, symbol, type;
    std::size_t bytes = 0;                 ///< that it takes
    bool same_at_all_sizes = true;         ///< the bytes
    std::vector<std::byte> contents = {};  ///< empty: not set yet
    std::uint64_t version = 0;             ///< 0: not set yet
  };
  CallVariables(const described::DescribedProblem& problem, const Instance& instance);

  /// Throws UsageError for an unknown name, another type or a number of bytes that it has at no size.
  void check(const std::string& name, const char* type, const void* data, std::size_t bytes) const;
  /// Returns whether the variable of this name takes so many bytes here.
  bool takes(const std::string& name, std::size_t bytes) const;
  /// Throws UsageError for an unknown name, another type or another number of bytes.
  void set(const std::string& name, const char* type, const void* data, std::size_t bytes);
  /// Returns all of them. Throws UsageError where one was not set.
  const std::vector<Variable>& all() const;

 private:
  const Variable& named(const std::string& name) const;

  std::string problem_;
  std::vector<Variable> all_;
};

}  // namespace tune::api
