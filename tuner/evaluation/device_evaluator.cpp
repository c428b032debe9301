// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/device_evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/host_limits.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"

namespace tune {
namespace {

/// A turn of the re-ranking takes few samples, because preparing it costs more, and there are many turns.
constexpr int rerank_min_samples = 3;
constexpr int rerank_max_samples = 5;
constexpr double rerank_time_cap = 0.1;  // seconds

constexpr std::size_t reproducible_window = 64;

/// Half of the turns of a candidate, of at least so many, that are farther apart are told.
constexpr double tolerable_noise = 0.05;
constexpr std::size_t fewest_turns_of_noise = 5;

/// A configuration is not executed at the size itself where its small runs say that it takes at least so many
/// times the fastest one's time, or likely so many times: one of them costs as much time as many fast ones.
constexpr double hopeless_slowdown = 10;
constexpr double likely_slowdown = 40;

/// Seconds after which somebody who waits for a compile looks whether the run was stopped.
constexpr double stop_interval = 0.2;

/// Returns the launch that limits a pipeline: the one with the fewest resident threads.
std::optional<KernelResources> tightest(const std::vector<KernelResources>& all) {
  const auto found = std::ranges::min_element(all, {}, &KernelResources::occupancy);
  if (found == all.end()) return std::nullopt;
  return *found;
}

/// Returns the compiler's figures, which are all there is before loading.
std::optional<KernelResources> compiled_resources(const Binary& binary) {
  if (binary.resources.empty()) return std::nullopt;
  return binary.resources.begin()->second;
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

DeviceEvaluator::DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend,
                                 const KernelSources& sources, DeviceEvaluatorOptions options)
    : problem_(problem),
      instance_(std::move(instance)),
      backend_(backend),
      sources_(sources),
      options_(options),
      threads_(options.compile_threads > 0 ? options.compile_threads : default_compilers()),
      apart_(backend.properties().is_cpu()),
      verification_(problem, backend, sources),
      pool_(backend.compiler(), threads_) {
  if (const HasDescription* const description = find_description(&problem))
    effects_ = ParameterEffects(description->unused_parameters());
  pool_.hold(apart_);
}

std::size_t DeviceEvaluator::window() const {
  if (options_.reproducible) return reproducible_window;
  return apart_ ? 2 * std::size_t{threads_} : PipelineLoad::window(threads_);
}

DeviceEvaluator::Planned DeviceEvaluator::plan(Configuration configuration) {
  Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  Planned planned{std::move(configuration), std::move(plan)};
  if (planned.plan) planned.binary = pool_.submit(planned.plan->compile);
  return planned;
}

const ReferenceData& DeviceEvaluator::at_size(const Configuration& configuration, std::uint64_t seed) {
  Instance instance = problem_.reference_instance(instance_, configuration);
  if (at_size_ == nullptr || seed_at_size_ != seed || instance_at_size_ != instance) {
    now(Activity::reference);
    at_size_.reset();
    at_size_ = verification_.reference_data(instance, seed);
    instance_at_size_ = std::move(instance);
    seed_at_size_ = seed;
  }
  return *at_size_;
}

bool DeviceEvaluator::is_ready(const Planned& planned) {
  const auto ended = [](const auto& binary) {
    return !binary.valid() || binary.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  return !planned.plan ||
         (ended(planned.binary) &&
          std::ranges::all_of(
              planned.checks, ended, [](const auto& check) -> const auto& { return check.second; }));
}

/// Has the sizes of the checks compiled ahead too, where macros follow from the size: otherwise the device
/// would wait for their compiles.
void DeviceEvaluator::compile_checks(Planned& planned) {
  if (!planned.plan) return;
  const std::string own = content_of(planned.plan->compile);
  for (const Instance& size : problem_.check_instances(instance_, planned.configuration)) {
    Result<LaunchPlan> small = problem_.plan(size, planned.configuration, sources_);
    if (!small) return;  // the check reports it
    std::string content = content_of(small->compile);
    if (content == own || planned.checks.contains(content)) continue;
    planned.checks.emplace(std::move(content), pool_.submit(std::move(small->compile)).share());
  }
}

void DeviceEvaluator::submit(Configuration configuration) {
  queue_.push_back(plan(std::move(configuration)));
  compile_checks(queue_.back());
}

void DeviceEvaluator::drop() {
  pool_.clear();
  queue_.clear();
}

/// Compiles all that is not compiled. False where it was stopped.
template<class All>
bool DeviceEvaluator::compile_apart(const All& all) {
  const auto waiting = [&all] {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const Planned& one) { return !is_ready(one); }));
  };
  pool_.hold(false);
  for (std::size_t count = waiting(); count > 0 && !waits_no_longer(); count = waiting()) {
    now(Activity::compiling, count);
    pool_.wait_for_more_than(pool_.finished(), stop_interval);
  }
  pool_.hold(true);
  return waiting() == 0;
}

/// Takes the first compiled configuration, once each one before it has had long enough to compile. Nothing
/// where it was stopped.
std::optional<DeviceEvaluator::Planned> DeviceEvaluator::take_next() {
  if (apart_) {
    if (!is_ready(queue_.front()) && !compile_apart(queue_)) return std::nullopt;
    Planned taken = std::move(queue_.front());
    queue_.pop_front();
    return taken;
  }
  const Stopwatch starved;
  while (true) {
    const std::uint64_t finished = pool_.finished();
    const NextInQueue next = next_in_queue(queue_, is_ready, [this](const Planned& planned) {
      return !options_.reproducible && planned.submitted.seconds() >= options_.patience;
    });
    if (next.ready) {
      Planned taken = std::move(queue_[*next.ready]);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(*next.ready));
      return taken;
    }
    if (waits_no_longer()) return std::nullopt;
    now(Activity::compiling, static_cast<std::size_t>(std::ranges::count_if(
                                 queue_, [](const Planned& one) { return !is_ready(one); })));
    if (!options_.reproducible && starved.seconds() >= starving_after && pool_.any_idle() && asked_for_more())
      continue;
    double seconds = std::min(stop_interval, starving_after);
    if (next.awaited && !options_.reproducible)
      seconds = std::clamp(options_.patience - queue_[*next.awaited].submitted.seconds(), 0.0, seconds);
    pool_.wait_for_more_than(finished, seconds);
  }
}

void DeviceEvaluator::stop_when(Stops stops) {
  backend_.runner().stop_when(stops.device);
  Evaluator::stop_when(std::move(stops));
}

std::optional<Evaluation> DeviceEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  std::optional<Planned> taken = take_next();
  if (!taken) return std::nullopt;
  std::optional<Evaluation> evaluation;
  const StopScope scope([this] { return device_is_stopped(); });
  try {
    evaluation = evaluate(*taken);
  } catch (const Error&) {
    if (!device_is_stopped()) throw;  // otherwise the reference was not finished
  }
  if (evaluation && !evaluation->outcome && evaluation->outcome.error().reason == run_ended)
    return std::nullopt;
  if (evaluation) note_times(*evaluation);
  return evaluation;
}

void DeviceEvaluator::note_times(const Evaluation& evaluation) {
  const PhaseTimes& took = evaluation.phases;
  load_.add(evaluation.from_cache ? 0 : took.compile, took.load + took.verify + took.measure);
}

bool DeviceEvaluator::any_ready() const {
  return std::ranges::any_of(queue_, is_ready);
}

std::optional<std::size_t> DeviceEvaluator::in_flight() const {
  return options_.reproducible || apart_ ? std::nullopt : load_.in_flight(threads_);
}

std::optional<Evaluation> DeviceEvaluator::evaluate(Planned& planned) {
  Evaluation evaluation;
  evaluation.configuration = std::move(planned.configuration);
  if (!planned.plan) {
    evaluation.outcome = tl::unexpected(planned.plan.error());
    return evaluation;
  }
  const Result<Binary> binary = planned.binary.get();
  if (!binary) {
    evaluation.outcome = tl::unexpected(binary.error());
    return evaluation;
  }
  evaluate_binary(planned, *binary, evaluation);
  return evaluation;
}

std::string compiler_notice(const Binary& binary) {
  return binary.chosen_because.empty() ? ""
                                       : format("compiled by {}: {}", binary.compiler, binary.chosen_because);
}

/// Programs beside this one disturb kernels of the processor. The candidate with the most turns tells by how
/// much.
std::string DeviceEvaluator::noise_text() const {
  const auto most =
      std::ranges::max_element(top_k_, {}, [](const RerankCandidate& one) { return one.turns.size(); });
  if (!apart_ || most == top_k_.end() || most->turns.size() < fewest_turns_of_noise) return {};
  std::vector<double> sorted = most->turns;
  std::ranges::sort(sorted);
  const double low = sorted[sorted.size() / 4], high = sorted[sorted.size() - 1 - sorted.size() / 4];
  if (high - low <= tolerable_noise * median(sorted)) return {};
  return format(
      "this machine is too noisy to rank what differs by less than {:.0f} %: half of the turns of one configuration took "
      "{} to {}: close other programs, and keep clocks fixed",
      100 * (high - low) / median(sorted), si(low, "s"), si(high, "s"));
}

std::string DeviceEvaluator::notice() const {
  std::string all = compiler_notice_;
  const auto add = [&all](const std::string& line) {
    if (!line.empty()) all += (all.empty() ? "" : "; ") + line;
  };
  add(verification_.notice());
  if (compiled_) add(to_text(effects_.without_effect(), *compiled_));
  add(noise_text());
  return all;
}

void DeviceEvaluator::evaluate_binary(const Planned& planned, const Binary& binary, Evaluation& evaluation) {
  if (std::string line = compiler_notice(binary); !line.empty()) compiler_notice_ = std::move(line);
  const std::string code = executed_code(*planned.plan, binary);
  if (find_description(&problem_) != nullptr) {
    effects_.add(evaluation.configuration, code);
    if (!compiled_) compiled_ = planned.plan->compile;
  }
  const auto same = by_code_.find(code);
  if (same != by_code_.end()) {
    const Configuration configuration = evaluation.configuration;
    evaluation = same->second;
    evaluation.configuration = configuration;
    evaluation.same_code = true;
    evaluation.phases = {};
  } else {
    evaluation.binary_hash = binary.hash;
    evaluation.resources = compiled_resources(binary);
    const double computing = verification_.reference_seconds();
    evaluation.outcome = carry_out(planned, binary, evaluation);
    if (was_killed(evaluation.outcome)) evaluation.outcome = carry_out(planned, binary, evaluation);
    evaluation.phases.reference = verification_.reference_seconds() - computing;
    // What may not come again is no answer for others.
    if (evaluation.outcome || recurrence_of(evaluation.outcome.error()) == Recurrence::certain)
      by_code_.emplace(code, evaluation);
    if (evaluation.outcome && !evaluation.outcome->samples.empty())
      fastest_ = std::min(fastest_.value_or(evaluation.outcome->time()), evaluation.outcome->time());
  }
  evaluation.phases.compile = binary.compile_seconds;
  evaluation.from_cache = binary.cached;
}

Result<Measurement> DeviceEvaluator::carry_out(const Planned& planned, const Binary& binary,
                                               Evaluation& evaluation) {
  const LaunchPlan& plan = *planned.plan;
  // A configuration that cannot run at the size itself fails before any launch, the small checks included.
  now(Activity::checking);
  const Stopwatch loading;
  const Result<std::vector<KernelResources>> resources = backend_.runner().check_resources(plan, binary);
  evaluation.phases.load = loading.seconds();
  if (!resources) return tl::unexpected(resources.error());
  evaluation.resources = tightest(*resources);
  const Stopwatch verifying;
  const double computing = verification_.reference_seconds();
  const auto compiled = [&](const CompileRequest& request) {
    const auto ahead = planned.checks.find(content_of(request));
    return ahead == planned.checks.end() ? backend_.compiler().compile(request) : ahead->second.get();
  };
  const Result<CheckedError> small =
      verification_.check_at(problem_.check_instances(instance_, evaluation.configuration),
                             evaluation.configuration, plan, binary, compiled);
  evaluation.phases.verify = verifying.seconds() - (verification_.reference_seconds() - computing);
  if (!small) return tl::unexpected(small.error());
  if (const auto failure = hopeless(small->runs, plan, *resources)) return tl::unexpected(*failure);
  Result<Measurement> measurement = check_and_measure(plan, binary, evaluation);
  if (measurement) measurement->error = std::max(measurement->error, small->largest);
  return measurement;
}

/// Returns the failure of a configuration whose small runs took so long that it cannot become the fastest: at
/// the size itself a single execution may take seconds.
std::optional<Failure> DeviceEvaluator::hopeless(std::span<const SmallRun> small, const LaunchPlan& plan,
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

Result<Measurement> DeviceEvaluator::check_and_measure(const LaunchPlan& plan, const Binary& binary,
                                                       Evaluation& evaluation) {
  const ReferenceData& expected = at_size(evaluation.configuration, check_seeds[0]);
  now(Activity::checking);
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
  now(Activity::measuring);
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
  now(Activity::checking);
  const Stopwatch again;
  const Result<double> after = check_after_timing(**prepared, plan, expected);
  evaluation.phases.verify += again.seconds();
  if (!after) return tl::unexpected(after.error());
  return measurement;
}

void DeviceEvaluator::begin_rerank(std::span<const Configuration> top_k) {
  top_k_.clear();
  for (const Configuration& configuration : top_k) top_k_.push_back({plan(configuration)});
}

Result<Timing> DeviceEvaluator::time_candidate(std::size_t index) {
  RerankCandidate& candidate = top_k_.at(index);
  const auto all =
      std::views::transform(top_k_, [](const RerankCandidate& one) -> const Planned& { return one.planned; });
  if (apart_ && !std::ranges::all_of(all, is_ready) && !compile_apart(all))
    return fail(Phase::crash, std::string(run_ended), "while it compiled");
  const Result<LaunchPlan>& plan = candidate.planned.plan;
  if (!plan) return tl::unexpected(plan.error());
  while (!candidate.binary) {
    if (candidate.planned.binary.wait_for(std::chrono::duration<double>(stop_interval)) ==
        std::future_status::ready)
      candidate.binary = candidate.planned.binary.get();
    else if (waits_no_longer())
      return fail(Phase::crash, std::string(run_ended), "while it compiled");
  }
  const Result<Binary>& binary = *candidate.binary;
  if (!binary) return tl::unexpected(binary.error());
  const StopScope scope([this] { return device_is_stopped(); });
  try {
    return take_turns(candidate, *plan, *binary);
  } catch (const Stopped& stopped) {
    return fail(Phase::crash, std::string(run_ended), stopped.what());
  }
}

/// Takes a turn, and after a crash another.
Result<Timing> DeviceEvaluator::take_turns(RerankCandidate& candidate, const LaunchPlan& plan,
                                           const Binary& binary) {
  Result<Timing> timing = take_turn(candidate, plan, binary);
  if (!timing && timing.error().phase == Phase::crash && timing.error().reason != run_ended)
    timing = take_turn(candidate, plan, binary);
  return timing;
}

/// Fills the buffers again in each turn, so that the configuration is not timed in the state that the last
/// one left.
Result<Timing> DeviceEvaluator::take_turn(RerankCandidate& candidate, const LaunchPlan& plan,
                                          const Binary& binary) {
  // The configuration has not seen these inputs at this size.
  const ReferenceData& expected = at_size(candidate.planned.configuration, check_seeds[1]);
  const auto prepared = backend_.runner().prepare(plan, binary);
  if (!prepared) return tl::unexpected(prepared.error());
  MeasureOptions measure_options = options_.measure;
  if (candidate.checked) {
    const Result<double> ran = (*prepared)->run_checked(views_of(expected.inputs));
    if (!ran) return tl::unexpected(ran.error());
    measure_options.checked_seconds = *ran;
  } else {
    const Result<CheckedRun> checked = check(**prepared, plan, expected);
    if (!checked) return tl::unexpected(checked.error());
    measure_options.checked_seconds = checked->seconds;
  }
  candidate.checked = true;
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
  candidate.turns.push_back(median(timing->samples));
  return timing;
}

}  // namespace tune
