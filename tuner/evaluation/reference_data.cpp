// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/reference_data.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

double largest_of(const HostTensor& tensor) {
  double largest = 0;
  for (const double value : tensor.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Replaces relative tolerances by the share of the references' largest value. `computed` counts where
/// `reference` lacks an output.
void apply_relative(Tolerance& tolerance, const TensorSet& reference, const TensorSet& computed = {}) {
  double largest = 0;
  if (tolerance.relative != 0) {
    for (const auto& [name, tensor] : reference) largest = std::max(largest, largest_of(tensor));
    for (const auto& [name, tensor] : computed)
      if (!reference.contains(name)) largest = std::max(largest, largest_of(tensor));
  }
  tolerance.absolute += tolerance.relative * largest;
  tolerance.relative = 0;
  for (auto& [name, bounds] : tolerance.buffers) {
    if (bounds.relative == 0) continue;
    const TensorSet& known = reference.contains(name) ? reference : computed;
    const auto found = known.find(name);
    if (found == known.end()) continue;
    bounds.absolute += bounds.relative * largest_of(found->second);
    bounds.relative = 0;
  }
}

}  // namespace

Tolerance tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data,
                       const TensorSet& computed) {
  Tolerance tolerance = plan.tolerance ? *plan.tolerance : reference_data.tolerance;
  apply_relative(tolerance, reference_data.reference, computed);
  return tolerance;
}

double widest(const Tolerance& tolerance) {
  double max = tolerance.absolute;
  for (const auto& [name, bounds] : tolerance.buffers) max = std::max(max, bounds.absolute);
  return max;
}

std::size_t ReferenceData::bytes() const {
  std::size_t sum = 0;
  for (const TensorSet* set : {&inputs, &reference})
    for (const auto& [name, tensor] : *set) sum += tensor.bytes().size();
  return sum;
}

std::shared_ptr<const ReferenceData> ReferenceCache::at(const Instance& instance, std::uint64_t seed) {
  std::string key = instance.key();
  const auto found = std::ranges::find_if(
      known_, [&](const Entry& entry) { return entry.seed == seed && entry.instance == key; });
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return found->data;
  }
  const Stopwatch computing;
  auto computed = compute(instance, seed);
  seconds_ += computing.seconds();
  if (computed->bytes() > max_bytes_) return computed;
  bytes_ += computed->bytes();
  known_.push_front({std::move(key), seed, computed});
  while (bytes_ > max_bytes_) {
    bytes_ -= known_.back().data->bytes();
    known_.pop_back();
  }
  return computed;
}

std::shared_ptr<const ReferenceData> ReferenceCache::compute(const Instance& instance,
                                                             std::uint64_t seed) const {
  ReferenceData computed;
  computed.inputs = problem_.inputs(instance, seed);
  TensorSet planned;
  if (run_) planned = run_(instance, computed.inputs);
  if (planned.empty() || !problem_.plan_replaces_reference(instance))
    computed.reference = problem_.reference(instance, computed.inputs);
  for (auto& [name, tensor] : planned) computed.reference.try_emplace(name, std::move(tensor));
  computed.tolerance = problem_.tolerance(instance);
  if (run_) apply_relative(computed.tolerance, computed.reference);
  return std::make_shared<const ReferenceData>(std::move(computed));
}

}  // namespace tune
