// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/problem_jobs.hpp"

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr std::uint64_t seed = 1;  ///< of the inputs

}  // namespace

CheckJob ProblemJobs::job(const Configuration& configuration, std::span<const Instance> instances) {
  CheckJob job;
  for (const Instance& instance : instances) {
    Result<LaunchPlan> plan = problem_.plan(instance, configuration, sources_);
    if (!plan) {
      job.impossible = format("no plan at {}: {}", instance.key(), plan.error().detail);
      job.cases.clear();
      return job;
    }
    if (const auto reference = problem_.reference_plan(instance, sources_)) {
      if (!*reference) {
        job.impossible = format("no reference at {}: {}", instance.key(), reference->error().detail);
        job.cases.clear();
        return job;
      }
      job.cases.push_back(
          {"the reference at " + instance.key(), **reference, reference_data(instance), true});
    }
    job.cases.push_back({instance.key(), std::move(*plan), reference_data(instance)});
  }
  return job;
}

std::shared_ptr<const ReferenceData> ProblemJobs::reference_data(const Instance& instance) {
  auto& known = reference_cache_[instance.key()];
  if (known == nullptr) {
    auto computed = std::make_shared<ReferenceData>();
    computed->inputs = problem_.inputs(instance, seed);
    computed->reference = problem_.reference(instance, computed->inputs);
    computed->tolerance = problem_.tolerance(instance);
    known = computed;
  }
  return known;
}

}  // namespace tune::emulator
