// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/variant.hpp"

#include <limits>
#include <utility>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/family.hpp"
#include "kernels/framework/request.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
using search::Expr;
using search::if_else;
using search::var;

MatvecShape::MatvecShape(const MatvecJob& job, const search::Configuration& configuration) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  block_x = value("block_x");
  block_y = value("block_y");
  vector = value("vector");
  unroll_x = value("unroll_x");
  unroll_y = value("unroll_y");
  stages = value("stages");
  row_block = value("strip");
  stored_in_shared = configuration["kept"].as_text() == "shared";
  x_shared = configuration.has("place") && configuration["place"].as_text() == "shared";
  const auto evaluate = [&](const Expr& expression) {
    return evaluated(expression, configuration, {{"rows", job.rows}, {"columns", job.columns}});
  };
  tile = evaluate(matvec_tile());
  batch = evaluate(matvec_batch());
  slices = evaluate(matvec_slices());
  row_blocks = evaluate(matvec_row_blocks());
}

Expr matvec_tile() {
  return var("block_x") * (var("vector") * var("unroll_x"));
}

Expr matvec_batch() {
  return var("block_y") * var("unroll_y");
}

Expr matvec_slices() {
  return ceil_div(var("columns"), matvec_tile());
}

Expr matvec_row_blocks() {
  return ceil_div(var("rows"), var("strip"));
}

Expr matvec_shared(bool products, bool sums) {
  const Expr x = products ? if_else(var("place") == "shared", matvec_tile(), Expr(0)) : Expr(0);
  const Expr ring = if_else(var("kept") == "shared", var("stages") * matvec_batch() * matvec_tile(), Expr(0));
  const Expr combined =
      sums ? if_else(var("block_y") > 1, var("block_x") * var("block_y") * var("vector"), Expr(0)) : Expr(0);
  return max(x + ring, combined);
}

namespace {

/// A padded pitch is a multiple of this [elements]: a line of 128 bytes of floats.
constexpr std::int64_t line = 32;

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

Layout vector_layout(std::int64_t length) {
  return Layout::dense({static_cast<std::uint64_t>(length)});
}

}  // namespace

std::int64_t matvec_pitch(const MatvecJob& job, bool padded) {
  return padded ? round_up(job.columns, line) : job.columns;
}

const KernelFiles& matvec_kernels() {
  static const KernelFiles files("matvec", {grid_barrier_file});
  return files;
}

Result<LaunchPlan> matvec_plan(const MatvecJob& job, const MatvecShape& shape, std::string_view file,
                               const Configuration& configuration, const KernelSources& sources) {
  if (shape.slices > max_index / shape.row_blocks || job.rows > max_matvec_rows ||
      job.columns > max_matvec_columns)
    return fail(Phase::constraint, "extent",
                format("{} x {} blocks are more than a grid has", shape.row_blocks, shape.slices));
  LaunchPlan plan;
  plan.compile = matvec_kernels().request(file, sources);
  plan.compile.defines = {{"REAL", std::string(to_string(job.type))}};
  add_macros(plan.compile, configuration, {"padded", "strip"});
  const auto add = [&](const char* name, std::int64_t length, BufferRole role) {
    plan.buffers.push_back({name, job.type, vector_layout(length), role});
  };
  // Asynchronous copies of vectors that reach beyond a row's end leave its padding alone.
  const Layout matrix =
      layout_with_pitch(job.extents(), matvec_pitch(job, configuration["padded"].as_bool()));
  plan.buffers.push_back({"a", job.type, matrix, BufferRole::input});
  if (job.has_n()) add("x", job.columns, BufferRole::input);
  add("y", job.rows, job.has_n() ? BufferRole::output : BufferRole::input);
  if (job.has_t()) add("z", job.columns, BufferRole::output);
  return plan;
}

std::int64_t partial_pitch(std::int64_t length) {
  return round_up(length, line);
}

void add_partial_sums(LaunchPlan& plan, const MatvecJob& job, std::string name, std::int64_t count,
                      std::int64_t length) {
  plan.buffers.push_back(
      {std::move(name), job.type, vector_layout(count * partial_pitch(length)), BufferRole::scratch});
}

std::int64_t reduce_parts(const Configuration& configuration) {
  const search::Value* parts = configuration.find("reduce_parts");
  return parts != nullptr ? parts->as_int() : 8;
}

Launch reduce_launch(const std::string& sums, const std::string& out, std::int64_t count, std::int64_t length,
                     std::int64_t parts) {
  return make_launch(
      "matvec_reduce", ceil_div(length, 32), block_of(32 * parts),
      {BufferArgument{sums}, BufferArgument{out}, int32(count), int64(partial_pitch(length)), int32(length)});
}

Launch clear_launch(const std::string& out, std::int64_t length) {
  return make_launch("matvec_clear", ceil_div(length, 256), block_of(256),
                     {BufferArgument{out}, int32(length)});
}

Launch block_launch(std::string entry, const MatvecShape& shape, const search::Expr& shared,
                    const MatvecJob& job, const Configuration& configuration) {
  return make_launch(std::move(entry), shape.slices * shape.row_blocks,
                     block_of(shape.block_x, shape.block_y), {},
                     evaluated(shared, configuration, {}) * job.element_bytes());
}

void add_summed_launch(LaunchPlan& plan, const MatvecJob& job, const MatvecShape& shape,
                       const Configuration& configuration, Launch launch,
                       const std::vector<KernelArgument>& others) {
  const std::string& reduction = configuration["reduction"].as_text();
  const bool padded = configuration["padded"].as_bool();
  const bool apart = reduction == "barrier" || (reduction == "kernel" && shape.row_blocks > 1);
  if (apart) add_partial_sums(plan, job, "z_parts", shape.row_blocks, job.columns);
  plan.buffers.push_back(grid_barrier_counter());
  const auto add = [&](KernelArgument argument) { launch.arguments.push_back(std::move(argument)); };
  add(BufferArgument{apart ? "z_parts" : "z"});
  add(BufferArgument{"z"});
  for (const KernelArgument& other : others) add(other);
  add(BufferArgument{plan.buffers.back().name});
  add(int32(job.rows));
  add(int32(job.columns));
  add(int64(matvec_pitch(job, padded)));
  add(int32(shape.row_block));
  add(int64(apart ? partial_pitch(job.columns) : 0));
  if (reduction == "atomic") plan.launches.emplace_back(clear_launch("z", job.columns));
  plan.launches.emplace_back(std::move(launch));
  if (apart && reduction == "kernel")
    plan.launches.emplace_back(
        reduce_launch("z_parts", "z", shape.row_blocks, job.columns, reduce_parts(configuration)));
}

}  // namespace tune::kernels
