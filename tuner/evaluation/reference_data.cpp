// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
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
/// 0 where nearly all are.
double median_of(std::span<const double> values) {
  constexpr std::size_t sampled = 1 << 16, least = 512;
  // An odd number of elements apart, so that the sample is no plane of the array.
  const std::size_t step = values.size() <= sampled ? 1 : values.size() / sampled * 2 + 1;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < std::min(sampled, values.size()); ++i)
    if (const double value = values[i * step % values.size()]; value != 0) sizes.push_back(std::abs(value));
  if (sizes.size() < least) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

/// Returns the median of the values, or the largest of the last plane where this is smaller. Nothing for a
/// few values, which may happen to be small.
std::optional<double> usual_size(const HostTensor& tensor) {
  constexpr std::size_t few = 512, few_in_plane = 32;
  const auto values = tensor.as<double>();
  if (values.size() < few) return std::nullopt;
  const std::size_t plane = values.size() / tensor.extents().back();
  double largest = 0;
  for (const double value : values.last(plane)) largest = std::max(largest, std::abs(value));
  const double median = median_of(values);
  return plane < few_in_plane ? median : std::min(median, largest);
}

}  // namespace

std::string too_wide(const Tolerance& tolerance, const ReferenceData& reference_data) {
  if (tolerance.cure.empty()) return {};
  for (const auto& [name, size] : reference_data.sizes)
    if (const double allowed = tolerance.of(name).absolute; !(allowed <= size))
      return format(
          "rounding may change '{}' by {:.3g}, and half of its values, or its last plane, are below {:.3g}, so "
          "that a wrong kernel could pass: {}",
          name, allowed, size, tolerance.cure);
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
      if (const std::optional<double> size = usual_size(tensor)) computed.sizes.emplace(name, *size);
  if (const std::string reason = too_wide(computed.tolerance, computed); !reason.empty())
    throw UsageError(format("{} {}: {}", problem_.info().name, instance.key(), reason));
  return std::make_shared<const ReferenceData>(std::move(computed));
}

}  // namespace tune
