// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/module/module_compiler.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::emulator {

/// A plan at one size.
struct Case {
  std::string size;  ///< names it in findings
  LaunchPlan plan;
  std::shared_ptr<const ReferenceData> expected;  ///< an output without a reference is not compared
  /// What it computes is the reference of outputs that lack one in the cases after it, up to the next such.
  bool is_reference = false;
};

/// A configuration: what a worker checks in one go, and what a crash or the time limit costs.
struct CheckJob {
  std::vector<Case> cases;
  std::string impossible;  ///< why there are no cases
};

/// What came out of a job.
struct CheckVerdict {
  std::vector<Finding> findings;
  std::string not_emulated;  ///< why the emulator cannot carry it out; empty where it did
  double error = 0;          ///< largest |out - ref|
  double tolerance = 0;
  double seconds = 0;  ///< of this machine's processor, without compiling: says nothing of a device

  bool clean() const { return findings.empty() && not_emulated.empty(); }
};

struct CheckOptions {
  Flavour flavour = Flavour::sanitize;
  unsigned workers = 0;    ///< processes; 0: all cores
  double seconds = 60;     ///< limit of a job, without its compilation
  std::size_t batch = 16;  ///< jobs compiled together, at most
};

/// Makes job `number` when its turn comes: thousands of them need not be in memory at once.
using JobSource = std::function<CheckJob(std::size_t number)>;

/// Runs `count` jobs on the CPU, every thread of a kernel in turn: `plain` in forward and reverse order of
/// threads and blocks, `sanitize` forward only, its verdict on races being independent of the order. Worker
/// processes compile and run a batch each; one that dies, or takes too long, costs one job. `done` hears of
/// each job as it ends, in any order, and returns false to stop. Throws Error for a broken environment.
void check(std::size_t count, const JobSource& jobs, const CheckOptions& options,
           const std::function<bool(std::size_t job, CheckVerdict verdict)>& done);

/// One plan, checked by itself. An output without a reference is not compared.
CheckVerdict check(const LaunchPlan& plan, const ReferenceData& expected, const CheckOptions& options = {});

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
