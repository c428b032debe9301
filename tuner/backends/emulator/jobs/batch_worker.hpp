// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/backends/emulator/jobs/wire.hpp"

namespace tune::emulator {

/// Jobs that are compiled together.
struct Batch {
  std::string name;                      ///< of its files
  std::map<std::size_t, CheckJob> jobs;  ///< by their numbers
  /// Of jobs that harmed the worker that found them: what it found.
  std::map<std::size_t, CheckVerdict> unexplained;
};

/// Compiles a batch, unless an earlier worker has, and runs those of its jobs that are in `wanted`, in order.
/// A job with findings is compiled again, by itself, and run again, so that each says all that is known. To
/// be called in a process of its own. Ends early, without an error, when a job has harmed the process.
void work_on(const Batch& batch, const std::vector<std::size_t>& wanted, const ModuleCompiler& compiler,
             Flavour flavour, const std::function<void(const Message&)>& send);

}  // namespace tune::emulator
