// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

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

/// Returns the median of a sample of the values, but for zeros: what is zero for certain needs no tolerance.
/// A few values may happen to be small: nothing for less than 512.
std::optional<double> median_of(const HostTensor& tensor) {
  constexpr std::size_t sampled = 1 << 16, least = 512;
  const auto values = tensor.as<double>();
  // An odd number of elements apart, so that the sample is no plane of the array.
  const std::size_t step = values.size() <= sampled ? 1 : values.size() / sampled * 2 + 1;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < std::min(sampled, values.size()); ++i)
    if (const double value = values[i * step % values.size()]; value != 0) sizes.push_back(std::abs(value));
  if (sizes.size() < least) return std::nullopt;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

}  // namespace

std::string too_wide(const Tolerance& tolerance, const ReferenceData& reference_data) {
  if (tolerance.cure.empty()) return {};
  for (const auto& [name, median] : reference_data.medians)
    if (const double allowed = tolerance.of(name).absolute; !(allowed <= median))
      return format(
          "rounding may change '{}' by {:.3g}, and half of its values are below {:.3g}, so that a wrong kernel could pass: {}",
          name, allowed, median, tolerance.cure);
  return {};
}

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
  if (!computed.tolerance.cure.empty())
    for (const auto& [name, tensor] : computed.reference)
      if (const std::optional<double> median = median_of(tensor)) computed.medians.emplace(name, *median);
  if (const std::string reason = too_wide(computed.tolerance, computed); !reason.empty())
    throw UsageError(format("{} {}: {}", problem_.info().name, instance.key(), reason));
  return std::make_shared<const ReferenceData>(std::move(computed));
}

}  // namespace tune
