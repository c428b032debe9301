// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {

/// Jobs from a problem's configurations. Inputs and reference of a size are computed once, here: the workers,
/// copies of this process, find them there.
class ProblemJobs {
 public:
  /// Both must outlive the object.
  ProblemJobs(const Problem& problem, const KernelSources& sources) : problem_(problem), sources_(sources) {}

  /// The configuration at each of these sizes. A configuration that has no plan there is an impossible job.
  CheckJob job(const Configuration& configuration, std::span<const Instance> instances);

 private:
  std::shared_ptr<const ReferenceData> reference_data(const Instance& instance);

  const Problem& problem_;
  const KernelSources& sources_;
  std::map<std::string, std::shared_ptr<const ReferenceData>> reference_cache_;  ///< by the instance's key
};

}  // namespace tune::emulator
