// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The work of an instance of rotate: an image of nx x ny pixels, turned about its centre by an angle. A
/// pixel of the result is interpolated between the four pixels of the image around the place that it comes
/// from.
struct RotateJob {
  enum class Border { zero, clamp, wrap };
  enum class Source { linear, array };

  std::int64_t nx = 0, ny = 0;
  ElementType type = ElementType::u8;  ///< of a channel
  std::int64_t channels = 1;
  double angle = 0;  ///< degrees; counter-clockwise on a screen, whose rows run downwards
  Border border = Border::zero;
  Source source = Source::linear;
  /// Cosine and sine, in units of 2^-32. All variants and the reference take these numbers.
  std::int64_t cosine = 0, sine = 0;

  std::int64_t pixel_bytes() const { return channels * static_cast<std::int64_t>(element_size(type)); }
  double pixels() const { return static_cast<double>(nx) * static_cast<double>(ny); }
  /// The largest value of a channel: 255, 65,535 or 1.
  double range() const { return type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 1; }
  /// Extents of the tensors: channels, if there are several, nx and ny.
  Extents extents() const;
};

/// Throws UsageError for an image with more than 2^24 pixels along an axis.
RotateJob rotate_job(const Instance& instance);

/// Returns the place in the image that pixel (x, y) comes from, in units of 2^-33 pixels.
struct SourcePlace {
  std::int64_t x = 0, y = 0;
};
SourcePlace source_place(const RotateJob& job, std::int64_t x, std::int64_t y);

/// Returns how many pixels of the image the rotated one shows: the others need not be read.
double visible_pixels(const RotateJob& job);

}  // namespace tune::kernels
