// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/launches.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/common/request.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// Elements whose multiple a padded pitch is: a line of 128 bytes of floats.
constexpr std::int64_t line = 32;

std::int64_t rounded_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();

Layout vector_layout(std::int64_t length) {
  return Layout::dense({static_cast<std::uint64_t>(length)});
}

}  // namespace

std::int64_t matvec_pitch(const MatvecJob& job, bool padded) {
  return padded ? rounded_up(job.columns, line) : job.columns;
}

CompileRequest matvec_request(const MatvecJob& job, std::string_view file,
                              const std::vector<std::string_view>& headers,
                              const Configuration& configuration, const KernelSources& sources,
                              const std::vector<std::string_view>& no_macros) {
  CompileRequest request;
  request.source = {std::string(file), sources.text(file)};
  for (const std::string_view name :
       {"common/async_copy.cuh", "common/vectors.cuh", "matvec/march.cuh", "matvec/strip.cuh",
        "matvec/sums.cuh", "matvec/sums_kernels.cuh", "matvec/words.cuh"})
    request.headers.push_back(header(sources, name));
  for (const std::string_view name : headers) request.headers.push_back(header(sources, name));
  request.defines = {{"REAL", std::string(to_string(job.type))}};
  for (const auto& [parameter, value] : configuration.entries())
    if (parameter != "variant" && parameter != "padded" && parameter != "strip" &&
        std::ranges::find(no_macros, parameter) == no_macros.end())
      request.defines.push_back(macro(parameter, value));
  return request;
}

void add_matvec_buffers(LaunchPlan& plan, const MatvecJob& job, bool padded) {
  const auto add = [&](const char* name, std::int64_t length, BufferRole role) {
    plan.buffers.push_back({name, job.type, vector_layout(length), role});
  };
  const auto pitch = static_cast<std::uint64_t>(matvec_pitch(job, padded));
  Layout layout;
  layout.extents = job.extents();
  layout.strides = {1, pitch};
  layout.allocation = pitch * static_cast<std::uint64_t>(job.rows);
  // Vectors that reach beyond a row's end are loaded by asynchronous copies that leave its padding alone.
  plan.buffers.push_back({"a", job.type, std::move(layout), BufferRole::input});
  if (job.has_n()) add("x", job.columns, BufferRole::input);
  add("y", job.rows, job.has_n() ? BufferRole::output : BufferRole::input);
  if (job.has_t()) add("z", job.columns, BufferRole::output);
}

std::int64_t partial_pitch(std::int64_t length) {
  return rounded_up(length, line);
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
  Launch launch;
  launch.entry = "matvec_reduce";
  launch.grid.x = static_cast<std::uint32_t>((length + 31) / 32);
  launch.block.x = static_cast<std::uint32_t>(32 * parts);
  launch.arguments = {BufferArgument{sums}, BufferArgument{out}, int_argument(count),
                      long_argument(partial_pitch(length)), int_argument(length)};
  return launch;
}

Launch clear_launch(const std::string& out, std::int64_t length) {
  Launch launch;
  launch.entry = "matvec_clear";
  launch.grid.x = static_cast<std::uint32_t>((length + 255) / 256);
  launch.block.x = 256;
  launch.arguments = {BufferArgument{out}, int_argument(length)};
  return launch;
}

Launch block_launch(std::string entry, const MatvecShape& shape, std::int64_t shared, const MatvecJob& job) {
  Launch launch;
  launch.entry = std::move(entry);
  launch.grid.x = static_cast<std::uint32_t>(shape.slices * shape.row_blocks);
  launch.block = {static_cast<std::uint32_t>(shape.block_x), static_cast<std::uint32_t>(shape.block_y), 1};
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(shared * job.element_bytes());
  return launch;
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
  add(int_argument(job.rows));
  add(int_argument(job.columns));
  add(long_argument(matvec_pitch(job, padded)));
  add(int_argument(shape.row_block));
  add(long_argument(apart ? partial_pitch(job.columns) : 0));
  if (reduction == "atomic") plan.launches.emplace_back(clear_launch("z", job.columns));
  plan.launches.emplace_back(std::move(launch));
  if (apart && reduction == "kernel")
    plan.launches.emplace_back(
        reduce_launch("z_parts", "z", shape.row_blocks, job.columns, reduce_parts(configuration)));
}

std::optional<Failure> beyond_indices(const MatvecJob& job, const MatvecShape& shape) {
  if (shape.slices <= max_index / shape.row_blocks && job.rows <= max_matvec_rows &&
      job.columns <= max_matvec_columns)
    return {};
  return Failure{Phase::constraint, "extent",
                 format("{} x {} blocks are more than a grid has", shape.row_blocks, shape.slices)};
}

KernelArgument int_argument(std::int64_t value) {
  return ScalarArgument{static_cast<std::int32_t>(value)};
}
KernelArgument long_argument(std::int64_t value) {
  return ScalarArgument{value};
}

}  // namespace tune::kernels
