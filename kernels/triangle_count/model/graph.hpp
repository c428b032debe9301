// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/triangle_count/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// An edge of two vertices: the smaller one in the upper 32 bits.
using EdgeKey = std::uint64_t;

constexpr EdgeKey edge_key(std::uint32_t a, std::uint32_t b) {
  return a < b ? EdgeKey{a} << 32 | b : EdgeKey{b} << 32 | a;
}

/// Rows of vertices, each sorted: row u is targets[starts[u]] up to starts[u + 1].
struct Rows {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> targets;

  std::uint64_t size() const { return starts.size() - 1; }
  std::span<const std::uint32_t> row(std::uint64_t u) const {
    return {targets.data() + starts[u], targets.data() + starts[u + 1]};
  }
};

/// Calls `work(begin, end)` for pieces of 0 .. count-1, on all cores; a thread takes the next piece when it
/// has done one.
void in_pieces(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t begin, std::uint64_t end)>& work);

/// Returns each edge once, in the row of its smaller vertex, without loops.
Rows unique_edges(std::uint64_t vertices, std::span<const EdgeKey> edges);

/// Returns the edges in the rows of both of their vertices: `offsets` (u32) and `neighbours` (i32).
TensorSet undirected(const TriangleJob& job, const Rows& edges);

/// Returns `offsets` and `neighbours` of the graph that the instance asks for.
TensorSet triangle_inputs(const TriangleJob& job, std::uint64_t seed);

}  // namespace tune::kernels
