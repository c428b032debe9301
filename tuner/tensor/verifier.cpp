// SPDX-License-Identifier: Apache-2.0
#include "tuner/tensor/verifier.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/tensor/reference_numbers.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {
namespace {

/// |value - reference|; 0 for equal infinities and for a NaN in place of a NaN; infinite for any other NaN,
/// which compares with nothing and would pass, and for poison.
double error_of(double value, double reference, bool unwritten) {
  if (unwritten) return std::numeric_limits<double>::infinity();
  if (value == reference || (std::isnan(value) && std::isnan(reference))) return 0;
  const double error = std::abs(value - reference);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// The same for whole numbers, in whole numbers.
template<class T>
double error_of(T value, T reference) {
  const auto a = static_cast<std::uint64_t>(value), b = static_cast<std::uint64_t>(reference);
  return static_cast<double>(value > reference ? a - b : b - a);
}

template<class T, class Reference>
double error_of(T value, Reference reference, bool unwritten) {
  if constexpr (std::is_same_v<Reference, double>)
    return error_of(static_cast<double>(value), reference, unwritten);
  else
    return error_of(value, reference);
}

/// A part of a comparison, and the rank of its worst element: among those beyond their bounds, or among all
/// where none is.
struct Part {
  Comparison found;
  double rank = -std::numeric_limits<double>::infinity();
  bool any = false;

  /// Whether an element is worse than the worst so far.
  bool is_worse(bool is_wrong, double other_rank, std::uint64_t index) const {
    const bool any_wrong = found.wrong > 0;
    if (!any || is_wrong != any_wrong) return !any || is_wrong;
    return other_rank > rank || (other_rank == rank && index < found.worst_index);
  }
};

/// Empty for the empty tensor.
std::span<const double> values_of(const HostTensor& limits) {
  return limits.bytes().empty() ? std::span<const double>() : limits.as<double>();
}

/// Returns what a tensor of limits has for an element, `otherwise` where there is none.
double limit_at(const HostTensor& limits, std::uint64_t index, double otherwise) {
  const std::span<const double> values = values_of(limits);
  return values.empty() ? otherwise : values[index];
}

template<class T, class Reference>
Part compare_part(std::span<const T> output, std::span<const Reference> reference, const Extents& extents,
                  const Bounds& bounds, const ElementLimits& limits, std::uint64_t begin, std::uint64_t end) {
  Part part;
  const std::span<const double> absolutes = values_of(limits.absolute), shares = values_of(limits.each);
  const bool limited = bounds.limited(), varied = bounds.each > 0 || limits.any();
  for (std::uint64_t i = begin; i < end; ++i) {
    const double own = absolutes.empty() ? 0 : absolutes[i];
    if (std::isinf(own)) continue;  // it does not count
    const double error = error_of(output[i], reference[i], is_poison(output[i]));
    const double absolute = limited ? bounds.absolute_at(i, extents) : bounds.absolute;
    const double each = shares.empty() ? bounds.each : shares[i];
    const double allowed = std::max(absolute + own, each * std::abs(static_cast<double>(reference[i])));
    const bool is_wrong = !(error <= allowed) || std::isinf(error);
    const double rank = varied && error < std::numeric_limits<double>::infinity() ? error - allowed : error;
    if (part.is_worse(is_wrong, rank, i)) {
      part.any = true;
      part.rank = rank;
      part.found.worst_error = error;
      part.found.worst_index = i;
    }
    if (is_wrong) ++part.found.wrong;
    part.found.total_error += error;
  }
  if (part.any) {
    part.found.worst_value = static_cast<double>(output[part.found.worst_index]);
    part.found.worst_reference = static_cast<double>(reference[part.found.worst_index]);
    part.found.unwritten = is_poison(output[part.found.worst_index]);
    part.found.no_reference = is_poison(reference[part.found.worst_index]);
  }
  return part;
}

template<class T, class Reference>
Comparison compare_typed(const TensorView& output, const TensorView& expected, const Bounds& bounds,
                         const ElementLimits& limits) {
  const std::span<const T> values(reinterpret_cast<const T*>(output.bytes.data()), expected.size());
  const std::span<const Reference> reference(reinterpret_cast<const Reference*>(expected.bytes.data()),
                                             expected.size());
  Part combined_part;
  std::mutex mutex;
  parallel_for(expected.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    const Part part = compare_part(values, reference, expected.extents, bounds, limits, begin, end);
    const std::scoped_lock lock(mutex);
    const std::uint64_t wrong = combined_part.found.wrong + part.found.wrong;
    const double total = combined_part.found.total_error + part.found.total_error;
    if (combined_part.is_worse(part.found.wrong > 0, part.rank, part.found.worst_index)) combined_part = part;
    combined_part.found.wrong = wrong;
    combined_part.found.total_error = total;
  });
  return combined_part.found;
}

std::string coordinates(std::uint64_t index, const Extents& extents) {
  return joined(extents, [&](std::uint64_t extent) { return std::exchange(index, index / extent) % extent; });
}

}  // namespace

bool Bounds::limited() const {
  return std::ranges::any_of(limits_along, [](const auto& limits) { return !limits.empty(); });
}

double Bounds::absolute_at(std::uint64_t index, const Extents& extents) const {
  double smallest = absolute;
  for (std::size_t axis = 0; axis < limits_along.size(); ++axis) {
    const std::uint64_t place = std::exchange(index, index / extents[axis]) % extents[axis];
    if (!limits_along[axis].empty()) smallest = std::min(smallest, limits_along[axis][place]);
  }
  return smallest;
}

Bounds Tolerance::of(const std::string& buffer) const {
  const auto own = buffers.find(buffer);
  if (own != buffers.end()) return own->second;
  Bounds bounds{.absolute = absolute, .relative = relative};
  if (share_of_values == 0) return bounds;
  bounds.limits_along = values_along;
  for (auto& limits : bounds.limits_along)
    for (double& limit : limits) limit *= share_of_values;
  return bounds;
}

double usual_share(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x1p-9;
    case ElementType::bf16:
      return 0x1p-6;
    case ElementType::f32:
      return 1e-5;
    case ElementType::f64:
      return 1e-10;
    default:
      return 0;
  }
}

void check_reference(const TensorView& output, const TensorView& reference) {
  if (output.extents != reference.extents) throw std::logic_error("output and reference differ in extents");
  const bool exact = is_wide_whole(output.type) && reference.type == output.type;
  if (!exact && reference.type != ElementType::f64)
    throw std::logic_error("a reference must have f64 elements, or whole numbers of 64 bits as the output");
  if (reference.bytes.size() != reference.size() * element_size(reference.type))
    throw std::logic_error("a reference has another number of bytes than its extents and type have");
}

bool ElementLimits::any() const {
  return !absolute.bytes().empty() || !each.bytes().empty();
}

bool ElementLimits::counts(std::uint64_t index) const {
  return !std::isinf(limit_at(absolute, index, 0));
}

const ElementLimits& element_limits(const LimitSet& limits, const std::string& output) {
  static const ElementLimits none;
  const auto found = limits.find(output);
  return found == limits.end() ? none : found->second;
}

std::uint64_t ElementLimits::counted(std::uint64_t elements) const {
  if (absolute.bytes().empty()) return elements;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(absolute.as<double>(), [](double limit) { return !std::isinf(limit); }));
}

void check_limits(const Bounds& bounds, const Extents& extents) {
  for (std::size_t axis = 0; axis < bounds.limits_along.size(); ++axis) {
    const auto count = bounds.limits_along[axis].size();
    if (count != 0 && (axis >= extents.size() || count != extents[axis]))
      throw std::logic_error("an axis of an output has another number of limits than of places");
  }
}

Comparison compare(const TensorView& output, const TensorView& reference, const Bounds& bounds,
                   const ElementLimits& limits) {
  check_reference(output, reference);
  check_limits(bounds, output.extents);
  for (const HostTensor* const own : {&limits.absolute, &limits.each})
    if (!own->bytes().empty() && own->extents() != output.extents)
      throw std::logic_error("an output has another number of elements than of limits");
  if (output.bytes.size() != output.size() * element_size(output.type))
    throw std::logic_error("an output has another number of bytes than its extents and type have");
  return with_element(output.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(std::int64_t))
      if (reference.type == output.type) return compare_typed<T, T>(output, reference, bounds, limits);
    return compare_typed<T, double>(output, reference, bounds, limits);
  });
}

bool is_right(const Comparison& comparison, const Bounds& bounds) {
  return comparison.wrong == 0 && (bounds.sum == 0 || comparison.total_error <= bounds.sum);
}

Failure wrong_result(const Comparison& comparison, const Extents& extents, const Bounds& bounds,
                     const std::string& buffer, const ElementLimits& limits) {
  const std::string place = coordinates(comparison.worst_index, extents);
  const std::uint64_t elements = element_count(extents), counted = limits.counted(elements);
  const std::string compared = counted == elements
                                   ? format("{} elements", elements)
                                   : format("{} compared elements (of {})", counted, elements);
  if (comparison.unwritten)
    return Failure{
        Phase::verify, "wrong result",
        format(
            "element ({}) of '{}' was never written{}; {} of {} are wrong", place, buffer,
            comparison.no_reference
                ? ", nor by the reference (if this is intended, give the argument \"access\": \"both\" and a \"fill\")"
                : "",
            comparison.wrong, compared)};
  const std::string value = format("{:.9g}", comparison.worst_value),
                    right = format("{:.9g}", comparison.worst_reference);
  if (comparison.no_reference && comparison.wrong > 0)
    return Failure{
        Phase::verify, "wrong result",
        format("element ({}) of '{}' is {}, but the reference did not write it; {} of {} are wrong", place,
               buffer, value, comparison.wrong, compared)};
  std::string worst = format("({}): {} instead of {}", place, value, right);
  if (std::isnan(comparison.worst_reference) && value != right)
    worst += " (the reference has no number there)";
  if (value == right) worst += format(", a difference of {:.3g}", comparison.worst_error);
  if (comparison.wrong == 0)
    return Failure{Phase::verify, "wrong result",
                   format("the differences of '{}' sum up to {:.3g}, allowed is {:.3g}; the worst is {}",
                          buffer, comparison.total_error, bounds.sum, worst)};
  const double share = limit_at(limits.each, comparison.worst_index, bounds.each);
  const std::string own =
      share > 0 ? format(" and by more than {:.3g} of the reference", share) : std::string();
  const double absolute = bounds.absolute_at(comparison.worst_index, extents) +
                          limit_at(limits.absolute, comparison.worst_index, 0);
  return Failure{
      Phase::verify, "wrong result",
      limits.any()
          ? format("{} of {} of '{}' differ by more than their tolerance; the worst is {}, where {:.3g} is "
                   "allowed{}",
                   comparison.wrong, compared, buffer, worst, absolute,
                   share > 0 ? format(" or {:.3g} of the reference", share) : std::string())
          : format("{} of {} of '{}' differ by more than {:.3g}{}; the worst is {}", comparison.wrong,
                   compared, buffer, absolute, own, worst)};
}

}  // namespace tune
