// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/problem_jobs.hpp"

#include "tuner/base/format.hpp"

namespace tune::emulator {

CheckJob ProblemJobs::job(const Configuration& configuration, std::span<const Instance> instances) {
  CheckJob job;
  for (const Instance& instance : instances) {
    Result<LaunchPlan> plan = problem_.plan(instance, configuration, sources_);
    if (!plan) {
      job.impossible = format("no plan at {}: {}", instance.key(), plan.error().detail);
      job.cases.clear();
      return job;
    }
    // Races and bounds do not depend on values: the inputs of one seed are enough.
    const auto expected = reference_cache_.at(instance, check_seeds[0]);
    if (const auto reference = problem_.reference_plan(instance, sources_)) {
      if (!*reference) {
        job.impossible = format("no reference at {}: {}", instance.key(), reference->error().detail);
        job.cases.clear();
        return job;
      }
      job.cases.push_back({"the reference at " + instance.key(), **reference, expected, true});
    }
    job.cases.push_back({instance.key(), std::move(*plan), expected});
  }
  return job;
}

}  // namespace tune::emulator
