// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The work of an instance of histogram: how many of `samples` numbers lie in each of `bins` equal parts of
/// their range, which is that of the type for whole numbers and [0, 1) for floats.
struct HistogramJob {
  /// How samples are distributed. outside: uniform, but a tenth lies outside of [0, 1).
  enum class Data { uniform, skewed, one, outside };

  std::int64_t samples = 0;
  std::int64_t bins = 0;
  ElementType type = ElementType::u8;
  Data data = Data::uniform;

  std::int64_t sample_bytes() const { return static_cast<std::int64_t>(element_size(type)); }
  /// Samples of a word of 16 bytes.
  std::int64_t word_samples() const { return 16 / sample_bytes(); }
};

/// Throws UsageError for more bins than the type has values, and for floats outside of [0, 1) of another
/// type.
HistogramJob histogram_job(const Instance& instance);

}  // namespace tune::kernels
