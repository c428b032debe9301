// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/triangle_count/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns `count`, exactly. Each edge leads to the vertex with more neighbours; of a triangle u, v, w in
/// this order, w is looked up in the row of v, for each row of a u that has v.
TensorSet triangle_reference(const TriangleJob& job, const TensorSet& inputs);

/// Of exact results.
Tolerance triangle_tolerance(const TriangleJob& job);

}  // namespace tune::kernels
