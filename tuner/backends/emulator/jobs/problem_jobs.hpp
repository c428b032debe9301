// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::emulator {

/// Jobs from a problem's configurations. Inputs and reference of a size are computed once, here: the workers,
/// copies of this process, find them there.
class ProblemJobs {
 public:
  /// Both must outlive the object.
  ProblemJobs(const Problem& problem, const KernelSources& sources)
      : problem_(problem), sources_(sources), reference_cache_(problem) {}

  /// The configuration at each of these sizes. A configuration that has no plan there is an impossible job.
  CheckJob job(const Configuration& configuration, std::span<const Instance> instances);

 private:
  const Problem& problem_;
  const KernelSources& sources_;
  ReferenceCache reference_cache_;
};

}  // namespace tune::emulator
