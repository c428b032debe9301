// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tuner/emulator/checker.hpp"
#include "tuner/emulator/emulation.hpp"

namespace tune::emulator {

/// A variant of a module, for a case.
struct CaseCode {
  const LoadedModule* module = nullptr;
  std::size_t variant = 0;
};

/// Runs all cases of a job in this process, `code[i]` being that of case i. Stops at the first case with
/// findings: others would repeat them. A fault of the kernel becomes a finding and sets `harmed`: then this
/// process is not to be trusted with another job.
Verdict run_job(const Job& job, const std::vector<CaseCode>& code, Emulation& emulation, Flavour flavour,
                bool& harmed);

}  // namespace tune::emulator
