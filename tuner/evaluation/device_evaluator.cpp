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

constexpr std::size_t reproducible_window = 64;

/// Half of the turns of a candidate, of at least so many, that are farther apart are told.
constexpr double tolerable_noise = 0.05;
constexpr std::size_t fewest_turns_of_noise = 5;

/// Seconds after which somebody who waits for a compile looks whether the run was stopped.
constexpr double stop_interval = 0.2;

/// Returns the compiler's figures, which are all there is before loading.
std::optional<KernelResources> compiled_resources(const Binary& binary) {
  if (binary.resources.empty()) return std::nullopt;
  return binary.resources.begin()->second;
}

/// True where the run ended it: it says nothing about the configuration.
bool has_ended(const Evaluation& evaluation) {
  return !evaluation.outcome && evaluation.outcome.error().reason == run_ended;
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend,
                                 const KernelSources& sources, DeviceEvaluatorOptions options)
    : DeviceEvaluator(problem, std::move(instance), std::make_shared<DeviceTeam>(std::vector{&backend}),
                      sources, options) {}

DeviceEvaluator::DeviceEvaluator(const Problem& problem, Instance instance, std::shared_ptr<DeviceTeam> team,
                                 const KernelSources& sources, DeviceEvaluatorOptions options)
    : problem_(problem),
      instance_(std::move(instance)),
      team_(std::move(team)),
      sources_(sources),
      options_(options),
      threads_(options.compile_threads > 0 ? options.compile_threads : default_compilers()),
      apart_(team_->backend(0).properties().is_cpu()),
      pool_(team_->backend(0).compiler(), threads_),
      compared_(team_->size()),
      activities_(team_->size()) {
  if (const HasDescription* const description = find_description(&problem))
    effects_ = ParameterEffects(description->unused_parameters());
  pool_.hold(apart_);
  const auto references = std::make_shared<ReferenceCache>(problem);
  for (std::size_t device = 0; device < team_->size(); ++device)
    workers_.push_back(std::make_unique<DeviceWorker>(
        problem_, instance_, team_->backend(device), sources_, options_, references,
        [this, device](Activity activity) { note_activity(device, activity); }));
  if (has_threads()) team_->add(*this);
}

DeviceEvaluator::~DeviceEvaluator() {
  if (!has_threads()) return;
  rest([] { return true; });
  team_->remove(*this);
  team_->stop(false);
}

std::size_t DeviceEvaluator::window() const {
  if (options_.reproducible) return reproducible_window;
  return apart_ ? 2 * std::size_t{threads_} : std::max(PipelineLoad::window(threads_), 4 * team_->size());
}

DeviceEvaluator::Planned DeviceEvaluator::plan(Configuration configuration) {
  Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  Planned planned{std::move(configuration), std::move(plan)};
  if (planned.plan) planned.binary = pool_.submit(planned.plan->compile);
  return planned;
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
  Planned planned = plan(std::move(configuration));
  compile_checks(planned);
  const std::scoped_lock lock(mutex_);
  queue_.push_back(std::move(planned));
  resting_ = false;
}

void DeviceEvaluator::drop() {
  pool_.clear();
  if (has_threads()) {
    rest([this] { return device_is_stopped(); });
    for (const auto& worker : workers_) worker->release();
  }
  queue_.clear();
  finished_.clear();
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

/// The first compiled configuration, once each one before it has had long enough to compile.
NextInQueue DeviceEvaluator::next_place() const {
  return next_in_queue(queue_, is_ready, [this](const Planned& planned) {
    return !options_.reproducible && planned.submitted.seconds() >= options_.patience;
  });
}

DeviceEvaluator::Planned DeviceEvaluator::take_at(std::size_t place) {
  Planned taken = std::move(queue_[place]);
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
  return taken;
}

/// Nothing where it was stopped.
std::optional<DeviceEvaluator::Planned> DeviceEvaluator::take_next() {
  if (apart_) {
    if (!is_ready(queue_.front()) && !compile_apart(queue_)) return std::nullopt;
    return take_at(0);
  }
  const Stopwatch starved;
  while (true) {
    const std::uint64_t finished = pool_.finished();
    const NextInQueue next = next_place();
    if (next.ready) return take_at(*next.ready);
    if (waits_no_longer()) return std::nullopt;
    now(Activity::compiling, compiling());
    if (!options_.reproducible && starved.seconds() >= starving_after && pool_.any_idle() && asked_for_more())
      continue;
    double seconds = std::min(stop_interval, starving_after);
    if (next.awaited && !options_.reproducible)
      seconds = std::clamp(options_.patience - queue_[*next.awaited].submitted.seconds(), 0.0, seconds);
    pool_.wait_for_more_than(finished, seconds);
  }
}

std::size_t DeviceEvaluator::compiling() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(queue_, [](const Planned& one) { return !is_ready(one); }));
}

void DeviceEvaluator::stop_when(Stops stops) {
  if (has_threads())
    team_->stop(false);
  else
    team_->backend(0).runner().stop_when(stops.device);
  Evaluator::stop_when(std::move(stops));
}

std::optional<Evaluation> DeviceEvaluator::next() {
  if (has_threads()) return next_of_devices();
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  std::optional<Planned> taken = take_next();
  if (!taken) return std::nullopt;
  std::optional<Evaluation> evaluation;
  const StopScope scope([this] { return device_is_stopped(); });
  try {
    evaluation = evaluate(0, *taken);
  } catch (const Error&) {
    if (!device_is_stopped()) throw;  // otherwise the reference was not finished
  }
  if (evaluation && has_ended(*evaluation)) return std::nullopt;
  return evaluation;
}

void DeviceEvaluator::note_times(const Evaluation& evaluation) {
  const std::scoped_lock lock(mutex_);
  const PhaseTimes& took = evaluation.phases;
  load_.add(evaluation.from_cache ? 0 : took.compile, took.load + took.verify + took.measure);
}

bool DeviceEvaluator::any_ready() const {
  return std::ranges::any_of(queue_, is_ready);
}

std::optional<std::size_t> DeviceEvaluator::in_flight() const {
  return options_.reproducible || apart_ ? std::nullopt : load_.in_flight(threads_, team_->taking_part());
}

Result<CompiledPlan> DeviceEvaluator::compiled_plan(Planned& planned) {
  if (!planned.plan) return tl::unexpected(planned.plan.error());
  Result<Binary> binary = planned.binary.get();
  if (!binary) return tl::unexpected(binary.error());
  return CompiledPlan{planned.configuration, std::move(*planned.plan), std::move(*binary),
                      std::move(planned.checks)};
}

Evaluation DeviceEvaluator::evaluate(std::size_t device, Planned& planned) {
  Evaluation evaluation;
  evaluation.configuration = planned.configuration;
  evaluation.device = device;
  Result<CompiledPlan> compiled = compiled_plan(planned);
  if (compiled)
    evaluate_compiled(device, std::move(*compiled), evaluation);
  else
    evaluation.outcome = tl::unexpected(compiled.error());
  if (!has_ended(evaluation)) note_times(evaluation);
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
  const std::scoped_lock lock(mutex_);
  std::string all = compiler_notice_;
  const auto add = [&all](const std::string& line) {
    if (!line.empty()) all += (all.empty() ? "" : "; ") + line;
  };
  add(workers_.front()->notice());
  if (compiled_) add(to_text(effects_.without_effect(), *compiled_));
  add(noise_text());
  return all;
}

/// Takes the outcome of another configuration with the same code, where there is one.
bool DeviceEvaluator::take_known(const std::string& code, const CompiledPlan& compiled,
                                 Evaluation& evaluation) {
  const std::scoped_lock lock(mutex_);
  if (std::string line = compiler_notice(compiled.binary); !line.empty()) compiler_notice_ = std::move(line);
  if (find_description(&problem_) != nullptr) {
    effects_.add(evaluation.configuration, code);
    if (!compiled_) compiled_ = compiled.plan.compile;
  }
  const auto same = by_code_.find(code);
  if (same == by_code_.end()) return false;
  const Configuration configuration = evaluation.configuration;
  evaluation = same->second;
  evaluation.configuration = configuration;
  evaluation.same_code = true;
  evaluation.phases = {};
  return true;
}

/// Remembers the outcome. Returns whether it is the fastest.
bool DeviceEvaluator::note_outcome(const std::string& code, const Evaluation& evaluation) {
  const std::scoped_lock lock(mutex_);
  // What may not come again is no answer for others.
  if (evaluation.outcome || recurrence_of(evaluation.outcome.error()) == Recurrence::certain)
    by_code_.emplace(code, evaluation);
  if (!evaluation.outcome || evaluation.outcome->samples.empty()) return false;
  const double seconds = evaluation.outcome->time();
  if (fastest_ && seconds >= *fastest_) return false;
  fastest_ = seconds;
  return true;
}

void DeviceEvaluator::evaluate_compiled(std::size_t device, CompiledPlan compiled, Evaluation& evaluation) {
  const double compile_seconds = compiled.binary.compile_seconds;
  const bool cached = compiled.binary.cached;
  const std::string code = executed_code(compiled.plan, compiled.binary);
  if (!take_known(code, compiled, evaluation)) {
    evaluation.binary_hash = compiled.binary.hash;
    evaluation.resources = compiled_resources(compiled.binary);
    evaluation.outcome = workers_[device]->carry_out(compiled, fastest(), evaluation);
    const bool is_fastest = note_outcome(code, evaluation);
    if (has_threads()) count(device, evaluation, is_fastest ? &compiled : nullptr);
  }
  evaluation.phases.compile = compile_seconds;
  evaluation.from_cache = cached;
}

std::optional<double> DeviceEvaluator::fastest() const {
  const std::scoped_lock lock(mutex_);
  return fastest_;
}

void DeviceEvaluator::begin_rerank(std::span<const Configuration> top_k) {
  top_k_.clear();
  if (has_threads())  // which have ended: this thread uses the device
    team_->backend(team_->first()).runner().stop_when([this] { return device_is_stopped(); });
  for (const Configuration& configuration : top_k) top_k_.push_back({plan(configuration)});
}

Result<Timing> DeviceEvaluator::time_candidate(std::size_t index) {
  RerankCandidate& candidate = top_k_.at(index);
  const auto all =
      std::views::transform(top_k_, [](const RerankCandidate& one) -> const Planned& { return one.planned; });
  if (apart_ && !std::ranges::all_of(all, is_ready) && !compile_apart(all))
    return fail(Phase::crash, std::string(run_ended), "while it compiled");
  while (!candidate.compiled) {
    if (!candidate.planned.plan || candidate.planned.binary.wait_for(std::chrono::duration<double>(
                                       stop_interval)) == std::future_status::ready)
      candidate.compiled = compiled_plan(candidate.planned);
    else if (waits_no_longer())
      return fail(Phase::crash, std::string(run_ended), "while it compiled");
  }
  if (!*candidate.compiled) return tl::unexpected(candidate.compiled->error());
  const StopScope scope([this] { return device_is_stopped(); });
  try {
    return take_turns(candidate, **candidate.compiled);
  } catch (const Stopped& stopped) {
    return fail(Phase::crash, std::string(run_ended), stopped.what());
  }
}

/// Takes a turn, and after a crash another.
Result<Timing> DeviceEvaluator::take_turns(RerankCandidate& candidate, const CompiledPlan& compiled) {
  DeviceWorker& worker = *workers_[team_->first()];
  Result<Timing> timing = worker.take_turn(compiled, candidate.checked);
  if (!timing && timing.error().phase == Phase::crash && timing.error().reason != run_ended)
    timing = worker.take_turn(compiled, candidate.checked);
  if (timing) candidate.turns.push_back(median(timing->samples));
  return timing;
}

}  // namespace tune
