// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/backends/emulator/jobs/emulation.hpp"

namespace tune::emulator {

/// A variant of a module, for a case.
struct CaseCode {
  const LoadedModule* module = nullptr;
  std::size_t variant = 0;
  Purpose purpose = Purpose::explain;  ///< that the module was compiled for
};

struct JobRun {
  CheckVerdict verdict;
  bool harmed = false;       ///< a fault of the kernel is among the findings: trust the process no further
  bool unexplained = false;  ///< a finding lacks what a module that explains would tell
};

/// Runs all cases of a job in this process, `code[i]` being that of case i. Stops at the first case with
/// findings: others would repeat them.
JobRun run_job(const CheckJob& job, const std::vector<CaseCode>& code, Emulation& emulation, Flavour flavour);

}  // namespace tune::emulator
