// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/reference_data.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {

namespace {

double largest_of(const HostTensor& tensor) {
  double largest = 0;
  for (const double value : tensor.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

void apply_relative(Tolerance& tolerance, const TensorSet& reference) {
  double largest = 0;
  if (tolerance.relative != 0)
    for (const auto& [name, tensor] : reference) largest = std::max(largest, largest_of(tensor));
  tolerance.absolute += tolerance.relative * largest;
  tolerance.relative = 0;
  for (auto& [name, bounds] : tolerance.buffers) {
    const auto known = reference.find(name);
    if (bounds.relative == 0 || known == reference.end()) continue;
    bounds.absolute += bounds.relative * largest_of(known->second);
    bounds.relative = 0;
  }
}

double widest(const Tolerance& tolerance) {
  double max = tolerance.absolute;
  for (const auto& [name, bounds] : tolerance.buffers) max = std::max(max, bounds.absolute);
  return max;
}

const ReferenceData& ReferenceCache::at(const Instance& instance, std::uint64_t seed) {
  const std::pair key(instance.key(), seed);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const Stopwatch computing;
  ReferenceData computed;
  computed.inputs = problem_.inputs(instance, seed);
  TensorSet planned;
  if (run_) planned = run_(instance, computed.inputs);
  if (planned.empty() || !problem_.plan_replaces_reference(instance))
    computed.reference = problem_.reference(instance, computed.inputs);
  for (auto& [name, tensor] : planned) computed.reference.try_emplace(name, std::move(tensor));
  computed.tolerance = problem_.tolerance(instance);
  apply_relative(computed.tolerance, computed.reference);
  seconds_ += computing.seconds();
  return known_.emplace(key, std::move(computed)).first->second;
}

namespace {

Result<TensorSet> outputs_of(const LaunchPlan& plan, const TensorSet& inputs, Backend& backend) {
  const Result<Binary> binary = backend.compiler().compile(plan.compile);
  if (!binary) return tl::unexpected(binary.error());
  const auto prepared = backend.runner().prepare(plan, *binary);
  if (!prepared) return tl::unexpected(prepared.error());
  if (const Result<void> ran = (*prepared)->run_checked(views_of(inputs)); !ran)
    return tl::unexpected(ran.error());
  if (const Result<void> memory = (*prepared)->check_memory(); !memory) return tl::unexpected(memory.error());
  TensorSet outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output) continue;
    const Result<TensorView> output = (*prepared)->fetch(buffer.name);
    if (!output) return tl::unexpected(output.error());
    outputs.emplace(buffer.name, in_double(*output));
  }
  return outputs;
}

}  // namespace

TensorSet run_reference(const Problem& problem, const Instance& instance, const TensorSet& inputs,
                        Backend& backend, const KernelSources& sources) {
  const std::optional<Result<LaunchPlan>> plan = problem.reference_plan(instance, sources);
  if (!plan) return {};
  Result<TensorSet> outputs = *plan ? outputs_of(**plan, inputs, backend) : tl::unexpected((*plan).error());
  if (outputs) return std::move(*outputs);
  if (problem.plan_replaces_reference(instance)) return {};
  throw Error(format("the reference of {} {} cannot be computed: {}: {}", problem.info().name, instance.key(),
                     outputs.error().reason, outputs.error().detail));
}

const Tolerance& tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data) {
  return plan.tolerance ? *plan.tolerance : reference_data.tolerance;
}

Result<double> check(PreparedPlan& prepared, const LaunchPlan& plan, const ReferenceData& reference_data) {
  const Result<void> ran = prepared.run_checked(views_of(reference_data.inputs));
  if (!ran) return tl::unexpected(ran.error());
  // A kernel that writes where it must not may spoil anything, the outputs too: that is the cause to name.
  const Result<void> memory = prepared.check_memory();
  if (!memory) return tl::unexpected(memory.error());
  const Tolerance& tolerance = tolerance_of(plan, reference_data);
  double worst = 0;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output) continue;
    const Bounds bounds = tolerance.of(buffer.name);
    const Result<Comparison> comparison =
        prepared.compare(buffer.name, view_of(reference_data.reference.at(buffer.name)), bounds);
    if (!comparison) return tl::unexpected(comparison.error());
    if (!is_right(*comparison, bounds))
      return tl::unexpected(wrong_result(*comparison, buffer.layout.extents, bounds, buffer.name));
    worst = std::max(worst, comparison->worst_error);
  }
  return worst;
}

}  // namespace tune
