// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/grid_knn/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns `points` and, where queries are no points, `queries`: x, y and, in three dimensions, z of each.
TensorSet knn_inputs(const KnnJob& job, std::uint64_t seed);

/// Returns `indices` and `distances`, exactly, by a tree over the points.
TensorSet knn_reference(const KnnJob& job, const TensorSet& inputs);

/// Of exact results, for any inputs.
Tolerance knn_tolerance(const KnnJob& job);

/// The squared distance of two places, as the kernels round it: fma(dz, dz, fma(dy, dy, dx * dx)) in floats.
/// Differences that shrink never make it grow.
float squared_distance(float dx, float dy, float dz);

}  // namespace tune::kernels
