// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_team.hpp"
#include "tuner/evaluation/device_worker.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/parameter_effects.hpp"
#include "tuner/evaluation/pipeline_order.hpp"
#include "tuner/problem/problem.hpp"

namespace tune {

/// Returns which compiler made a binary, and why it was not NVRTC; empty where it was NVRTC.
std::string compiler_notice(const Binary& binary);

/// Evaluates on a device, in these phases: plan, compile (ahead, on all cores), load and resources, checks at
/// odd sizes, check at the size itself, measurement. Measures configurations with the same machine code and
/// the same launches once. Where the device is the processor, nothing compiles while it runs kernels: what
/// waits is compiled when the next one is not, and the order is that of submission. Several devices take
/// configurations from one queue, each when it has nothing to do; the first one re-ranks.
class DeviceEvaluator : public Evaluator, public RerankDevice, private DeviceTeam::Work {
 public:
  /// All must outlive the evaluator.
  DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend, const KernelSources& sources,
                  DeviceEvaluatorOptions options = {});
  /// The compiler is that of the first device.
  DeviceEvaluator(const Problem& problem, Instance instance, std::shared_ptr<DeviceTeam> team,
                  const KernelSources& sources, DeviceEvaluatorOptions options = {});
  DeviceEvaluator(const DeviceEvaluator&) = delete;
  DeviceEvaluator& operator=(const DeviceEvaluator&) = delete;
  ~DeviceEvaluator() override;

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
  /// True where several devices evaluate in threads of their own.
  bool has_threads() const { return team_->has_threads(); }
  /// Where they do: takes an evaluation that has ended. Throws what the last device threw.
  std::optional<Evaluation> take_finished();
  /// Where they do: how many of the submitted ones were not taken.
  std::size_t open() const;
  /// Where they do: tells what the devices do. Returns how many have nothing to do.
  std::size_t tell_activity();
  /// Where they do: returns false once nothing more will be finished, because the run ends.
  bool goes_on();
  bool needs_machine() const override { return apart_; }
  void stop_when(Stops stops) override;
  std::string notice() const override;
  std::vector<DeviceShare> devices() const override;
  DeviceNews take_news() override;
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
    std::optional<Result<CompiledPlan>> compiled = {};  ///< once it was waited for
    bool checked = false;
    std::vector<double> turns = {};  ///< the median of each [s]
  };
  /// What a device that has a thread returns.
  struct Finished {
    std::optional<Evaluation> evaluation = {};
    std::exception_ptr error = {};
  };

  bool work_on(std::size_t device) override;
  void rest(const std::function<bool()>& stop);
  void note_activity(std::size_t device, Activity activity);
  Finished answer_of(std::size_t device, Planned& planned);
  void compare_on(std::size_t device, const CompiledPlan& common);
  std::optional<Evaluation> next_of_devices();
  void count(std::size_t device, const Evaluation& evaluation, CompiledPlan* fastest);
  std::optional<double> fastest() const;
  Evaluation evaluate(std::size_t device, Planned& planned);
  void evaluate_compiled(std::size_t device, CompiledPlan compiled, Evaluation& evaluation);
  bool take_known(const std::string& code, const CompiledPlan& compiled, Evaluation& evaluation);
  bool note_outcome(const std::string& code, const Evaluation& evaluation);
  void note_times(const Evaluation& evaluation);
  Result<Timing> take_turns(RerankCandidate& candidate, const CompiledPlan& compiled);
  static Result<CompiledPlan> compiled_plan(Planned& planned);
  Planned plan(Configuration configuration);
  void compile_checks(Planned& planned);
  static bool is_ready(const Planned& planned);
  NextInQueue next_place() const;
  std::size_t compiling() const;
  Planned take_at(std::size_t place);
  std::optional<Planned> take_next();
  template<class All>
  bool compile_apart(const All& all);
  std::string noise_text() const;

  const Problem& problem_;
  Instance instance_;
  std::shared_ptr<DeviceTeam> team_;
  const KernelSources& sources_;
  DeviceEvaluatorOptions options_;
  unsigned threads_;
  bool apart_;  ///< compilers and kernels share the processor
  std::vector<std::unique_ptr<DeviceWorker>> workers_;
  CompilePool pool_;
  std::vector<RerankCandidate> top_k_;

  /// Of what follows, which devices with threads share.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Planned> queue_;
  std::deque<Finished> finished_;
  std::vector<Evaluation> compared_, comparisons_;   ///< by device; those that are to be stored
  std::vector<std::optional<Activity>> activities_;  ///< of devices; nothing: it waits
  std::size_t working_ = 0, evaluating_ = 0;         ///< devices: the others of them are compared
  bool resting_ = true;                              ///< no device begins anything
  std::optional<double> fastest_;                    ///< seconds
  std::shared_ptr<const CompiledPlan> incumbent_;    ///< the fastest, where devices are compared by it
  std::string compiler_notice_;
  PipelineLoad load_;
  ParameterEffects effects_;  ///< of a described problem: those of the program mean what they do
  std::optional<CompileRequest> compiled_;               ///< one of its requests
  std::unordered_map<std::string, Evaluation> by_code_;  ///< by machine code and launches
};

}  // namespace tune
