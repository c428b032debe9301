// SPDX-License-Identifier: Apache-2.0
// The variant `fft_tile`: pieces of rows and of columns, transformed in shared memory.
#include <algorithm>
#include <limits>

#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

constexpr std::int64_t points = 16, line = 32;

/// A pass, in the terms of fft_tile.cu.
struct Pass {
  std::int64_t length, pairs, kept, period, lines;

  /// Counts along the long row of all rows, including the halo of the first pixels.
  std::int64_t positions() const { return period * lines; }
  Layout tables() const { return Layout::dense({static_cast<std::uint64_t>(4 * length)}); }
};

Pass row_pass(const ConvolutionJob& job, const Configuration& configuration) {
  const std::int64_t length = configuration["row_length"].as_int();
  return {length, configuration["row_pairs"].as_int(),
          (length - round_up(job.radius, line) - job.radius) / line * line,
          round_up(job.nx + job.radius, line), job.ny};
}

Pass column_pass(const ConvolutionJob& job, const Configuration& configuration) {
  const std::int64_t length = configuration["column_length"].as_int();
  const std::int64_t pairs = configuration["column_pairs"].as_int();
  return {length, pairs, length - 2 * job.radius, job.ny + job.radius, ceil_div(job.nx, 2 * pairs)};
}

/// Returns the threads of a block of a pass with these parameters.
Expr pass_threads(const char* length, const char* pairs) {
  return floor_div(var(length), points) * var(pairs);
}

/// Returns the bytes of shared memory of the same block.
Expr pass_shared(const char* length, const char* pairs, int words) {
  return (var(length) + floor_div(var(length), 16)) * var(pairs) * 8 * words;
}

/// Returns the launch that fills a pass's tables during the setup.
Launch tables_launch(const char* entry, const char* buffer, const Pass& pass) {
  constexpr std::int64_t threads = 128;
  return make_launch(entry, ceil_div(pass.length, threads), block_of(threads), {BufferArgument{buffer}});
}

bool fft_tile_preferred(const ConvolutionJob& job) {
  return job.radius >= 64;
}

void add_fft_tile(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"padded", "vector", "store"});
  std::vector<search::Value> lengths;
  for (const std::int64_t length : {256, 512, 1024, 2048, 4096, 8192})
    if (length >= 3 * job.radius + 64) lengths.emplace_back(length);
  const search::Value usual = lengths[std::min<std::size_t>(lengths.size() - 1, 1)];
  space.add("row_length", "rows: pixels of a piece that is transformed", lengths, usual);
  space.add("row_pairs", "rows: pairs of pieces of a block", {1, 2, 4, 8}, 1);
  space.add("row_blocks", "rows: blocks that must fit on an SM", {1, 2, 3, 4, 6, 8}, 1);
  space.add("column_length", "columns: pixels of a piece that is transformed", lengths, usual);
  space.add("column_pairs", "columns: pairs of columns of a block", {2, 4, 8, 16}, 4);
  space.add("column_blocks", "columns: blocks that must fit on an SM", {1, 2, 3, 4, 6, 8}, 1);
  const Rules rules = space.rules();
  rules.add(has_async_copies(), no_async_copies);
  rules.add(var("vector") <= 2, "the results of a thread are of two columns");
  const int words = job.element_bytes() / 4;
  const auto block = [&](const char* length, const char* pairs, const char* blocks) {
    const Expr threads = pass_threads(length, pairs);
    rules.add_min_threads(threads);
    add_block_rules(rules, threads, Expr(36 * words + 12), pass_shared(length, pairs, words), var(blocks));
  };
  block("row_length", "row_pairs", "row_blocks");
  block("column_length", "column_pairs", "column_blocks");
}

ConvolutionTile fft_tile_tile(const ConvolutionJob& job, const Configuration& configuration) {
  // About two rows of the pixels that a block keeps; columns longer than a piece.
  const Pass rows = row_pass(job, configuration), columns = column_pass(job, configuration);
  return {std::max(rows.kept, 2 * columns.pairs), columns.kept};
}

Result<LaunchPlan> plan_fft_tile(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const Pass rows = row_pass(job, configuration), columns = column_pass(job, configuration);
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max(), beyond = 1 << 20;
  if (rows.positions() + beyond > max || columns.positions() + beyond > max)
    return fail(Phase::constraint, "extent", "positions in all rows together do not fit 31 bits");
  const Layout image = image_layout(job, configuration["padded"].as_bool()),
               between = image_layout(job, true);

  LaunchPlan plan;
  plan.compile = convolution_request(job, "fft_tile.cu", configuration, sources);
  plan.compile.entries = {"fft_rows", "fft_columns", "fft_row_tables", "fft_column_tables"};
  add_images(plan, job, image);
  plan.buffers.push_back({"between", job.type, between, BufferRole::scratch, true});
  plan.buffers.push_back({"row_tables", job.type, rows.tables(), BufferRole::scratch});
  plan.buffers.push_back({"column_tables", job.type, columns.tables(), BufferRole::scratch});
  plan.setup.emplace_back(tables_launch("fft_row_tables", "row_tables", rows));
  plan.setup.emplace_back(tables_launch("fft_column_tables", "column_tables", columns));

  const auto threads = [&](const char* length, const char* pairs) {
    return block_of(convolution_value(pass_threads(length, pairs), job, configuration));
  };
  const auto shared = [&](const char* length, const char* pairs) {
    return convolution_value(pass_shared(length, pairs, job.element_bytes() / 4), job, configuration);
  };
  const ScalarArgument pitch = int64(image.strides[1]), between_pitch = int64(between.strides[1]);
  plan.launches.emplace_back(make_launch(
      "fft_rows", ceil_div(rows.positions(), rows.kept * 2 * rows.pairs), threads("row_length", "row_pairs"),
      {BufferArgument{"in"}, BufferArgument{"between"}, BufferArgument{"row_tables"}, int32(job.nx),
       int32(job.ny), pitch, between_pitch, ScalarArgument{static_cast<std::uint32_t>(rows.period)}},
      shared("row_length", "row_pairs")));
  plan.launches.emplace_back(make_launch(
      "fft_columns", ceil_div(columns.positions(), columns.kept), threads("column_length", "column_pairs"),
      {BufferArgument{"between"}, BufferArgument{"out"}, BufferArgument{"column_tables"}, int32(job.nx),
       int32(job.ny), between_pitch, pitch, ScalarArgument{static_cast<std::uint32_t>(columns.period)},
       int32(columns.lines)},
      shared("column_length", "column_pairs")));
  plan.tolerance =
      transforms_tolerance(job, static_cast<double>(rows.length), static_cast<double>(columns.length));
  return plan;
}

}  // namespace

ConvolutionVariant fft_tile_convolution() {
  return {"fft_tile",
          "pieces of rows and of columns are convolved by Fourier transforms in shared memory",
          always,
          add_fft_tile,
          plan_fft_tile,
          fft_tile_tile,
          fft_tile_preferred,
          seconds_of_two_passes};
}

}  // namespace tune::kernels
