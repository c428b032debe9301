// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/verifier.hpp"

#include <cmath>
#include <limits>
#include <mutex>

#include "tuner/core/format.hpp"
#include "tuner/core/parallel.hpp"

namespace tune {
namespace {

template<class T>
Comparison compare_part(std::span<const T> output, std::span<const double> reference, double tolerance,
                        std::uint64_t begin, std::uint64_t end) {
  Comparison part;
  part.worst_error = -1;
  for (std::uint64_t i = begin; i < end; ++i) {
    const auto value = static_cast<double>(output[i]);
    double error = std::abs(value - reference[i]);
    // A NaN compares with nothing: without this line an output that was never written would pass.
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > tolerance) ++part.wrong;
    if (error > part.worst_error) {
      part.worst_error = error;
      part.worst_index = i;
    }
  }
  if (part.worst_error >= 0) {
    part.worst_value = static_cast<double>(output[part.worst_index]);
    part.worst_reference = reference[part.worst_index];
  }
  return part;
}

template<class T>
Comparison compare_typed(const TensorView& output, std::span<const double> reference, double tolerance) {
  const std::span<const T> values(reinterpret_cast<const T*>(output.bytes.data()), reference.size());
  Comparison whole;
  whole.worst_error = -1;
  std::mutex mutex;
  parallel_for(reference.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    const Comparison part = compare_part(values, reference, tolerance, begin, end);
    const std::scoped_lock lock(mutex);
    const std::uint64_t wrong = whole.wrong + part.wrong;
    const bool earlier = part.worst_error == whole.worst_error && part.worst_index < whole.worst_index;
    if (part.worst_error > whole.worst_error || earlier) whole = part;
    whole.wrong = wrong;
  });
  whole.worst_error = std::max(0.0, whole.worst_error);
  return whole;
}

std::string coordinates(std::uint64_t index, const Extents& extents) {
  std::string text;
  for (const std::uint64_t extent : extents) {
    if (!text.empty()) text += ", ";
    text += std::to_string(index % extent);
    index /= extent;
  }
  return text;
}

}  // namespace

Comparison compare(const TensorView& output, const TensorView& reference, const Tolerance& tolerance) {
  if (output.extents != reference.extents) throw std::logic_error("output and reference differ in extents");
  if (reference.type != ElementType::f64 || reference.bytes.size() != reference.size() * sizeof(double))
    throw std::logic_error("a reference must have f64 elements, as many as its extents say");
  const std::span<const double> expected(reinterpret_cast<const double*>(reference.bytes.data()),
                                         reference.bytes.size() / sizeof(double));
  if (output.bytes.size() != expected.size() * size_of(output.type))
    throw std::logic_error("an output has another number of bytes than its extents and type say");
  switch (output.type) {
    case ElementType::f32:
      return compare_typed<float>(output, expected, tolerance.absolute);
    case ElementType::f64:
      return compare_typed<double>(output, expected, tolerance.absolute);
    case ElementType::i32:
      return compare_typed<std::int32_t>(output, expected, tolerance.absolute);
    case ElementType::u32:
      return compare_typed<std::uint32_t>(output, expected, tolerance.absolute);
    case ElementType::u8:
      return compare_typed<std::uint8_t>(output, expected, tolerance.absolute);
  }
  throw std::logic_error("unknown element type");
}

Failure wrong_result(const Comparison& comparison, const Extents& extents, const Tolerance& tolerance,
                     const std::string& buffer) {
  return Failure{
      Phase::verify, "wrong result",
      format("{} of {} elements of '{}' differ by more than {:.3g}; the worst is ({}): {:.9g} instead "
             "of {:.9g}",
             comparison.wrong, element_count(extents), buffer, tolerance.absolute,
             coordinates(comparison.worst_index, extents), comparison.worst_value,
             comparison.worst_reference)};
}

}  // namespace tune
