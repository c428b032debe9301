// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/device_worker.hpp"

#include <algorithm>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

/// A turn of the re-ranking takes few samples, because preparing it costs more, and there are many turns.
constexpr int rerank_min_samples = 3;
constexpr int rerank_max_samples = 5;
constexpr double rerank_time_cap = 0.1;  // seconds

/// A configuration is not executed at the size itself where its small runs say that it takes at least so many
/// times the fastest one's time, or likely so many times: one of them costs as much time as many fast ones.
constexpr double hopeless_slowdown = 10;
constexpr double likely_slowdown = 40;

/// Returns the launch that limits a pipeline: the one with the fewest resident threads.
std::optional<KernelResources> tightest(const std::vector<KernelResources>& all) {
  const auto found = std::ranges::min_element(all, {}, &KernelResources::occupancy);
  if (found == all.end()) return std::nullopt;
  return *found;
}

/// Measures times and energy of the problem's work, which an execution may do several times.
Result<Timing> measured(PreparedPlan& prepared, const LaunchPlan& plan, MeasureOptions options) {
  if (options.incumbent_seconds) *options.incumbent_seconds *= plan.work_per_execution;
  Result<Timing> timing = prepared.measure(options);
  if (!timing) return timing;
  for (double& seconds : timing->samples) seconds /= plan.work_per_execution;
  timing->energy /= plan.work_per_execution;
  return timing;
}

/// True where another program killed the process that ran the kernel: the first time it is not counted
/// against the configuration.
bool was_killed(const Result<Measurement>& outcome) {
  return !outcome && outcome.error().phase == Phase::crash && outcome.error().reason == killed_from_outside;
}

}  // namespace

DeviceWorker::DeviceWorker(const Problem& problem, const Instance& instance, Backend& backend,
                           const KernelSources& sources, const DeviceEvaluatorOptions& options,
                           std::shared_ptr<ReferenceCache> references, std::function<void(Activity)> tell)
    : problem_(problem),
      instance_(instance),
      backend_(backend),
      options_(options),
      tell_(std::move(tell)),
      verification_(problem, backend, sources, nullptr, std::move(references)) {}

const ReferenceData& DeviceWorker::at_size(const Configuration& configuration, std::uint64_t seed) {
  Instance instance = problem_.reference_instance(instance_, configuration);
  if (at_size_ == nullptr || seed_at_size_ != seed || instance_at_size_ != instance) {
    tell_(Activity::reference);
    at_size_.reset();
    at_size_ = verification_.reference_data(instance, seed);
    instance_at_size_ = std::move(instance);
    seed_at_size_ = seed;
  }
  return *at_size_;
}

Result<Measurement> DeviceWorker::carry_out(const CompiledPlan& compiled, std::optional<double> fastest,
                                            Evaluation& evaluation) {
  fastest_ = fastest;
  const double computing = verification_.reference_seconds();
  Result<Measurement> outcome = try_out(compiled, evaluation);
  if (was_killed(outcome)) outcome = try_out(compiled, evaluation);
  evaluation.phases.reference = verification_.reference_seconds() - computing;
  return outcome;
}

Result<Measurement> DeviceWorker::try_out(const CompiledPlan& compiled, Evaluation& evaluation) {
  const LaunchPlan& plan = compiled.plan;
  const Binary& binary = compiled.binary;
  // A configuration that cannot run at the size itself fails before any launch, the small checks included.
  tell_(Activity::checking);
  const Stopwatch loading;
  const Result<std::vector<KernelResources>> resources = backend_.runner().check_resources(plan, binary);
  evaluation.phases.load = loading.seconds();
  if (!resources) return tl::unexpected(resources.error());
  evaluation.resources = tightest(*resources);
  const Stopwatch verifying;
  const double computing = verification_.reference_seconds();
  const auto ahead = [&](const CompileRequest& request) {
    const auto found = compiled.checks.find(content_of(request));
    return found == compiled.checks.end() ? backend_.compiler().compile(request) : found->second.get();
  };
  const Result<CheckedError> small =
      verification_.check_at(problem_.check_instances(instance_, evaluation.configuration),
                             evaluation.configuration, plan, binary, ahead);
  evaluation.phases.verify = verifying.seconds() - (verification_.reference_seconds() - computing);
  if (!small) return tl::unexpected(small.error());
  if (const auto failure = hopeless(small->runs, plan, *resources)) return tl::unexpected(*failure);
  Result<Measurement> measurement = check_and_measure(plan, binary, evaluation);
  if (measurement) measurement->error = std::max(measurement->error, small->largest);
  return measurement;
}

/// Returns the failure of a configuration whose small runs took so long that it cannot become the fastest: at
/// the size itself a single execution may take seconds.
std::optional<Failure> DeviceWorker::hopeless(std::span<const SmallRun> small, const LaunchPlan& plan,
                                              std::span<const KernelResources> resources) const {
  if (!options_.race || !options_.measure_time || !fastest_ || resources.empty()) return std::nullopt;
  const int blocks =
      std::ranges::max(resources, {}, &KernelResources::blocks_per_multiprocessor).blocks_per_multiprocessor;
  const auto resident = static_cast<std::uint64_t>(std::max(blocks, 0)) *
                        static_cast<std::uint64_t>(std::max(backend_.properties().multiprocessors, 0));
  const double fastest = *fastest_ * plan.work_per_execution;
  const double items = problem_.cost(instance_).items;
  for (const SmallRun& run : small) {
    const LargeRun large = large_run(run, plan, items, resident);
    if (large.least <= hopeless_slowdown * fastest && large.likely <= likely_slowdown * fastest) continue;
    return Failure{
        Phase::timeout, "slow",
        format("a check at a small size took {}: an execution would take about {}, and the fastest "
               "takes {}",
               si(run.seconds, "s"), si(large.likely, "s"), si(fastest, "s")),
        hopeless_slowdown * fastest};
  }
  return std::nullopt;
}

Result<Measurement> DeviceWorker::check_and_measure(const LaunchPlan& plan, const Binary& binary,
                                                    Evaluation& evaluation) {
  const ReferenceData& expected = at_size(evaluation.configuration, check_seeds[0]);
  tell_(Activity::checking);
  const Stopwatch verifying;
  const auto prepared = backend_.runner().prepare(plan, binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Stopwatch checking;
  const Result<CheckedRun> checked = check(**prepared, plan, expected);
  const double check_seconds = checking.seconds();
  evaluation.phases.verify += verifying.seconds();
  if (!checked) return tl::unexpected(checked.error());

  Measurement measurement;
  measurement.error = checked->error;
  measurement.tolerance = widest(tolerance_of(plan, expected));
  verification_.note(plan, expected);
  if (!options_.measure_time) return measurement;
  tell_(Activity::measuring);
  const Stopwatch measuring;
  MeasureOptions measure_options = options_.measure;
  if (options_.race) measure_options.incumbent_seconds = fastest_;
  measure_options.checked_seconds = checked->seconds;
  Result<Timing> timing = measured(**prepared, plan, measure_options);
  evaluation.phases.measure = measuring.seconds();
  if (!timing) return tl::unexpected(timing.error());
  static_cast<Timing&>(measurement) = std::move(*timing);
  const bool lost = measurement.stop == StopReason::pruned;
  if (lost || check_seconds > options_.recheck_share * evaluation.phases.measure) return measurement;
  tell_(Activity::checking);
  const Stopwatch again;
  const Result<double> after = check_after_timing(**prepared, plan, expected);
  evaluation.phases.verify += again.seconds();
  if (!after) return tl::unexpected(after.error());
  return measurement;
}

Result<Timing> DeviceWorker::take_turn(const CompiledPlan& compiled, bool& is_checked) {
  const LaunchPlan& plan = compiled.plan;
  // The configuration has not seen these inputs at this size.
  const ReferenceData& expected = at_size(compiled.configuration, check_seeds[1]);
  const auto prepared = backend_.runner().prepare(plan, compiled.binary);
  if (!prepared) return tl::unexpected(prepared.error());
  MeasureOptions measure_options = options_.measure;
  if (is_checked) {
    const Result<double> ran = (*prepared)->run_checked(views_of(expected.inputs));
    if (!ran) return tl::unexpected(ran.error());
    measure_options.checked_seconds = *ran;
  } else {
    const Result<CheckedRun> checked = check(**prepared, plan, expected);
    if (!checked) return tl::unexpected(checked.error());
    measure_options.checked_seconds = checked->seconds;
  }
  is_checked = true;
  verification_.note(plan, expected);
  measure_options.energy = measure_options.energy && options_.rerank_energy;
  measure_options.min_samples = rerank_min_samples;
  measure_options.max_samples = rerank_max_samples;
  measure_options.time_cap = rerank_time_cap;
  measure_options.spread = 0;
  Result<Timing> timing = measured(**prepared, plan, measure_options);
  if (!timing) return timing;
  const Result<double> after = check_after_timing(**prepared, plan, expected);
  if (!after) return tl::unexpected(after.error());
  return timing;
}

void DeviceWorker::release() {
  at_size_.reset();
  TensorSet none;
  backend_.runner().place(none);
}

}  // namespace tune
