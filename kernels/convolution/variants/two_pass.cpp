// SPDX-License-Identifier: Apache-2.0
// The variant `two_pass`: a kernel for rows, one for columns, a scratch image between.
#include <algorithm>

#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

struct TwoPassGeometry {
  TwoPassGeometry(const ConvolutionJob& of_job, const Configuration& configuration)
      : job(of_job),
        row_block_x(configuration["row_block_x"].as_int()),
        row_block_y(configuration["row_block_y"].as_int()),
        row_pixels(configuration["row_pixels"].as_int()),
        column_block_x(configuration["column_block_x"].as_int()),
        column_block_y(configuration["column_block_y"].as_int()),
        column_pixels(configuration["column_pixels"].as_int()) {}

  std::int64_t row_tile() const { return row_block_x * row_pixels; }
  std::int64_t column_tile_x() const { return column_block_x * job.vector_width(); }
  std::int64_t column_tile_y() const { return column_block_y * column_pixels; }

  /// Returns the layout of the scratch image: whole tiles of the columns' kernel, and rows of zeros above and
  /// below, including those that a turn loads ahead.
  Layout between() const {
    constexpr std::int64_t row_unit = 32, ahead = 64;
    Layout layout = layout_with_pitch(job.extents(), round_up(job.nx, row_unit));
    const std::uint64_t pitch = layout.strides[1];
    const std::int64_t rows = round_up(job.ny, column_tile_y());
    layout.offset = pitch * static_cast<std::uint64_t>(job.radius);
    layout.allocation = pitch * static_cast<std::uint64_t>(rows + 2 * job.radius + ahead);
    return layout;
  }

  ConvolutionJob job;
  std::int64_t row_block_x, row_block_y, row_pixels;
  std::int64_t column_block_x, column_block_y, column_pixels;
};

/// Returns the bytes of shared memory of the kernel for rows: groups of 16 bytes, placed as by `place` in
/// two_pass.cu, and the taps. `skewed`, `with_taps`: 1 or 0.
Expr row_shared(const Expr& skewed, const Expr& with_taps) {
  const Expr groups = floor_div(var("row_block_x") * var("row_pixels") + var("lead") * 2, var("lanes"));
  return (var("row_block_y") * (groups + skewed * floor_div(groups, 8)) * var("lanes") +
          with_taps * (var("lead") * 2 + var("lanes"))) *
         var("words") * 4;
}
Expr row_shared() {
  return row_shared(floor_div(var("row_pixels"), var("lanes")) % 2 == 0, var("taps") == "shared");
}
/// Returns the same for the kernel for columns: the taps as whole groups.
Expr column_shared() {
  return (var("taps") == "shared") * ceil_div(var("radius") * 2 + 1, var("lanes")) * var("lanes") *
         var("words") * 4;
}

void add_two_pass(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"unroll", "taps", "padded", "vector", "store", "min_blocks"});
  const bool wide = job.type == ElementType::f64;
  space.add("turn", "groups of 16 bytes of taps that a turn of a rolled loop adds", {1, 2, 4}, 1,
            !var("unroll"));
  space.add("row_block_x", "rows: threads of a block along x", {32, 64, 128, 256}, 64, {}, Role::threads);
  space.add("row_block_y", "rows: threads of a block along y", {1, 2, 4, 8}, 4, {}, Role::threads);
  space.add("row_pixels", "rows: neighbouring pixels that a thread computes",
            wide ? std::vector<Value>{2, 4, 6, 8, 10, 12} : std::vector<Value>{4, 8, 12, 16, 20, 24},
            wide ? 6 : 8, {}, Role::work);
  space.add("staged", "rows: whether results go through shared memory, so that stores are of whole lines",
            {false, true}, true);
  space.add("column_block_x", "columns: threads of a block along x, each with 16 bytes of a row",
            {16, 32, 64, 128}, 32);
  space.add("column_block_y", "columns: threads of a block along y", {1, 2, 4, 8, 16}, 8);
  space.add("column_pixels", "columns: pixels one above the other that a thread computes",
            wide ? std::vector<Value>{4, 8, 12, 16, 24} : std::vector<Value>{4, 8, 12, 16, 24, 32}, 8);
  const Rules rules = space.rules();
  rules.add(has_async_copies(), no_async_copies);
  const Expr taps = var("radius") * 2 + 1;
  rules.add(var("taps") != "immediate" || var("unroll"),
            "a loop that is not unrolled has no taps in its instructions");
  rules.add(var("taps") != "shared" || !var("unroll"),
            "unrolled loops have their taps as operands: shared memory is for the others");
  rules.add(!var("unroll") || taps * var("row_pixels") <= max_convolution_terms, too_many_terms);
  rules.add(!var("unroll") || taps * var("column_pixels") * var("lanes") <= 2 * max_convolution_terms,
            too_many_terms);
  const Expr row_threads = var("row_block_x") * var("row_block_y");
  rules.add(!var("staged") || var("row_pixels") > var("lanes"),
            "rows: threads of one access store whole lines as it is");
  rules.add_min_threads(row_threads);
  rules.add(row_threads <= 512 && var("row_block_x") * var("row_pixels") <= 4096,
            "rows: larger blocks wait longer at barriers and were never faster");
  // An upper bound for all choices: the numbers of configurations follow from it.
  add_block_rules(rules, row_threads, var("row_pixels") * var("words") * 2 + 24, row_shared(1, 1));
  const Expr column_threads = var("column_block_x") * var("column_block_y");
  rules.add(column_threads >= 64 && column_threads <= 512, "columns: blocks are of 64 to 512 threads");
  rules.add(var("column_pixels") * 4 + var("turn") * var("lanes") * 8 + 40 <= var("thread_registers"),
            "columns: the sums and the pixels of two turns do not fit the registers");
  add_block_rules(rules, column_threads, var("column_pixels") * 4 + 24, column_shared());
}

ConvolutionTile two_pass_tile(const ConvolutionJob& job, const Configuration& configuration) {
  const TwoPassGeometry geometry(job, configuration);
  return {std::max(geometry.row_tile(), geometry.column_tile_x()),
          std::max(geometry.row_block_y, geometry.column_tile_y())};
}

Result<LaunchPlan> plan_two_pass(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const TwoPassGeometry geometry(job, configuration);
  const Result<std::uint32_t> row_blocks = blocks_of_tiles(job, geometry.row_tile(), geometry.row_block_y);
  const Result<std::uint32_t> column_blocks =
      blocks_of_tiles(job, geometry.column_tile_x(), geometry.column_tile_y());
  if (!row_blocks) return tl::unexpected<Failure>(row_blocks.error());
  if (!column_blocks) return tl::unexpected<Failure>(column_blocks.error());
  const Layout image = image_layout(job, configuration["padded"].as_bool()), between = geometry.between();

  LaunchPlan plan;
  plan.compile = convolution_request(job, "two_pass.cu", configuration, sources);
  plan.compile.entries = {"convolve_rows", "convolve_columns"};
  add_images(plan, job, image);
  plan.buffers.push_back({"between", job.type, between, BufferRole::scratch, true, BufferFill::zero});

  const ScalarArgument pitch = int64(image.strides[1]);
  const ScalarArgument between_pitch = int32(static_cast<std::int64_t>(between.strides[1]));
  plan.launches.emplace_back(make_launch(
      "convolve_rows", *row_blocks, block_of(geometry.row_block_x, geometry.row_block_y),
      {BufferArgument{"in"}, BufferArgument{"between"}, int32(job.nx), int32(job.ny), pitch, between_pitch},
      convolution_value(row_shared(), job, configuration)));
  plan.launches.emplace_back(make_launch(
      "convolve_columns", *column_blocks, block_of(geometry.column_block_x, geometry.column_block_y),
      {BufferArgument{"between"}, BufferArgument{"out"}, int32(job.nx), int32(job.ny), between_pitch, pitch},
      convolution_value(column_shared(), job, configuration)));
  return plan;
}

}  // namespace

ConvolutionVariant two_pass_convolution() {
  return {"two_pass",    "a kernel for rows, one for columns, a scratch image between",
          always,        add_two_pass,
          plan_two_pass, two_pass_tile,
          nullptr,       seconds_of_two_passes};
}

}  // namespace tune::kernels
