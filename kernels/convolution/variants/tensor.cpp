// SPDX-License-Identifier: Apache-2.0
// The variant `tensor`: products with matrices of the taps, by tensor cores.
#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::var;

constexpr std::int64_t tile = 16;  // columns of a tile
constexpr std::int64_t turn_rows = 8;

/// The same quantities as in tensor.cu.
struct TensorGeometry {
  explicit TensorGeometry(const ConvolutionJob& job)
      : vector_width(job.vector_width()),
        aligned_halo(round_up(job.radius, vector_width)),
        row_skip(job.radius % 2),
        row_steps((16 + 2 * job.radius + row_skip + 7) / 8),
        column_steps((8 + 2 * job.radius + 7) / 8),
        beside(aligned_halo - job.radius - row_skip - tile + 8 * row_steps) {}

  /// Returns the numbers in both matrices of taps: floats are in two parts.
  std::int64_t matrices(const ConvolutionJob& job) const {
    return (4 * row_steps + 2 * column_steps) * (job.type == ElementType::f64 ? 1 : 2);
  }

  std::int64_t vector_width, aligned_halo, row_skip, row_steps, column_steps;
  std::int64_t beside;  ///< columns of a block's rows that are not those of its results
};

Expr block_columns() {
  return var("warps") * var("tiles_x") * tile;
}

/// Returns the bytes of the ring of rows, and of the matrices if they lie in shared memory.
Expr tensor_shared(const ConvolutionJob& job) {
  const TensorGeometry geometry(job);
  const Expr length =
      floor_div(block_columns() + (geometry.beside + geometry.vector_width - 1), geometry.vector_width) *
      geometry.vector_width;
  const Expr pitch = floor_div(length + 7, 16) * 16 + 8;
  const Expr shared = var("matrices") == "shared";
  return (var("stages") * pitch * turn_rows + shared * (32 * geometry.matrices(job))) * var("words") * 4;
}

/// The matrices of a larger radius do not fit the registers.
bool tensor_applies(const ConvolutionJob& job) {
  return job.radius <= (job.type == ElementType::f64 ? 32 : 48);
}

void add_tensor(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"padded", "vector", "store", "min_blocks", "chunk", "stages"});
  const bool wide = job.type == ElementType::f64;
  space.add("warps", "warps of a block, side by side", {1, 2, 4, 8}, 4, {}, Role::threads);
  space.add("tiles_x", "groups of 16 columns that a warp computes", {1, 2, 3, 4, 6},
            !wide              ? 4
            : job.radius <= 16 ? 2
                               : 1,
            {}, Role::work);
  space.add(
      "matrices",
      "where the matrices of the taps lie: in registers, or in shared memory, from where a turn reads each "
      "step's part once for all columns of a warp",
      {"registers", "shared"}, job.radius <= 16 ? "registers" : "shared");
  if (!wide)
    space.add(
        "rounded",
        "whether sums of 8 terms are added by additions that round; else by the tensor cores, which cut: "
        "errors are larger then",
        {false, true}, false);
  const Rules rules = space.rules();
  rules.add(var("compute_major") == 0 || var("compute_major") >= 8, no_tensor_cores);
  const TensorGeometry geometry(job);
  const Expr threads = var("warps") * 32;
  rules.add(var("chunk") % turn_rows == 0, "a block has whole turns of 8 rows");
  rules.add(var("warps") * var("tiles_x") <= 24, "wider blocks wait longer at barriers");
  const std::int64_t parts = job.type == ElementType::f64 ? 1 : 2, matrices = geometry.matrices(job);
  const Expr shared = var("matrices") == "shared", own = var("matrices") == "registers";
  // The sums of both passes, and the taps, or the pixels of all columns that the taps of a step are
  // multiplied with.
  const Expr pixels = (var("tiles_x") * 2 + (geometry.row_steps - 2)) * (2 * parts);
  const Expr sums = var("tiles_x") * (4 * geometry.column_steps + 4);
  const Expr registers = (sums + own * matrices + shared * pixels) * var("words") + own * 16 + 14;
  add_block_rules(rules, threads, registers, tensor_shared(job));
}

ConvolutionTile tensor_tile(const ConvolutionJob& job, const Configuration& configuration) {
  return {convolution_value(block_columns(), job, configuration), configuration["chunk"].as_int()};
}

Result<LaunchPlan> plan_tensor(const ConvolutionJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const ConvolutionTile block = tensor_tile(job, configuration);
  Result<LaunchPlan> plan =
      plan_tiles(job, configuration, sources, "tensor.cu", "convolve_tensor", {block.x, block.y},
                 block_of(configuration["warps"].as_int() * 32), tensor_shared(job));
  if (!plan) return plan;
  const search::Value* rounded = configuration.find("rounded");
  plan->tolerance = products_tolerance(job, rounded != nullptr && rounded->as_bool());
  return plan;
}

}  // namespace

ConvolutionVariant tensor_convolution() {
  return {"tensor",
          "warps march down strips of columns: products with matrices of the taps, by tensor cores",
          tensor_applies,
          add_tensor,
          plan_tensor,
          tensor_tile,
          tensor_applies,
          seconds_of_one_pass};
}

}  // namespace tune::kernels
