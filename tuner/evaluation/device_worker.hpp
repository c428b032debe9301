// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/pipeline_order.hpp"
#include "tuner/evaluation/small_run.hpp"
#include "tuner/evaluation/verification.hpp"
#include "tuner/problem/problem.hpp"

namespace tune {

struct DeviceEvaluatorOptions {
  MeasureOptions measure;
  bool rerank_energy = true;  ///< where `measure` asks for the energy, the re-ranking measures it too
  bool measure_time = true;   ///< false: check only; a measurement then has no samples
  bool race = true;           ///< stop measuring what cannot become the fastest
  /// Results are checked again after the timed executions where a check takes at most this share of the time
  /// that measuring took, but not of what was pruned. Top candidates are always checked again.
  double recheck_share = 0.1;
  unsigned compile_threads = 0;  ///< 0: default_compilers()
  /// Seconds from its submission after which the following configurations overtake one that still compiles.
  /// Shorter compiles end in the order in which they were submitted, so that a repeated run asks the same.
  double patience = compile_patience;
  /// Nothing is overtaken, and the window is the same on every machine: with the same results, a strategy is
  /// told the same in the same order. For one device.
  bool reproducible = false;
  bool compare_devices = true;  ///< several devices time a common configuration of this evaluator
};

/// A configuration that is compiled.
struct CompiledPlan {
  Configuration configuration;
  LaunchPlan plan;
  Binary binary;
  /// Of sizes of checks with another source than the size that is tuned, by content_of their requests.
  std::map<std::string, std::shared_future<Result<Binary>>> checks = {};
};

/// Checks and measures configurations of one problem and size on one device. Not thread-safe; the references
/// are shared with those of other devices.
class DeviceWorker {
 public:
  /// `tell` hears what it does. All must outlive the worker.
  DeviceWorker(const Problem& problem, const Instance& instance, Backend& backend,
               const KernelSources& sources, const DeviceEvaluatorOptions& options,
               std::shared_ptr<ReferenceCache> references, std::function<void(Activity)> tell);

  /// Loads, checks at odd sizes and at the size itself, and measures, against the `fastest` in seconds, if
  /// any. Fills in resources and times of the phases. `evaluation` names the configuration.
  Result<Measurement> carry_out(const CompiledPlan& compiled, std::optional<double> fastest,
                                Evaluation& evaluation);
  /// A turn of the re-ranking. The buffers are filled again in each, so that a configuration is not timed in
  /// the state that the last one left. `is_checked`: its results were right in an earlier turn.
  Result<Timing> take_turn(const CompiledPlan& compiled, bool& is_checked);
  /// Gives the references of the size that is tuned back.
  void release();
  std::string notice() const { return verification_.notice(); }

 private:
  std::optional<Failure> hopeless(std::span<const SmallRun> small, const LaunchPlan& plan,
                                  std::span<const KernelResources> resources) const;
  Result<Measurement> try_out(const CompiledPlan& compiled, Evaluation& evaluation);
  Result<Measurement> check_and_measure(const LaunchPlan& plan, const Binary& binary, Evaluation& evaluation);
  const ReferenceData& at_size(const Configuration& configuration, std::uint64_t seed);

  const Problem& problem_;
  const Instance& instance_;
  Backend& backend_;
  const DeviceEvaluatorOptions& options_;
  std::function<void(Activity)> tell_;
  std::optional<double> fastest_;  ///< seconds, of the evaluation that is carried out
  Verification verification_;
  /// Of the size that is tuned, which may be gigabytes: of one seed at a time.
  std::shared_ptr<const ReferenceData> at_size_;
  Instance instance_at_size_;
  std::uint64_t seed_at_size_ = 0;
};

}  // namespace tune
