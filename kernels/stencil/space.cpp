// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/space.hpp"

#include "search/space/expr.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::Parameter;
using search::Role;
using search::SpaceDefinition;
using search::var;

Expr direct() {
  return var("variant") == "direct";
}
Expr streaming() {
  return var("variant") == "streaming";
}

// The default configuration's cells of a thread.
int default_vector(const StencilSize& size) {
  return size.type == ElementType::f64 ? 2 : 4;
}
int default_cells_y(const StencilSize& size) {
  return size.star() ? 1 : 2;
}
constexpr int kDefaultCellsZ = 4;

std::vector<Parameter> tile_parameters(const StencilSize& size) {
  return {
      {"variant",
       "direct: a thread computes its cells straight from global memory; streaming: a block marches through "
       "planes of z",
       {"direct", "streaming"},
       "direct"},
      {"block_x", "threads of a block along x", {8, 16, 32, 64, 128}, 32, std::nullopt, Role::threads},
      {"block_y", "threads of a block along y", {1, 2, 4, 8, 16}, 8, std::nullopt, Role::threads},
      {"block_z", "threads of a block along z", {1, 2, 4}, 1, direct(), Role::threads},
      {"vector",
       "neighbouring cells along x that a thread computes, loads and stores as one vector",
       {1, 2, 4},
       default_vector(size),
       std::nullopt,
       Role::work},
      {"cells_y",
       "neighbouring rows that a thread computes",
       {1, 2, 4, 8},
       default_cells_y(size),
       std::nullopt,
       Role::work},
      {"cells_z",
       "neighbouring planes that a thread computes",
       {1, 2, 4, 8},
       kDefaultCellsZ,
       direct(),
       Role::work},
  };
}

/// Unrolled multiply-adds that a kernel may have. A box of radius 2 with 4096 took 2.9 s to compile on a 3
/// GHz core and was never near the best.
constexpr int kMostTerms = 2048;
constexpr const char* kTooLong =
    "the unrolled sums are larger than the instruction cache and take seconds to compile";

int points_of(const StencilSize& size) {
  const int width = 2 * size.radius + 1;
  return size.star() ? 6 * size.radius + 1 : width * width * width;
}

std::vector<Parameter> path_parameters(const StencilSize& size) {
  const int default_cells = default_vector(size) * default_cells_y(size) * kDefaultCellsZ;
  return {
      {"shuffle",
       "whether x neighbours come from the neighbouring lanes of the warp instead of the cache",
       {false, true},
       false,
       direct() && var("radius") <= 4},
      {"readonly", "whether loads take the non-coherent path (ld.global.nc)", {false, true}, true, direct()},
      {"chunk",
       "planes of z that a block computes",
       {16, 24, 32, 48, 64, 96, 128, 192, 512},
       64,
       streaming()},
      {"queue",
       "what the registers hold: the 2 radius + 1 input planes around the current one, or the sums of the "
       "outputs to which the current plane contributes",
       {"inputs", "partial_sums"},
       "inputs",
       streaming() && var("shape") == "star"},
      {"loader",
       "how x and y neighbours come to a thread: through registers to shared memory (plain), by cp.async "
       "(async), "
       "or as loads that hit L1, without barriers (cache)",
       {"plain", "async", "cache"},
       "async",
       streaming()},
      {"stages", "planes in shared memory", {1, 2, 3, 4}, 3, streaming() && var("loader") != "cache"},
      {"unroll",
       "planes a turn of the loop over z; the queue is moved once a turn, never at 2 radius + 1",
       {1, 3, 5, 9, 17},
       1,
       streaming()},
      {"unroll_rows",
       "whether the loops over a box's rows are unrolled, with the weights as immediates instead of reads of "
       "constant memory",
       {false, true},
       points_of(size) * default_cells <= kMostTerms,
       var("shape") == "box"},
      {"padded",
       "whether rows are padded and the array is surrounded by ghost cells, so that loads need no guards",
       {false, true},
       true},
      {"store",
       "path of the stores: ordinary, or evict first (st.global.cs)",
       {"plain", "streaming"},
       "streaming"},
      {"min_blocks",
       "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
       {1, 2, 3, 4, 8},
       1},
  };
}

Expr threads() {
  return var("block_x") * var("block_y");
}
Expr direct_threads() {
  return threads() * var("block_z");
}

/// Limits on one block; `block_threads` mentions block_z for the direct variant only.
void add_block_limits(std::vector<Constraint>& rules, const Expr& applies, const Expr& block_threads) {
  const auto add = [&](const Expr& rule, const char* reason) { rules.push_back({!applies || rule, reason}); };
  add(block_threads <= var("max_threads"), "a block has more threads than the device allows");
  add(block_threads >= 64, "fewer than two warps a block cannot fill a multiprocessor");
  add(block_threads * var("min_blocks") <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on a multiprocessor");
}

/// 32-bit registers that a thread may have, at most, beyond `needed`.
Expr fits_registers(const Expr& needed, const Expr& block_threads) {
  return needed <= min(var("thread_registers"),
                       floor_div(var("multiprocessor_registers"), block_threads * var("min_blocks")));
}

void add_common_rules(std::vector<Constraint>& rules) {
  rules.push_back(
      {var("padded") || var("nx") % var("vector") == 0,
       "vectors of an unpadded array need rows that are whole vectors: else they are not aligned"});
  rules.push_back({var("block_x") * var("vector") >= 32,
                   "tiles narrower than 32 cells waste most of the lines that they touch"});
}

void add_direct_rules(std::vector<Constraint>& rules) {
  const Expr cells = var("vector") * var("cells_y") * var("cells_z");
  add_block_limits(rules, direct(), direct_threads());
  rules.push_back({cells <= 32, "more than 32 cells a thread: their sums and loads exceed the registers"});
  rules.push_back({fits_registers(cells * var("words") + 16, direct_threads()),
                   "the sums alone need more registers than min_blocks leaves to a thread"});
  rules.push_back({!var("shuffle") || var("radius") <= var("vector"),
                   "shuffles bring the x neighbours of the next lane only: the radius must fit the vector"});
  rules.push_back({!var("unroll_rows") || var("points") * cells <= kMostTerms, kTooLong});
}

void add_streaming_rules(std::vector<Constraint>& rules) {
  const Expr radius = var("radius"), width = radius * 2 + 1;
  const Expr cells = var("vector") * var("cells_y");
  add_block_limits(rules, streaming(), threads());
  rules.push_back({!streaming() || fits_registers(width * cells * var("words") + 20, threads()),
                   "the queue alone needs more registers than min_blocks leaves to a thread"});
  rules.push_back(
      {var("loader") != "plain" || var("stages") <= 2,
       "a plain loader has one plane on the way, in registers: it uses one or two shared planes"});
  rules.push_back({var("loader") != "async" || var("stages") >= 2,
                   "an asynchronous loader fills one shared plane while another one is read"});
  rules.push_back({var("unroll") <= width, "a turn longer than the queue gains nothing"});
  rules.push_back({var("unroll") == 1 || var("unroll") * var("points") * cells <= 2 * kMostTerms, kTooLong});
  rules.push_back({!streaming() || !var("unroll_rows") || var("points") * cells <= kMostTerms, kTooLong});
  rules.push_back({var("shape") == "star" || !streaming() || width * width * cells <= 1200, kTooLong});

  const Expr lead = ceil_div(radius, var("vector")) * var("vector");
  const Expr shared = var("stages") * (var("block_x") * var("vector") + lead * 2) *
                      (var("block_y") * var("cells_y") + radius * 2) * var("words") * 4;
  rules.push_back({shared <= var("block_shared"), "the planes do not fit the shared memory of a block"});
  rules.push_back({(shared + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
                   "the planes of min_blocks blocks do not fit the shared memory of a multiprocessor"});
}

}  // namespace

SpaceDefinition stencil_space(const StencilSize& size, const DeviceFacts& device) {
  SpaceDefinition space;
  space.parameters = tile_parameters(size);
  for (Parameter& parameter : path_parameters(size)) space.parameters.push_back(std::move(parameter));
  add_common_rules(space.constraints);
  add_direct_rules(space.constraints);
  add_streaming_rules(space.constraints);
  space.constants = {
      {"nx", size.nx},
      {"ny", size.ny},
      {"nz", size.nz},
      {"shape", size.shape},
      {"radius", size.radius},
      {"points", points_of(size)},
      {"words", size.element_bytes() / 4},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"thread_registers", 255},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
  return space;
}

}  // namespace tune::kernels
