// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/parameter_effects.hpp"
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
  /// told the same in the same order.
  bool reproducible = false;
};

/// Returns which compiler made a binary, and why it was not NVRTC; empty where it was NVRTC.
std::string compiler_notice(const Binary& binary);

/// Evaluates on a device, in these phases: plan, compile (ahead, on all cores), load and resources, checks at
/// odd sizes, check at the size itself, measurement. Measures configurations with the same machine code and
/// the same launches once. Where the device is the processor, nothing compiles while it runs kernels: what
/// waits is compiled when the next one is not, and the order is that of submission.
class DeviceEvaluator : public Evaluator, public RerankDevice {
 public:
  /// All must outlive the evaluator.
  DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend, const KernelSources& sources,
                  DeviceEvaluatorOptions options = {});

  void submit(Configuration configuration) override;
  std::optional<Evaluation> next() override;
  void drop() override;
  /// As PipelineLoad::window; 64 where the run must be reproducible.
  std::size_t window() const override;
  /// As PipelineLoad::in_flight; nothing where the run must be reproducible.
  std::optional<std::size_t> in_flight() const override;
  /// True where `next` would not wait for a compile.
  bool any_ready() const;
  bool any_idle_compiler() const { return pool_.any_idle(); }
  bool needs_machine() const override { return apart_; }
  void stop_when(Stops stops) override;
  std::string notice() const override;
  RerankDevice* rerank_device() override { return this; }
  void begin_rerank(std::span<const Configuration> top_k) override;
  Result<Timing> time_candidate(std::size_t index) override;

 private:
  struct Planned {
    Configuration configuration;
    Result<LaunchPlan> plan;
    std::future<Result<Binary>> binary = {};  ///< only where there is a plan
    Stopwatch submitted = {};
    /// Of sizes of checks with another source than the size that is tuned, by content_of their requests.
    std::map<std::string, std::shared_future<Result<Binary>>> checks = {};
  };
  struct RerankCandidate {
    Planned planned;
    std::optional<Result<Binary>> binary = {};  ///< once it was waited for
    bool checked = false;
    std::vector<double> turns = {};  ///< the median of each [s]
  };

  std::optional<Evaluation> evaluate(Planned& planned);
  void evaluate_binary(const Planned& planned, const Binary& binary, Evaluation& evaluation);
  void note_times(const Evaluation& evaluation);
  Result<Measurement> carry_out(const Planned& planned, const Binary& binary, Evaluation& evaluation);
  std::optional<Failure> hopeless(std::span<const SmallRun> small, const LaunchPlan& plan,
                                  std::span<const KernelResources> resources) const;
  Result<Measurement> check_and_measure(const LaunchPlan& plan, const Binary& binary, Evaluation& evaluation);
  Result<Timing> take_turns(RerankCandidate& candidate, const LaunchPlan& plan, const Binary& binary);
  Result<Timing> take_turn(RerankCandidate& candidate, const LaunchPlan& plan, const Binary& binary);
  Planned plan(Configuration configuration);
  const ReferenceData& at_size(const Configuration& configuration, std::uint64_t seed);
  void compile_checks(Planned& planned);
  static bool is_ready(const Planned& planned);
  std::optional<Planned> take_next();
  template<class All>
  bool compile_apart(const All& all);
  std::string noise_text() const;
  const Problem& problem_;
  Instance instance_;
  Backend& backend_;
  const KernelSources& sources_;
  DeviceEvaluatorOptions options_;
  unsigned threads_;
  bool apart_;  ///< compilers and kernels share the processor
  Verification verification_;
  /// Of the size that is tuned, which may be gigabytes: of one seed at a time.
  std::shared_ptr<const ReferenceData> at_size_;
  Instance instance_at_size_;
  std::uint64_t seed_at_size_ = 0;
  std::optional<double> fastest_;  ///< seconds
  std::string compiler_notice_;
  PipelineLoad load_;
  ParameterEffects effects_;  ///< of a described problem: those of the program mean what they do
  std::optional<CompileRequest> compiled_;               ///< one of its requests
  std::unordered_map<std::string, Evaluation> by_code_;  ///< by machine code and launches
  CompilePool pool_;
  std::deque<Planned> queue_;
  std::vector<RerankCandidate> top_k_;
};

}  // namespace tune
