// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/command_evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/measurement/stopping_rule.hpp"

namespace tune {
namespace {

constexpr std::size_t kept_builds = 32;
/// Seconds that the samples of a configuration whose executions are long should take at most.
constexpr double seconds_for_samples = 10;
constexpr int fewest_samples = 3;
constexpr double seconds_of_turn = 0.2;  ///< of a re-ranking
constexpr int most_in_turn = 10;
/// The state that another configuration left no longer matters to so long an execution, in seconds.
constexpr double independent_execution = 1;

/// Identifies what a build makes.
std::string key_of(const CommandPlan& plan) {
  std::string key;
  const auto add = [&key](const std::string& word) { key += std::to_string(word.size()) + ":" + word; };
  for (const std::string& word : plan.build) add(word);
  if (plan.build.empty()) return key;
  for (const auto& [name, value] : plan.environment) {
    add(name);
    add(value);
  }
  return key;
}

/// Executions that take seconds are repeated less often, unless the user chose the number.
MeasureOptions fitting(MeasureOptions measure, double seconds) {
  const MeasureOptions usual;
  if (measure.min_samples != usual.min_samples || measure.max_samples != usual.max_samples) return measure;
  const double fit = std::floor(seconds_for_samples / std::max(seconds, 1e-9));
  measure.min_samples =
      static_cast<int>(std::clamp(fit, double{fewest_samples}, static_cast<double>(measure.min_samples)));
  return measure;
}

bool is_stopped(const Failure& failure) {
  return failure.reason == run_ended;
}

}  // namespace

CommandEvaluator::CommandEvaluator(const HasCommand& problem, Instance instance,
                                   CommandEvaluatorOptions options)
    : problem_(problem), instance_(std::move(instance)), options_(std::move(options)) {
  options_.jobs = std::max(1U, options_.jobs);
}

CommandEvaluator::Planned CommandEvaluator::planned(const Configuration& configuration) {
  Planned made{configuration, problem_.command(instance_, configuration), nullptr};
  side_by_side_ = side_by_side_ || (!made.plan.build.empty() && !made.plan.files.empty());
  const std::string key = key_of(made.plan);
  const auto known = std::ranges::find(builds_, key, [](const auto& one) { return one->key; });
  if (known != builds_.end()) {
    made.build = *known;
    return made;
  }
  made.build = std::make_shared<Build>(Build{key, made.plan});
  builds_.push_back(made.build);
  if (builds_.size() > kept_builds) builds_.pop_front();
  return made;
}

void CommandEvaluator::submit(Configuration configuration) {
  queue_.push_back(planned(configuration));
}

void CommandEvaluator::build(Build& one, const std::function<bool()>& stop) const {
  const Stopwatch building;
  Result<void> outcome;
  if (!one.plan.files.empty()) {
    one.copy = std::make_unique<ScratchFolder>("tune-command-");
    outcome = host::copy_files(one.plan, one.folder());
  }
  if (outcome && !one.plan.build.empty())
    outcome = host::build(one.plan, one.folder(), {options_.build_timeout, stop});
  one.seconds = building.seconds();
  one.outcome = std::move(outcome);
}

/// Builds what `first` needs, and beside it what waits in the queue. False where it was stopped.
bool CommandEvaluator::build_all(const Planned& first) {
  const bool in_place = first.plan.files.empty();
  if (in_place) {
    // The folder holds one build at a time.
    if (first.build->outcome && (first.plan.build.empty() || in_place_ == first.build->key)) return true;
    in_place_ = first.build->key;
    first.build->outcome.reset();
    first.build->counted = false;
  }
  if (first.build->outcome) return true;
  std::vector<std::shared_ptr<Build>> waiting = {first.build};
  for (const Planned& one : queue_)
    if (!in_place && !one.build->outcome && std::ranges::find(waiting, one.build) == waiting.end())
      waiting.push_back(one.build);
  if (!first.plan.build.empty()) now(Activity::compiling, waiting.size());
  std::atomic<std::size_t> taken = 0, running = 0;
  std::atomic<bool> stop = false;
  std::exception_ptr error;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    running = std::min<std::size_t>(options_.jobs, waiting.size());
    const std::size_t count = running;
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&] {
        try {
          for (std::size_t one = taken++; one < waiting.size() && !stop; one = taken++)
            build(*waiting[one], [&stop] { return stop.load(); });
        } catch (...) {
          const std::lock_guard lock(mutex);
          error = std::current_exception();
        }
        --running;
      });
    while (running > 0) {
      if (waits_no_longer()) stop = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  if (error) std::rethrow_exception(error);
  for (const auto& one : waiting)  // what was stopped is not built
    if (one->outcome && !*one->outcome && is_stopped(one->outcome->error())) one->outcome.reset();
  return first.build->outcome.has_value();
}

host::StepLimits CommandEvaluator::limits() const {
  return {options_.timeout, [this] { return device_is_stopped(); }};
}

/// Runs the command and checks its result.
Result<host::Execution> CommandEvaluator::checked(const Planned& planned, double& difference,
                                                  PhaseTimes& phases) {
  now(Activity::checking);
  const Stopwatch verifying;
  Result<host::Execution> execution = host::execute(planned.plan, planned.build->folder(), limits());
  if (execution) {
    const Result<double> right = host::check(planned.plan, planned.build->folder(), *execution, limits());
    if (right)
      difference = std::max(difference, *right);
    else
      execution = tl::unexpected(right.error());
  }
  phases.verify += verifying.seconds();
  return execution;
}

Result<Timing> CommandEvaluator::take_samples(const Planned& planned, const MeasureOptions& measure,
                                              host::Execution& last, std::optional<double> first) {
  StoppingRule rule(measure);
  Timing timing;
  std::vector<std::pair<std::string, std::vector<double>>> metrics;  // in the order of an execution
  std::optional<StopReason> stop;
  const Stopwatch measuring;
  const auto take = [&](const host::Execution& execution) {
    timing.samples.push_back(execution.seconds);
    for (const auto& [name, value] : execution.metrics) {
      const auto known =
          std::ranges::find_if(metrics, [&name](const auto& one) { return one.first == name; });
      (known == metrics.end() ? metrics.emplace_back(name, std::vector<double>()) : *known)
          .second.push_back(value);
    }
    rule.add(objective_value({planned.configuration, {}, execution.seconds, 0, &execution.metrics},
                             options_.objective)
                 .value_or(execution.seconds));
    stop = rule.decision(measuring.seconds());
  };
  if (first) take(last);
  while (!stop) {
    Result<host::Execution> execution = host::execute(planned.plan, planned.build->folder(), limits());
    if (!execution) return tl::unexpected(std::move(execution.error()));
    take(*execution);
    last = std::move(*execution);
  }
  timing.stop = *stop;
  for (auto& [name, values] : metrics) timing.metrics.emplace_back(name, median(std::move(values)));
  timing.machine = host::machine_state();
  return timing;
}

Result<Measurement> CommandEvaluator::carry_out(Planned& planned, PhaseTimes& phases) {
  double difference = 0;
  Result<host::Execution> execution = checked(planned, difference, phases);
  for (int more = 1; execution && more < planned.plan.warmup; ++more)
    execution = host::execute(planned.plan, planned.build->folder(), limits());
  if (!execution) return tl::unexpected(std::move(execution.error()));
  now(Activity::measuring);
  const Stopwatch measuring;
  MeasureOptions measure = fitting(options_.measure, execution->whole_seconds);
  const bool by_time = options_.objective == Objective::time;
  if (options_.race && by_time) measure.incumbent_seconds = fastest_;
  // An execution that is far slower than the fastest need not be repeated.
  const double seconds = execution->seconds;
  const bool counts =
      planned.plan.warmup == 0 || StoppingRule(measure).far_slower_than_incumbent({&seconds, 1});
  Result<Timing> timing =
      take_samples(planned, measure, *execution, counts ? std::optional(seconds) : std::nullopt);
  phases.measure += measuring.seconds();
  if (!timing) return tl::unexpected(std::move(timing.error()));
  if (timing->stop != StopReason::pruned) {
    const Result<double> after = host::check(planned.plan, planned.build->folder(), *execution, limits());
    if (!after) return tl::unexpected(after.error());
    difference = std::max(difference, *after);
  }
  Measurement measurement;
  static_cast<Timing&>(measurement) = std::move(*timing);
  measurement.error = difference;
  if (const auto& expected = planned.plan.expected)
    measurement.tolerance = std::max(expected->absolute, expected->relative);
  if (by_time) fastest_ = std::min(fastest_.value_or(measurement.time()), measurement.time());
  return measurement;
}

std::optional<Evaluation> CommandEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  Planned planned = std::move(queue_.front());
  queue_.pop_front();
  Evaluation evaluation;
  evaluation.configuration = planned.configuration;
  if (!build_all(planned)) return std::nullopt;
  Build& build = *planned.build;
  evaluation.from_cache = !planned.plan.build.empty() && build.counted;
  if (!std::exchange(build.counted, true)) evaluation.phases.compile = build.seconds;
  if (!*build.outcome) {
    evaluation.outcome = tl::unexpected(build.outcome->error());
    // It may be the machine's fault: another configuration does not get this answer.
    if (recurrence_of(build.outcome->error()) != Recurrence::certain) build.outcome.reset();
  } else {
    evaluation.outcome = carry_out(planned, evaluation.phases);
    if (!evaluation.outcome && evaluation.outcome.error().phase == Phase::crash &&
        !is_stopped(evaluation.outcome.error())) {
      evaluation.outcome = carry_out(planned, evaluation.phases);
      evaluation.attempts = evaluation.outcome ? 1 : 2;
    }
  }
  if (!evaluation.outcome && is_stopped(evaluation.outcome.error())) return std::nullopt;
  return evaluation;
}

void CommandEvaluator::begin_rerank(std::span<const Configuration> top_k) {
  top_k_.clear();
  for (const Configuration& configuration : top_k) top_k_.push_back(planned(configuration));
}

Result<Timing> CommandEvaluator::time_candidate(std::size_t index) {
  Planned& candidate = top_k_.at(index);
  const auto stopped = fail(Phase::crash, std::string(run_ended), "while it was built");
  if (!build_all(candidate)) return stopped;
  if (!*candidate.build->outcome) return tl::unexpected(candidate.build->outcome->error());
  double difference = 0;
  PhaseTimes phases;
  // Once each turn, so that none is timed in the state that another configuration left.
  Result<host::Execution> execution = checked(candidate, difference, phases);
  if (!execution) return tl::unexpected(std::move(execution.error()));
  MeasureOptions measure = options_.measure;
  measure.incumbent_seconds.reset();
  const double fit = std::floor(seconds_of_turn / std::max(execution->whole_seconds, 1e-9));
  measure.min_samples = measure.max_samples = static_cast<int>(
      std::clamp(fit, 1.0, static_cast<double>(std::min(most_in_turn, measure.max_samples))));
  now(Activity::measuring);
  const bool counts = execution->whole_seconds >= independent_execution;
  Result<Timing> timing =
      take_samples(candidate, measure, *execution, counts ? std::optional(execution->seconds) : std::nullopt);
  if (!timing || counts) return timing;  // its only execution was checked
  const Result<double> after = host::check(candidate.plan, candidate.build->folder(), *execution, limits());
  if (!after) return tl::unexpected(after.error());
  return timing;
}

}  // namespace tune
