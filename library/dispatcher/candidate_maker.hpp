// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/problem.hpp"
#include "library/dispatcher/checking_device.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/verification.hpp"

namespace tune::api {

/// A configuration that was checked and can be launched on the caller's memory.
struct PreparedCandidate {
  search::Configuration configuration;
  LaunchPlan plan;
  std::unique_ptr<LoadedPlan> loaded;
  /// The source of each kernel argument of each launch: its place among the call's arguments, or -1 for a
  /// scalar of the plan.
  std::vector<std::vector<int>> slots;
  std::vector<std::uint64_t> versions = {};  ///< of the variables that its code has; see CallVariables
  tune::Evaluation evaluation;               ///< without times; its outcome has error and tolerance

  /// Returns the addresses of all arguments, for a call with its values at these addresses. Valid until the
  /// next call.
  const std::vector<StreamRunner::Arguments>& arguments(const std::vector<void*>& given);

 private:
  std::vector<StreamRunner::Arguments> places_;
};

/// Makes candidates ready: plans, compiles, checks on memory of the backend's own, loads. For one thread.
class CandidateMaker {
 public:
  /// All must outlive this.
  CandidateMaker(const described::DescribedProblem& problem, const Instance& instance, CheckingDevice& device,
                 StreamRunner& runner);

  /// Fails as any evaluation does, and with Failure{constraint, "same code"} where an earlier candidate runs
  /// the same code.
  /// `checked`: an evaluation of the configuration at another size; where the machine code is the same it is
  /// not checked again, and nothing waits for the device.
  tune::Result<PreparedCandidate> make(const search::Configuration& configuration, Turns::Waiting waiting,
                                       const tune::Evaluation* checked = nullptr);
  /// Returns a counter: odd while kernels of this run on the device, larger after each time.
  std::uint64_t device_work() const { return device_.device_work; }

 private:
  tune::Result<CheckedError> check(const search::Configuration& configuration, const LaunchPlan& plan,
                                   const Binary& binary, Turns::Waiting waiting);

  const described::DescribedProblem& problem_;
  const Instance& instance_;
  CheckingDevice& device_;
  StreamRunner& runner_;
  described::DescribedSources sources_;
  Verification verification_;
  std::set<std::string> codes_;  ///< machine code and launches of all that were made
};

}  // namespace tune::api
