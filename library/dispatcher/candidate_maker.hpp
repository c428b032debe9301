// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/described/problem.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/verification.hpp"

namespace tune::api {

/// A configuration that was checked and can be launched on the caller's memory.
struct PreparedCandidate {
  search::Configuration configuration;
  LaunchPlan plan;
  std::unique_ptr<LoadedPlan> loaded;
  /// Where each kernel argument of each launch comes from: its place among the call's arguments, or -1 for a
  /// scalar that the plan gives.
  std::vector<std::vector<int>> slots;
  tune::Evaluation evaluation;  ///< what is known without times; its outcome has error and tolerance

  /// Where the values lie, for a call with its values at these places. Valid until the next call.
  const std::vector<StreamRunner::Arguments>& arguments(const std::vector<void*>& given);

 private:
  std::vector<StreamRunner::Arguments> places_;
};

/// Makes candidates ready: plans, compiles, checks on memory of the backend's own, loads. For one thread.
class CandidateMaker {
 public:
  /// All must outlive this.
  CandidateMaker(const described::DescribedProblem& problem, const Instance& instance, Backend& backend,
                 StreamRunner& runner);

  /// Failure as for any evaluation; Failure{constraint, "same code"} for what does the same as one before.
  tune::Result<PreparedCandidate> make(const search::Configuration& configuration);
  /// Odd while kernels of this run on the device, another number after every time they did.
  std::uint64_t device_work() const { return device_work_; }

 private:
  const described::DescribedProblem& problem_;
  const Instance& instance_;
  Backend& backend_;
  StreamRunner& runner_;
  described::DescribedSources sources_;
  std::atomic<std::uint64_t> device_work_{0};
  Verification verification_;
  std::set<std::string> codes_;  ///< machine code and launches of all that were made
};

}  // namespace tune::api
