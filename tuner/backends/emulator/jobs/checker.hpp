// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/module/module_compiler.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::emulator {

/// A plan at one size.
struct Case {
  std::string size;  ///< names it in findings
  LaunchPlan plan;
  std::shared_ptr<const ReferenceData> expected;  ///< outputs without a reference are not compared
  /// Its results are the reference of outputs that lack one in the following cases, up to the next such case.
  bool is_reference = false;
};

/// A configuration to check: a crash or the time limit costs one job.
struct CheckJob {
  std::vector<Case> cases;
  std::optional<Failure> impossible = std::nullopt;  ///< why there are no cases
};

/// The result of a job.
struct CheckVerdict {
  std::vector<Finding> findings;
  std::string not_emulated;  ///< why the emulator cannot carry it out; empty where it did
  std::optional<Failure> cannot_run = std::nullopt;  ///< what it demands beyond a device or this machine
  double error = 0;                                  ///< largest |out - ref|
  double tolerance = 0;
  double seconds = 0;          ///< of this machine's processor, without compiling
  bool is_unfinished = false;  ///< the finding is the limit of time: nothing wrong was found until then

  bool clean() const { return findings.empty() && not_emulated.empty() && !cannot_run; }
};

struct CheckOptions {
  Flavour flavour = Flavour::sanitize;
  unsigned workers = 0;    ///< processes; 0: all cores
  double seconds = 60;     ///< of processor time: the limit of a step; ten times that is the limit of a job
  std::size_t batch = 16;  ///< jobs compiled together, at most
  /// Findings name lines of the source: jobs that have findings are compiled once more.
  bool source_lines = true;
  std::vector<FindingKind> allowed = {};  ///< errors that are passed over
  /// Asked where the host's compiler refuses a kernel; true where a compiler for devices takes it: then the
  /// emulator lacks something, and the kernel has no error.
  std::function<bool(const CompileRequest& request)> device_takes = {};
  /// Asked about ten times a second; true ends the check, with the jobs that run.
  std::function<bool()> stop = {};
};

/// Makes job `number` when its turn comes, so that not all jobs are in memory at once.
using JobSource = std::function<CheckJob(std::size_t number)>;

/// Runs `count` jobs on the CPU, every thread of a kernel in turn: `plain` in forward and reverse order of
/// threads and blocks, `sanitize` only forward, because its verdict on races does not depend on the order.
/// Worker processes compile and run a batch each; one that dies, or takes too long, costs one job. Calls
/// `done` for each job as it ends, in any order; it returns false to stop. Throws Error for a broken
/// environment.
void check(std::size_t count, const JobSource& jobs, const CheckOptions& options,
           const std::function<bool(std::size_t job, CheckVerdict verdict)>& done);

/// Checks one plan. Outputs without a reference are not compared.
CheckVerdict check(const LaunchPlan& plan, const ReferenceData& expected, const CheckOptions& options = {});

/// Makes jobs of a problem's configurations. Computes inputs and reference of a size once, in this process:
/// the workers are copies of it.
class ProblemJobs {
 public:
  /// Problem and sources must outlive the object. `limits`: no launch may be beyond those of this device.
  ProblemJobs(const Problem& problem, const KernelSources& sources,
              DeviceProperties limits = architecture_properties("sm_90"))
      : problem_(problem), sources_(sources), limits_(std::move(limits)), reference_cache_(problem) {}

  /// Makes a job of the configuration at each of these sizes. `impossible` is set where it has no plan, or a
  /// launch beyond the limits, there or at the size `executed`.
  CheckJob job(const Configuration& configuration, std::span<const Instance> instances,
               const Instance* executed = nullptr);
  /// Of the jobs made so far: see ReferenceCache.
  std::string notice() const { return reference_cache_.notice(); }

 private:
  /// Returns the plan, or why there is none for the device.
  Result<LaunchPlan> plan_at(const Instance& instance, const Configuration& configuration) const;
  /// Returns the plan if its launches are within the limits.
  Result<LaunchPlan> fitted(Result<LaunchPlan> plan, const Instance& instance, const std::string& what) const;

  const Problem& problem_;
  const KernelSources& sources_;
  DeviceProperties limits_;
  ReferenceCache reference_cache_;
};

}  // namespace tune::emulator
