// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The work of an instance of triangle_count: an undirected graph without loops and repeated edges.
struct TriangleJob {
  /// The graphs that the problem makes itself (generators.cpp).
  enum class Kind { rmat, uniform, lattice, cliques, star };

  std::int64_t vertices = 1;
  std::int64_t edges = 0;  ///< each once; at most the pairs of vertices, so 0 for one vertex
  Kind kind = Kind::rmat;
  bool builds = false;  ///< the time includes the preparation of the graph

  /// Whether all vertices have about as many edges: rows are short and of one length.
  bool is_even() const { return kind == Kind::uniform || kind == Kind::lattice; }
  /// Entries of all rows: each edge twice.
  std::int64_t entries() const { return 2 * edges; }
  Extents offsets() const { return {static_cast<std::uint64_t>(vertices) + 1}; }
  /// Of the entries; 1 where there are none, because a tensor is never empty.
  Extents neighbours() const { return {static_cast<std::uint64_t>(entries() > 0 ? entries() : 1)}; }
};

TriangleJob triangle_job(const Instance& instance);

/// Returns the pairs of so many vertices: the edges of a complete graph.
std::int64_t all_pairs(std::int64_t vertices);

}  // namespace tune::kernels
