// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/device_evaluator.hpp"

#include <algorithm>
#include <chrono>

#include "tuner/core/format.hpp"
#include "tuner/core/parallel.hpp"
#include "tuner/core/verifier.hpp"

namespace tune {
namespace {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

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

}  // namespace

struct DeviceEvaluator::Planned {
  Configuration configuration;
  Result<LaunchPlan> plan;
  std::future<Result<Binary>> binary;  ///< only where there is a plan
};

DeviceEvaluator::DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend,
                                 const KernelSources& sources, DeviceEvaluatorOptions options)
    : problem_(problem),
      instance_(std::move(instance)),
      backend_(backend),
      sources_(sources),
      options_(options),
      threads_(options.compile_threads > 0 ? options.compile_threads : host_threads()),
      pool_(backend.compiler(), threads_) {}

std::size_t DeviceEvaluator::preferred_batch() const {
  return 2 * std::size_t{threads_};
}

void DeviceEvaluator::evaluate(std::span<const Configuration> batch,
                               const std::function<bool(Evaluation)>& done) {
  std::vector<Planned> planned;
  for (const Configuration& configuration : batch) planned.push_back(plan_ahead(configuration));
  for (Planned& next : planned) {
    if (done(evaluate_one(std::move(next)))) continue;
    pool_.clear();
    return;
  }
}

DeviceEvaluator::Planned DeviceEvaluator::plan_ahead(const Configuration& configuration) {
  Planned planned{configuration, problem_.plan(instance_, configuration, sources_), {}};
  if (planned.plan) planned.binary = pool_.submit(planned.plan->compile);
  return planned;
}

Evaluation DeviceEvaluator::evaluate_one(Planned planned) {
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
  evaluation.phases.compile = binary->compile_seconds;
  evaluation.binary_hash = binary->hash;
  evaluation.resources = compiled_resources(*binary);
  evaluation.outcome = carry_out(evaluation.configuration, *planned.plan, *binary, evaluation);
  return evaluation;
}

Result<Measurement> DeviceEvaluator::carry_out(const Configuration& configuration, const LaunchPlan& plan,
                                               const Binary& binary, Evaluation& evaluation) {
  const Expectation& expected = expectation(instance_);  // computed before the clocks of the phases start
  const Stopwatch loading;
  {
    // What cannot run at the size itself is found out before anything is launched, the small checks included.
    const auto probe = backend_.runner().prepare(plan, binary);
    evaluation.phases.load = loading.seconds();
    if (!probe) return tl::unexpected(probe.error());
    evaluation.resources = tightest((*probe)->resources());
  }
  const Stopwatch verifying;
  const Result<double> small = check_small(configuration, plan, binary);
  if (!small) return tl::unexpected(small.error());
  const auto prepared = backend_.runner().prepare(plan, binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<double> error = check(**prepared, plan, expected);
  evaluation.phases.verify = verifying.seconds();
  if (!error) return tl::unexpected(error.error());

  Measurement measurement;
  measurement.error = std::max(*small, *error);
  measurement.tolerance = expected.tolerance.absolute;
  if (!options_.measure_time) return measurement;
  const Stopwatch measuring;
  Result<std::vector<double>> samples = (*prepared)->measure(options_.measure);
  evaluation.phases.measure = measuring.seconds();
  if (!samples) return tl::unexpected(samples.error());
  measurement.samples = std::move(*samples);
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
    const Result<double> error = check(**prepared, *small, expectation(instance));
    if (!error) {
      Failure failure = error.error();
      failure.detail = format("at {}: {}", instance.key(), failure.detail);
      return tl::unexpected(std::move(failure));
    }
    worst = std::max(worst, *error);
  }
  return worst;
}

Result<double> DeviceEvaluator::check(PreparedPlan& prepared, const LaunchPlan& plan,
                                      const Expectation& expected) {
  const Result<void> ran = prepared.run_checked(expected.inputs);
  if (!ran) return tl::unexpected(ran.error());
  double worst = 0;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output) continue;
    const Result<TensorView> output = prepared.fetch(buffer.name);
    if (!output) return tl::unexpected(output.error());
    const Comparison comparison = compare(*output, expected.reference.at(buffer.name), expected.tolerance);
    if (comparison.wrong > 0)
      return tl::unexpected(wrong_result(comparison, buffer.layout.extents, expected.tolerance, buffer.name));
    worst = std::max(worst, comparison.worst_error);
  }
  return worst;
}

const DeviceEvaluator::Expectation& DeviceEvaluator::expectation(const Instance& instance) {
  const std::string key = instance.key();
  const auto found = expectations_.find(key);
  if (found != expectations_.end()) return found->second;
  Expectation computed;
  computed.inputs = problem_.inputs(instance, options_.seed);
  computed.reference = problem_.reference(instance, computed.inputs);
  computed.tolerance = problem_.tolerance(instance);
  return expectations_.emplace(key, std::move(computed)).first->second;
}

}  // namespace tune
