// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// A separable convolution of an image of nx x ny pixels, x fastest, with 2 radius + 1 taps along each axis,
/// which differ; zeros lie around the image. Buffers `in` and `out`.
std::unique_ptr<Problem> make_conv2d_separable();

}  // namespace tune::kernels
