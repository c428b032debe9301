// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/tensor/reference_numbers.hpp"

namespace tune {
namespace {

/// Of the elements that count.
double largest_of(const HostTensor& tensor, const ElementLimits& limits) {
  return with_element(tensor.type(), [&]<class T>(T) {
    double largest = 0;
    const std::span<const T> elements = tensor.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (const auto value = static_cast<double>(elements[i]); std::isfinite(value) && limits.counts(i))
        largest = std::max(largest, std::abs(value));
    return largest;
  });
}

/// Replaces relative tolerances by the share of the references' largest value. `computed` counts where
/// `reference` lacks an output.
void apply_relative(Tolerance& tolerance, const LimitSet& limits, const TensorSet& reference,
                    const TensorSet& computed = {}) {
  double largest = 0;
  if (tolerance.relative != 0) {
    for (const auto& [name, tensor] : reference)
      largest = std::max(largest, largest_of(tensor, element_limits(limits, name)));
    for (const auto& [name, tensor] : computed)
      if (!reference.contains(name))
        largest = std::max(largest, largest_of(tensor, element_limits(limits, name)));
  }
  tolerance.absolute += tolerance.relative * largest;
  tolerance.relative = 0;
  for (auto& [name, bounds] : tolerance.buffers) {
    if (bounds.relative == 0) continue;
    const TensorSet& known = reference.contains(name) ? reference : computed;
    const auto found = known.find(name);
    if (found == known.end()) continue;
    bounds.absolute += bounds.relative * largest_of(found->second, element_limits(limits, name));
    bounds.relative = 0;
  }
}

/// Calls `use` with numbers below `count`: with all, or with so many, spread over every axis of an array.
template<class Use>
void for_sample(std::uint64_t count, std::uint64_t most, const Use& use) {
  std::uint64_t step = count <= most ? 1 : count / most * 2 + 1;
  while (std::gcd(step, count) != 1) ++step;  // each number once
  for (std::uint64_t i = 0; i < std::min(most, count); ++i) use(i * step % count);
}

/// Returns the median of limit / |value| over a sample of the values, but for zeros: what is zero for certain
/// needs no tolerance. Infinity where nearly all are.
double median_share(std::span<const double> values, const Extents& extents, const Bounds& bounds) {
  constexpr std::size_t sampled = 1 << 16, least = 512;
  std::vector<double> shares;
  for_sample(values.size(), sampled, [&](std::uint64_t index) {
    const double size = std::abs(values[index]);
    if (size > 0) shares.push_back(bounds.absolute_at(index, extents) / size);
  });
  if (shares.size() < least) return std::numeric_limits<double>::infinity();
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  return *middle;
}

/// Returns the least limit / |value| over a sample of a place along an axis, but for zeros: infinity where
/// all are. 0 for a few values, which may happen to be small.
double share_at_place(std::span<const double> values, const Extents& extents, std::size_t axis,
                      std::uint64_t place, const Bounds& bounds) {
  constexpr std::uint64_t sampled = 1 << 14, few = 32;
  const std::uint64_t extent = extents[axis], count = values.size() / extent;
  if (extent == 1 || count < few) return 0;
  std::uint64_t stride = 1;
  for (std::size_t faster = 0; faster < axis; ++faster) stride *= extents[faster];
  double least = std::numeric_limits<double>::infinity();
  for_sample(count, sampled, [&](std::uint64_t i) {
    const std::uint64_t index = (i / stride * extent + place) * stride + i % stride;
    if (const double size = std::abs(values[index]); size > 0)
      least = std::min(least, bounds.absolute_at(index, extents) / size);
  });
  return least;
}

/// Returns the share of half of the values, or of all at an end of an axis where it is larger. 0 for a few
/// values.
double share_of(const HostTensor& tensor, const Bounds& bounds) {
  constexpr std::size_t few = 512;
  if (tensor.type() != ElementType::f64) return 0;  // whole numbers, which are compared exactly
  const auto values = tensor.as<double>();
  if (values.size() < few) return 0;
  double share = median_share(values, tensor.extents(), bounds);
  for (std::size_t axis = 0; axis < tensor.extents().size(); ++axis)
    for (const std::uint64_t place : {std::uint64_t{0}, tensor.extents()[axis] - 1})
      share = std::max(share, share_at_place(values, tensor.extents(), axis, place, bounds));
  return share;
}

AllowedShare largest_share(const Tolerance& tolerance, const ReferenceData& reference_data) {
  AllowedShare largest;
  if (tolerance.cure.empty()) return largest;
  for (const auto& [name, tensor] : reference_data.reference) {
    const double share = share_of(tensor, tolerance.of(name));
    if (share > largest.share) largest = {share, name, tolerance.cause, tolerance.cure};
  }
  return largest;
}

}  // namespace

AllowedShare allowed_share(const LaunchPlan& plan, const ReferenceData& reference_data) {
  return plan.tolerance ? largest_share(tolerance_of(plan, reference_data), reference_data)
                        : reference_data.allowed;
}

std::string refusal_of(const AllowedShare& allowed) {
  if (allowed.share <= refused_share) return {};
  return format(
      "rounding may change half of the values of '{}', or all at an end of an axis, by as much as they hold, "
      "because {}, so that a wrong kernel could pass: {}",
      allowed.output, allowed.cause, allowed.cure);
}

Tolerance tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data,
                       const TensorSet& computed) {
  Tolerance tolerance = plan.tolerance ? *plan.tolerance : reference_data.tolerance;
  tolerance.values_along = reference_data.tolerance.values_along;
  apply_relative(tolerance, reference_data.limits, reference_data.reference, computed);
  return tolerance;
}

TensorSet reference_inputs(const LaunchPlan& plan, const TensorSet& reference) {
  TensorSet inputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.reference_of.empty()) continue;
    const auto right = reference.find(buffer.reference_of);
    if (right == reference.end())
      throw std::logic_error("a checking step asks for a reference that is not computed");
    inputs.emplace(buffer.name, from_reference(right->second, buffer.type));
  }
  return inputs;
}

double widest(const Tolerance& tolerance) {
  double max = tolerance.absolute;
  for (const auto& limits : tolerance.of({}).limits_along)
    if (!limits.empty()) max = std::min(max, std::ranges::max(limits));
  for (const auto& [name, bounds] : tolerance.buffers) max = std::max(max, bounds.absolute);
  return max;
}

std::size_t ReferenceData::bytes() const {
  std::size_t sum = 0;
  for (const TensorSet* set : {&inputs, &reference})
    for (const auto& [name, tensor] : *set) sum += tensor.bytes().size();
  for (const auto& [name, own] : limits) sum += own.absolute.bytes().size() + own.each.bytes().size();
  return sum;
}

std::shared_ptr<const ReferenceData> ReferenceCache::find(const std::string& instance, std::uint64_t seed) {
  const auto is_it = [&](const auto& entry) { return entry.seed == seed && entry.instance == instance; };
  if (const auto found = std::ranges::find_if(known_, is_it); found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return found->data;
  }
  std::erase_if(lent_, [](const Lent& one) { return one.data.expired(); });
  const auto lent = std::ranges::find_if(lent_, is_it);
  return lent == lent_.end() ? nullptr : lent->data.lock();
}

std::shared_ptr<const ReferenceData> ReferenceCache::at(const Instance& instance, std::uint64_t seed,
                                                        const RunReference& run, const PlaceTensors& place) {
  const std::scoped_lock lock(mutex_);
  std::string key = instance.key();
  if (auto found = find(key, seed)) return found;
  auto computed = compute(instance, seed, run, place);
  if (computed->bytes() > max_bytes_) {
    lent_.push_back({std::move(key), seed, computed});
    return computed;
  }
  bytes_ += computed->bytes();
  known_.push_front({std::move(key), seed, computed});
  while (bytes_ > max_bytes_) {
    bytes_ -= known_.back().data->bytes();
    known_.pop_back();
  }
  return computed;
}

std::shared_ptr<const ReferenceData> ReferenceCache::compute(const Instance& instance, std::uint64_t seed,
                                                             const RunReference& run,
                                                             const PlaceTensors& place) const {
  ReferenceData computed;
  computed.inputs = problem_.inputs(instance, seed);
  if (place) place(computed.inputs);
  TensorSet planned;
  if (run) planned = run(instance, computed.inputs);
  if (planned.empty() || !problem_.plan_replaces_reference(instance))
    computed.reference = problem_.reference(instance, computed.inputs);
  for (auto& [name, tensor] : planned) computed.reference.try_emplace(name, std::move(tensor));
  if (place) place(computed.reference);
  computed.tolerance = problem_.tolerance(instance);
  computed.limits = problem_.limits(instance);
  if (run) apply_relative(computed.tolerance, computed.limits, computed.reference);
  computed.size = instance.size();
  computed.allowed = largest_share(computed.tolerance, computed);
  if (const std::string reason = refusal_of(computed.allowed); !reason.empty())
    throw UsageError(format("{} {}: {}", problem_.info().name, instance.key(), reason));
  return std::make_shared<const ReferenceData>(std::move(computed));
}

std::string ReferenceCache::notice() const {
  const std::scoped_lock lock(mutex_);
  return notice_;
}

void ReferenceCache::note(const LaunchPlan& plan, const ReferenceData& reference_data) {
  const AllowedShare allowed = allowed_share(plan, reference_data);
  const std::scoped_lock lock(mutex_);
  if (allowed.share < told_share || allowed.share > refused_share || allowed.share <= noted_share_) return;
  noted_share_ = allowed.share;
  notice_ = format(
      "at {} rounding may change half of the values of '{}', or all at an end of an axis, by {} or more, "
      "because {}: smaller mistakes are not found; {}",
      reference_data.size, allowed.output, percent_text(allowed.share), allowed.cause, allowed.cure);
}

}  // namespace tune
