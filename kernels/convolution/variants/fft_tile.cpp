// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/fft_tile.hpp"

#include <algorithm>
#include <limits>

#include "kernels/common/request.hpp"
#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rounding.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

constexpr std::int64_t points = 16, line = 32;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
/// One of the passes, in the words of fft_tile.cu.
struct Pass {
  std::int64_t length, pairs, kept, period, lines;

  std::int64_t threads() const { return length / points * pairs; }
  std::int64_t shared(const ConvolutionJob& job) const {
    return pairs * (length + length / 16) * 2 * job.element_bytes();
  }
  /// Of the long row, its first pixels' lead included.
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
  return {length, pairs, length - 2 * job.radius, job.ny + job.radius, parts(job.nx, 2 * pairs)};
}

/// Setup: the kernel that fills a pass's tables.
Launch tables_launch(const char* entry, const char* buffer, const Pass& pass) {
  constexpr std::int64_t threads = 128;
  Launch launch;
  launch.entry = entry;
  launch.grid.x = static_cast<std::uint32_t>(parts(pass.length, threads));
  launch.block.x = static_cast<std::uint32_t>(threads);
  launch.arguments = {BufferArgument{buffer}};
  return launch;
}

Launch pass_launch(const ConvolutionJob& job, const char* entry, const Pass& pass, std::int64_t blocks) {
  Launch launch;
  launch.entry = entry;
  launch.grid.x = static_cast<std::uint32_t>(blocks);
  launch.block.x = static_cast<std::uint32_t>(pass.threads());
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(pass.shared(job));
  return launch;
}

}  // namespace

bool fft_tile_applies(const ConvolutionJob&) {
  return true;
}

ConvolutionTile fft_tile_tile(const ConvolutionJob& job, const Configuration& configuration) {
  // Two rows or so of what a block keeps; columns of more than a piece.
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
  plan.compile = convolution_request(job, "convolution/fft_tile.cu",
                                     {"common/async_copy.cuh", "common/vectors.cuh",
                                      "convolution/fourier.cuh", "convolution/row_segment.cuh"},
                                     configuration, sources);
  plan.compile.entries = {"fft_rows", "fft_columns", "fft_row_tables", "fft_column_tables"};
  add_images(plan, job, image);
  plan.buffers.push_back({"between", job.type, between, BufferRole::scratch, true});
  plan.buffers.push_back({"row_tables", job.type, rows.tables(), BufferRole::scratch});
  plan.buffers.push_back({"column_tables", job.type, columns.tables(), BufferRole::scratch});
  plan.setup.emplace_back(tables_launch("fft_row_tables", "row_tables", rows));
  plan.setup.emplace_back(tables_launch("fft_column_tables", "column_tables", columns));

  const auto pitch = static_cast<std::int64_t>(image.strides[1]);
  const auto between_pitch = static_cast<std::int64_t>(between.strides[1]);
  Launch row_launch = pass_launch(job, "fft_rows", rows, parts(rows.positions(), rows.kept * 2 * rows.pairs));
  row_launch.arguments = {BufferArgument{"in"},
                          BufferArgument{"between"},
                          BufferArgument{"row_tables"},
                          int32(job.nx),
                          int32(job.ny),
                          ScalarArgument{pitch},
                          ScalarArgument{between_pitch},
                          ScalarArgument{static_cast<std::uint32_t>(rows.period)}};
  plan.launches.emplace_back(std::move(row_launch));
  Launch column_launch = pass_launch(job, "fft_columns", columns, parts(columns.positions(), columns.kept));
  column_launch.arguments = {BufferArgument{"between"},
                             BufferArgument{"out"},
                             BufferArgument{"column_tables"},
                             int32(job.nx),
                             int32(job.ny),
                             ScalarArgument{between_pitch},
                             ScalarArgument{pitch},
                             ScalarArgument{static_cast<std::uint32_t>(columns.period)},
                             int32(columns.lines)};
  plan.launches.emplace_back(std::move(column_launch));
  plan.tolerance =
      transforms_tolerance(job, static_cast<double>(rows.length), static_cast<double>(columns.length));
  return plan;
}

void add_fft_tile_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters) {
  const Expr tiles = convolution::is_variant("fft_tile");
  const auto add = [&](search::Parameter parameter) { parameters.push_back(std::move(parameter)); };
  std::vector<search::Value> lengths;
  for (const std::int64_t length : {256, 512, 1024, 2048, 4096, 8192})
    if (length >= 3 * job.radius + 64) lengths.emplace_back(length);
  const search::Value usual = lengths[std::min<std::size_t>(lengths.size() - 1, 1)];
  add({"row_length", "rows: pixels of a piece that is transformed", lengths, usual, tiles});
  add({"row_pairs", "rows: pairs of pieces of a block", {1, 2, 4, 8}, 1, tiles});
  add({"row_blocks", "rows: blocks that shall fit on a multiprocessor", {1, 2, 3, 4, 6, 8}, 1, tiles});
  add({"column_length", "columns: pixels of a piece that is transformed", lengths, usual, tiles});
  add({"column_pairs", "columns: pairs of columns of a block", {2, 4, 8, 16}, 4, tiles});
  add({"column_blocks", "columns: blocks that shall fit on a multiprocessor", {1, 2, 3, 4, 6, 8}, 1, tiles});
}

void add_fft_tile_rules(const ConvolutionJob& job, std::vector<search::Constraint>& all) {
  convolution::Rules rules(all, convolution::is_variant("fft_tile"));
  rules.add(var("vector") <= 2, "the results of a thread are of two columns");
  const int words = job.element_bytes() / 4;
  const auto block = [&](const char* length, const char* pairs, const char* blocks) {
    const Expr threads = floor_div(var(length), 16) * var(pairs);
    const Expr shared = (var(length) + floor_div(var(length), 16)) * var(pairs) * 8 * words;
    rules.add(threads >= 64, "fewer than two warps a block cannot fill a multiprocessor");
    rules.add_block(threads, Expr(36 * words + 12), shared, var(blocks));
  };
  block("row_length", "row_pairs", "row_blocks");
  block("column_length", "column_pairs", "column_blocks");
}

}  // namespace tune::kernels
