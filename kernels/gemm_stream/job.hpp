// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/gemm/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::kernels {

/// The part of a product that a block computes, and the part of a thread for floats; for doubles that is 8 x
/// 4.
struct StreamTile {
  std::string_view name;
  int block_m = 0, block_n = 0;
  int thread_m = 8, thread_n = 8;
  bool lane_pairs = true;
};

/// Returns the tiles that a configuration may choose, smaller ones first.
std::span<const StreamTile> stream_tiles();
/// Throws std::out_of_range for an unknown name.
const StreamTile& stream_tile(std::string_view name);
search::Expr stream_tile_rows();

/// `count` products of one size, C_i = A_i B_i. Their matrices lie in host memory, one after another.
struct StreamJob {
  GemmJob product;
  std::int64_t count = 0;

  double left_elements() const;
  double right_elements() const;
  double result_elements() const;
};

StreamJob stream_job(const Instance& instance);

struct StreamPlan {
  std::int64_t streams = 1;  ///< pieces under way at the same time
  std::int64_t chunk = 1;    ///< products of a piece
  bool stages = false;       ///< a stream for each kind of step, else one for each piece under way
  bool pinned = true;
  bool graph = false;
  /// The last product is copied, computed and copied back in this many parts, each of whole rows of tiles.
  std::int64_t tail = 1;
  std::int64_t tile_rows = 64;  ///< of a product that a block computes
};

StreamPlan stream_plan(const search::Configuration& configuration);

/// Returns the configuration of `gemm` that computes one product: kernel and tile are parameters, the rest is
/// fixed.
search::Configuration product_configuration(const StreamJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
