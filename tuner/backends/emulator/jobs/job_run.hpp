// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/backends/emulator/jobs/emulation.hpp"
#include "tuner/backends/emulator/jobs/worker_process.hpp"

namespace tune::emulator {

/// The module and variant of a case.
struct CaseCode {
  const LoadedModule* module = nullptr;
  std::size_t variant = 0;
  Purpose purpose = Purpose::explain;  ///< of the module
};

struct JobRun {
  CheckVerdict verdict;
  bool harmed = false;       ///< a fault of the kernel is among the findings: the process must end
  bool unexplained = false;  ///< a module for Purpose::explain could add to the findings
};

/// Runs all cases of a job in this process; `code[i]` belongs to case i. Stops at the first case with
/// findings, because others would repeat them. `steps` names what runs.
JobRun run_job(const CheckJob& job, const std::vector<CaseCode>& code, Emulation& emulation, Flavour flavour,
               StepBoard& steps);

}  // namespace tune::emulator
