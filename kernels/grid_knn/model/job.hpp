// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The work of an instance of grid_knn: the `k` nearest of `points` points for each of `queries` places.
struct KnnJob {
  /// How points lie. lattice: on a coarse lattice, so that many distances are equal.
  enum class Data { uniform, clustered, line, lattice, equal };
  /// What the queries are: places of their own, or the points, each without or with itself.
  enum class Self { none, skip, count };

  std::int64_t points = 0;
  std::int64_t queries = 0;
  std::int64_t k = 1;
  int dimensions = 3;
  Data data = Data::uniform;
  Self self = Self::none;
  bool sorted = true;   ///< points and queries arrive sorted
  bool builds = false;  ///< the time includes the construction of the grid

  bool own_queries() const { return self == Self::none; }
  Extents coordinates(std::int64_t count) const {
    return {static_cast<std::uint64_t>(dimensions), static_cast<std::uint64_t>(count)};
  }
  /// Of the outputs: k neighbours of each query.
  Extents results() const { return {static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(queries)}; }
};

/// Throws UsageError where the points are the queries and their numbers differ.
KnnJob knn_job(const Instance& instance);

}  // namespace tune::kernels
