// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/device_evaluator.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/core/content_hash.hpp"
#include "tuner/core/format.hpp"
#include "tuner/core/parallel.hpp"
#include "tuner/core/stopwatch.hpp"

namespace tune {
namespace {

/// Seeds of the inputs: every configuration is checked with both at odd sizes and with the first at the size
/// itself, finalists with the second there too. A kernel that is right for one input by luck is not for two.
constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t second_seed = 2;

/// The launch that says most about a pipeline: the one with the fewest resident threads.
std::optional<KernelResources> tightest(const std::vector<KernelResources>& all) {
  const auto found = std::ranges::min_element(all, {}, &KernelResources::occupancy);
  if (found == all.end()) return std::nullopt;
  return *found;
}

/// Before loading, only the compiler's figures are known.
std::optional<KernelResources> compiled_resources(const Binary& binary) {
  if (binary.resources.empty()) return std::nullopt;
  return binary.resources.begin()->second;
}

/// Somebody ended the process that ran the kernel: not the configuration's fault, at least not the first
/// time.
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
      threads_(options.compile_threads > 0 ? options.compile_threads : host_threads()),
      expectations_(problem),
      pool_(backend.compiler(), threads_) {}

std::size_t DeviceEvaluator::window() const {
  return 2 * std::size_t{threads_};
}

void DeviceEvaluator::submit(Configuration configuration) {
  Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  Planned planned{std::move(configuration), std::move(plan)};
  if (planned.plan) planned.binary = pool_.submit(planned.plan->compile);
  queue_.push_back(std::move(planned));
}

void DeviceEvaluator::drop() {
  pool_.clear();
  queue_.clear();
}

void DeviceEvaluator::learn(const Evaluation& evaluation) {
  if (!evaluation.outcome || evaluation.outcome->samples.empty()) return;
  const double time = evaluation.outcome->time();
  if (!fastest_ || time < *fastest_) fastest_ = time;
}

std::optional<Evaluation> DeviceEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("nothing was submitted");
  Planned planned = std::move(queue_.front());
  queue_.pop_front();
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
  evaluate_binary(*planned.plan, *binary, evaluation);
  return evaluation;
}

void DeviceEvaluator::evaluate_binary(const LaunchPlan& plan, const Binary& binary, Evaluation& evaluation) {
  const std::string code = content_hash(binary.hash + "\n" + launches_of(plan));
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
    const double computing = expectations_.seconds();
    evaluation.outcome = carry_out(plan, binary, evaluation);
    if (was_killed(evaluation.outcome)) evaluation.outcome = carry_out(plan, binary, evaluation);
    evaluation.phases.reference = expectations_.seconds() - computing;
    by_code_.emplace(code, evaluation);
    learn(evaluation);
  }
  evaluation.phases.compile = binary.compile_seconds;
  evaluation.from_cache = binary.cached;
}

Result<Measurement> DeviceEvaluator::carry_out(const LaunchPlan& plan, const Binary& binary,
                                               Evaluation& evaluation) {
  {
    // What cannot run at the size itself is found out before anything is launched, the small checks included.
    const Stopwatch loading;
    const auto probe = backend_.runner().prepare(plan, binary);
    evaluation.phases.load = loading.seconds();
    if (!probe) return tl::unexpected(probe.error());
    evaluation.resources = tightest((*probe)->resources());
  }
  const Stopwatch verifying;
  const double computing = expectations_.seconds();
  const Result<double> small = check_small(evaluation.configuration, plan, binary);
  evaluation.phases.verify = verifying.seconds() - (expectations_.seconds() - computing);
  if (!small) return tl::unexpected(small.error());
  Result<Measurement> measurement = check_and_measure(plan, binary, evaluation);
  if (measurement) measurement->error = std::max(measurement->error, *small);
  return measurement;
}

Result<Measurement> DeviceEvaluator::check_and_measure(const LaunchPlan& plan, const Binary& binary,
                                                       Evaluation& evaluation) {
  const Expectation& expected = expectations_.at(instance_, first_seed);
  const Stopwatch verifying;
  const auto prepared = backend_.runner().prepare(plan, binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<double> error = check(**prepared, plan, expected);
  evaluation.phases.verify += verifying.seconds();
  if (!error) return tl::unexpected(error.error());

  Measurement measurement;
  measurement.error = *error;
  measurement.tolerance = expected.tolerance.absolute;
  if (!options_.measure_time) return measurement;
  const Stopwatch measuring;
  MeasureOptions how = options_.measure;
  if (options_.race) how.to_beat = fastest_;
  Result<Timing> timing = (*prepared)->measure(how);
  evaluation.phases.measure = measuring.seconds();
  if (!timing) return tl::unexpected(timing.error());
  static_cast<Timing&>(measurement) = std::move(*timing);
  return measurement;
}

Result<double> DeviceEvaluator::check_small(const Configuration& configuration, const LaunchPlan& plan,
                                            const Binary& binary) {
  double worst = 0;
  for (const Instance& instance : problem_.check_instances(instance_, configuration)) {
    const Result<LaunchPlan> small = problem_.plan(instance, configuration, sources_);
    if (!small) return tl::unexpected(small.error());
    Result<Binary> other = fail(Phase::compile, "not compiled");
    const bool same = content_of(small->compile) == content_of(plan.compile);
    if (!same) other = backend_.compiler().compile(small->compile);
    if (!same && !other) return tl::unexpected(other.error());
    const auto prepared = backend_.runner().prepare(*small, same ? binary : *other);
    if (!prepared) return tl::unexpected(prepared.error());
    for (const std::uint64_t seed : {first_seed, second_seed}) {
      const Result<double> error = check(**prepared, *small, expectations_.at(instance, seed));
      if (!error) {
        Failure failure = error.error();
        failure.detail = format("at {}: {}", instance.key(), failure.detail);
        return tl::unexpected(std::move(failure));
      }
      worst = std::max(worst, *error);
    }
  }
  return worst;
}

struct DeviceEvaluator::Finalist {
  const Configuration& configuration;
  Result<LaunchPlan> plan = fail(Phase::launch, "not planned");
  Result<Binary> binary = fail(Phase::compile, "not compiled");
};

/// Plans, compiles and checks with inputs that the configuration has not seen at this size.
Result<void> DeviceEvaluator::ready(Finalist& finalist) {
  finalist.plan = problem_.plan(instance_, finalist.configuration, sources_);
  if (!finalist.plan) return tl::unexpected(finalist.plan.error());
  finalist.binary = backend_.compiler().compile(finalist.plan->compile);
  if (!finalist.binary) return tl::unexpected(finalist.binary.error());
  const auto prepared = backend_.runner().prepare(*finalist.plan, *finalist.binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<double> error = check(**prepared, *finalist.plan, expectations_.at(instance_, second_seed));
  if (!error) return tl::unexpected(error.error());
  return {};
}

/// The median of a few samples: one round of one finalist.
Result<double> DeviceEvaluator::time_once(const Finalist& finalist) {
  const auto prepared = backend_.runner().prepare(*finalist.plan, *finalist.binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<void> ran =
      (*prepared)->run_checked(views_of(expectations_.at(instance_, second_seed).inputs));
  if (!ran) return tl::unexpected(ran.error());
  MeasureOptions how = options_.measure;
  how.warmup = 1;
  how.least_samples = how.most_samples = 3;
  const Result<Timing> timing = (*prepared)->measure(how);
  if (!timing) return tl::unexpected(timing.error());
  return median(timing->samples);
}

std::vector<Result<std::vector<double>>> DeviceEvaluator::time_finalists(
    std::span<const Configuration> finalists, int rounds) {
  std::vector<Result<std::vector<double>>> times;
  std::vector<Finalist> all;
  for (const Configuration& configuration : finalists) {
    Finalist& finalist = all.emplace_back(Finalist{configuration});
    const Result<void> fine = ready(finalist);
    if (fine)
      times.emplace_back(std::vector<double>{});
    else
      times.emplace_back(tl::unexpected(fine.error()));
  }
  for (int round = 0; round < rounds; ++round) {
    // Every other round backwards: nobody always follows the same neighbour.
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t turn = round % 2 == 0 ? i : all.size() - 1 - i;
      if (!times[turn]) continue;
      const Result<double> time = time_once(all[turn]);
      if (time)
        times[turn]->push_back(*time);
      else
        times[turn] = tl::unexpected(time.error());
    }
  }
  return times;
}

}  // namespace tune
