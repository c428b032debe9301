// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/triangle_count/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// An edge of two vertices: the smaller one in the upper 32 bits.
using EdgeKey = std::uint64_t;

constexpr EdgeKey edge_key(std::uint32_t a, std::uint32_t b) {
  return a < b ? EdgeKey{a} << 32 | b : EdgeKey{b} << 32 | a;
}

/// Not cleared before all cores write to it.
using EdgeKeys = std::vector<EdgeKey, LazyZeros<EdgeKey>>;

/// Calls `work(begin, end)` for pieces of 0 .. count-1, on all cores; a thread takes the next piece when it
/// has done one.
void in_pieces(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t begin, std::uint64_t end)>& work);

/// Sorts the edges; leaves out loops and repeats.
void make_unique(EdgeKeys& edges, std::uint64_t vertices);

/// Returns the edges, sorted and without repeats, in the rows of both of their vertices: `offsets` (u32) and
/// `neighbours` (i32).
TensorSet undirected(const TriangleJob& job, const EdgeKeys& edges);

/// Returns `offsets` and `neighbours` of the graph that the instance asks for.
TensorSet triangle_inputs(const TriangleJob& job, std::uint64_t seed);

}  // namespace tune::kernels
