// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/tensor.hpp"

#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rounding.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

constexpr std::int64_t tile = 16;  // columns of a tile
constexpr std::int64_t turn_rows = 8;

/// As in tensor.cu.
struct TensorGeometry {
  explicit TensorGeometry(const ConvolutionJob& job)
      : vector_width(job.vector_width()),
        aligned_halo((job.radius + vector_width - 1) / vector_width * vector_width),
        row_skip(job.radius % 2),
        row_steps((16 + 2 * job.radius + row_skip + 7) / 8),
        column_steps((8 + 2 * job.radius + 7) / 8),
        beside(aligned_halo - job.radius - row_skip - tile + 8 * row_steps) {}

  /// Pixels from a row of a block of so many columns to the next one, in shared memory.
  std::int64_t row_pitch(std::int64_t columns) const {
    const std::int64_t length = (beside + columns + vector_width - 1) / vector_width * vector_width;
    return (length + 7) / 16 * 16 + 8;
  }

  /// Numbers of both matrices of taps: floats are in two parts.
  std::int64_t matrices(const ConvolutionJob& job) const {
    return (4 * row_steps + 2 * column_steps) * (job.type == ElementType::f64 ? 1 : 2);
  }

  std::int64_t vector_width, aligned_halo, row_skip, row_steps, column_steps;
  std::int64_t beside;  ///< columns of a block's rows that are not those of its results
};

std::int64_t block_columns(const Configuration& configuration) {
  return configuration["warps"].as_int() * configuration["tiles_x"].as_int() * tile;
}

std::int64_t tensor_shared_bytes(const ConvolutionJob& job, const Configuration& configuration) {
  const TensorGeometry geometry(job);
  const std::int64_t ring =
      configuration["stages"].as_int() * turn_rows * geometry.row_pitch(block_columns(configuration));
  const bool shared = configuration["matrices"].as_text() == "shared";
  return (ring + (shared ? 32 * geometry.matrices(job) : 0)) * job.element_bytes();
}

}  // namespace

/// Beyond, the matrices of the taps do not fit the registers.
bool tensor_convolution_applies(const ConvolutionJob& job) {
  return job.radius <= (job.type == ElementType::f64 ? 32 : 48);
}

ConvolutionTile tensor_convolution_tile(const ConvolutionJob&, const Configuration& configuration) {
  return {block_columns(configuration), configuration["chunk"].as_int()};
}

Result<LaunchPlan> plan_tensor_convolution(const ConvolutionJob& job, const Configuration& configuration,
                                           const KernelSources& sources) {
  const ConvolutionTile block = tensor_convolution_tile(job, configuration);
  const Result<std::uint32_t> blocks = blocks_of_tiles(job, block.x, block.y);
  if (!blocks) return tl::unexpected<Failure>(blocks.error());
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(job, "convolution/tensor.cu",
                                     {"common/async_copy.cuh", "common/tensor_core.cuh", "common/vectors.cuh",
                                      "convolution/row_segment.cuh", "convolution/tap_matrices.cuh"},
                                     configuration, sources);
  plan.compile.entries = {"convolve_tensor"};
  add_images(plan, job, image);
  Launch launch;
  launch.entry = "convolve_tensor";
  launch.grid.x = *blocks;
  launch.block.x = static_cast<std::uint32_t>(configuration["warps"].as_int() * 32);
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(tensor_shared_bytes(job, configuration));
  launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"},
                      ScalarArgument{static_cast<std::int32_t>(job.nx)},
                      ScalarArgument{static_cast<std::int32_t>(job.ny)},
                      ScalarArgument{static_cast<std::int64_t>(image.strides[1])}};
  plan.launches.emplace_back(std::move(launch));
  const search::Value* rounded = configuration.find("rounded");
  plan.tolerance = products_tolerance(job, rounded != nullptr && rounded->as_bool());
  return plan;
}

void add_tensor_convolution_parameters(const ConvolutionJob& job,
                                       std::vector<search::Parameter>& parameters) {
  const Expr tensor = convolution::is_variant("tensor");
  const bool wide = job.type == ElementType::f64;
  const auto add = [&](search::Parameter parameter) { parameters.push_back(std::move(parameter)); };
  add({"warps", "warps of a block, side by side", {1, 2, 4, 8}, 4, tensor, Role::threads});
  add({"tiles_x",
       "groups of 16 columns that a warp computes",
       {1, 2, 3, 4, 6},
       !wide              ? 4
       : job.radius <= 16 ? 2
                          : 1,
       tensor,
       Role::work});
  add({"matrices",
       "where the matrices of the taps lie: in registers, or in shared memory, from where a turn reads each "
       "step's part once for all columns of a warp",
       {"registers", "shared"},
       job.radius <= 16 ? "registers" : "shared",
       tensor});
  if (wide) return;
  add({"rounded",
       "whether sums of 8 terms are added by additions that round; else by the tensor cores, which cut: "
       "errors are larger then",
       {false, true},
       false,
       tensor});
}

void add_tensor_convolution_rules(const ConvolutionJob& job, std::vector<search::Constraint>& all) {
  convolution::Rules rules(all, convolution::is_variant("tensor"));
  rules.add(var("compute_major") == 0 || var("compute_major") >= 8,
            "the device has no tensor cores for these types: they came with compute capability 8.0");
  const TensorGeometry geometry(job);
  const Expr threads = var("warps") * 32;
  rules.add(var("chunk") % turn_rows == 0, "a block has whole turns of 8 rows");
  rules.add(var("warps") * var("tiles_x") <= 24, "wider blocks wait longer for each other");
  const std::int64_t parts = job.type == ElementType::f64 ? 1 : 2, matrices = geometry.matrices(job);
  const Expr shared = var("matrices") == "shared", own = var("matrices") == "registers";
  // The sums of both passes, and the taps, or the pixels of all columns that a step's taps wait for.
  const Expr pixels = (var("tiles_x") * 2 + (geometry.row_steps - 2)) * (2 * parts);
  const Expr sums = var("tiles_x") * (4 * geometry.column_steps + 4);
  const Expr registers = (sums + own * matrices + shared * pixels) * var("words") + own * 16 + 14;
  const Expr columns = var("warps") * var("tiles_x") * tile;
  const Expr length =
      floor_div(columns + (geometry.beside + geometry.vector_width - 1), geometry.vector_width) *
      geometry.vector_width;
  const Expr pitch = floor_div(length + 7, 16) * 16 + 8;
  rules.add_block(threads, registers,
                  (var("stages") * pitch * turn_rows + shared * (32 * matrices)) * var("words") * 4);
}

}  // namespace tune::kernels
