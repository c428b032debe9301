// SPDX-License-Identifier: Apache-2.0
// Which configurations of `temporal` are valid.
#include <algorithm>

#include "kernels/stencil/plan/rules.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::var;

Expr temporal() {
  return is_variant("temporal");
}
/// Multiply-adds of a whole launch that the compiler unrolls: once for tiles without, once for tiles with
/// cells that keep their values. 6000 take about two seconds on a 3 GHz core.
constexpr int max_fused_terms = 6000;

}  // namespace

void add_temporal_rules(std::vector<Constraint>& rules, const StencilJob& job) {
  const auto add = [&](const Expr& rule, const char* reason) {
    rules.push_back({!temporal() || rule, reason});
  };
  const Expr cells = var("cells_x") * var("cells_y");
  add(var("fused") >= 2, "one step a launch is what direct and streaming are made for");
  add(var("fused") <= 16, "the sums of more than 16 steps exceed the registers");
  add(cells <= 32, "more than 32 cells a lane: their sums exceed the registers");
  add(var("unroll") <= 2, "after two planes all sums are where they were");
  add(var("cells_x") % var("vector") == 0, "an access must not reach into the cells of the next lane");
  add(var("threads") <= var("max_threads"), "a block has more threads than the device allows");
  add(var("threads") * var("min_blocks") <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on a multiprocessor");
  add(var("fused") * var("points") * cells * var("unroll") <= max_fused_terms, too_many_terms);

  // Sums of every level, the plane at hand and those that are loaded, and, where levels wait for rows of
  // other warps, the planes that wait.
  const auto [rx, ry, rz] = job.stencil.radii();
  const Expr waiting = ry > 0 && !job.stencil.star() ? var("fused") : Expr(0);
  const Expr kept =
      (var("fused") * (2 * std::max(rz, 1)) + waiting + var("ahead") + 1) * cells * var("words");
  add(fits_registers(kept + 16, var("threads")),
      "the sums of all steps need more registers than a thread may have");

  // A tile must not be spoilt for the most part.
  const Expr spoilt_x = var("fused") * (2 * rx);
  add(spoilt_x * 3 <= var("cells_x") * 64,
      "more than two thirds of a tile's columns are spoilt by the steps");
  if (ry > 0) {
    add(var("cells_y") >= ry, "a warp needs rows of its direct neighbours only");
    add(var("fused") * (6 * ry) <= floor_div(var("threads"), 16) * var("cells_y"),
        "more than two thirds of a tile's rows are spoilt by the steps");
    const Expr shared = var("fused") * 2 * var("threads") * (2 * ry) * var("cells_x") * var("words") * 4;
    add(shared <= var("block_shared"),
        "the rows that warps exchange do not fit the shared memory of a block");
    add((shared + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
        "the rows of min_blocks blocks do not fit the shared memory of a multiprocessor");
  }
}

}  // namespace tune::kernels
