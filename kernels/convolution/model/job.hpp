// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

inline constexpr int max_radius_of_taps = 256;

/// The work of an instance of conv2d_separable: out(x, y) = sum over i, j in -radius .. radius of column(j) *
/// row(i) * in(x + i, y + j), with zeros around the image.
struct ConvolutionJob {
  std::int64_t nx = 0, ny = 0;  ///< pixels; x is the fastest dimension
  int radius = 1;
  ElementType type = ElementType::f32;
  bool transfers = false;  ///< the image lies on the host

  std::int64_t taps() const { return 2 * radius + 1; }
  int element_bytes() const { return static_cast<int>(element_size(type)); }
  int vector_width() const { return 16 / element_bytes(); }
  Extents extents() const { return {static_cast<std::uint64_t>(nx), static_cast<std::uint64_t>(ny)}; }
  double pixels() const { return static_cast<double>(nx) * static_cast<double>(ny); }
};

ConvolutionJob convolution_job(const Instance& instance);

enum class TapAxis { rows, columns };

/// Returns the 2 radius + 1 weights along x or y, from -radius to radius: all different, positive, exact in
/// the job's type and with all its bits, of mean 1 / (2 radius + 1). The axes have different weights.
std::vector<double> convolution_taps(const ConvolutionJob& job, TapAxis axis);

/// Returns the text of `convolution_taps.cuh`: `radius`, and both axes' taps as arrays of type REAL in
/// constant memory. Zeros before the taps of the rows make the first tap as far from a whole access of 16
/// bytes as the first pixel that it is multiplied with. immediate: the arrays are constants, so that an index
/// known to the compiler becomes an operand.
std::string taps_header(const ConvolutionJob& job, bool immediate);

/// Returns the same file for kernels without separate axes: `radius` and `product_taps`, the (2 radius + 1)^2
/// products of a tap along y (rows) and a tap along x (columns).
std::string product_taps_header(const ConvolutionJob& job, bool immediate);

}  // namespace tune::kernels
