// SPDX-License-Identifier: Apache-2.0
// Which configurations of `direct` and `streaming` are valid.
#include "kernels/stencil/rules.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::var;

Expr direct() {
  return is_variant("direct");
}
Expr streaming() {
  return is_variant("streaming");
}
Expr threads() {
  return var("block_x") * var("block_y");
}
Expr direct_threads() {
  return threads() * var("block_z");
}

}  // namespace

void add_direct_rules(std::vector<Constraint>& rules) {
  const Expr cells = var("vector") * var("cells_y") * var("cells_z");
  add_block_limits(rules, direct(), direct_threads());
  rules.push_back({var("block_x") * var("vector") >= 32,
                   "tiles narrower than 32 cells waste most of the lines that they touch"});
  rules.push_back({cells <= 32, "more than 32 cells a thread: their sums and loads exceed the registers"});
  rules.push_back({fits_registers(cells * var("words") + 16, direct_threads()),
                   "the sums alone need more registers than min_blocks leaves to a thread"});
  rules.push_back({!var("shuffle") || var("reach_x") <= var("vector"),
                   "shuffles bring the x neighbours of the next lane only: the reach must fit the vector"});
  rules.push_back({!direct() || !var("star") || var("points") * cells <= most_terms, too_many_terms});
  rules.push_back({!direct() || !var("unroll_rows") || var("points") * cells <= most_terms, too_many_terms});
}

void add_streaming_rules(std::vector<Constraint>& rules) {
  const Expr width = var("reach_z") * 2 + 1;
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
  rules.push_back(
      {var("unroll") == 1 || var("unroll") * var("points") * cells <= 2 * most_terms, too_many_terms});
  rules.push_back({!streaming() || !var("star") || var("points") * cells <= most_terms, too_many_terms});
  rules.push_back(
      {!streaming() || !var("unroll_rows") || var("points") * cells <= most_terms, too_many_terms});
  rules.push_back(
      {var("star") || !streaming() || width * (var("reach_x") * 2 + 1) * cells <= 1200, too_many_terms});

  const Expr lead = ceil_div(var("reach_x"), var("vector")) * var("vector");
  const Expr shared = var("stages") * (var("block_x") * var("vector") + lead * 2) *
                      (var("block_y") * var("cells_y") + var("reach_y") * 2) * var("words") * 4;
  // The halo vectors of a thread: where each comes from and goes to stays in three registers.
  const Expr halo =
      var("reach_y") * 2 * (var("block_x") + lead * 2) + var("block_y") * var("cells_y") * lead * 2;
  rules.push_back({halo <= threads() * var("vector") * 32 || var("loader") == "cache",
                   "a thread has to bring too many vectors of the halo: more threads have fewer each"});
  rules.push_back({shared <= var("block_shared"), "the planes do not fit the shared memory of a block"});
  rules.push_back({(shared + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
                   "the planes of min_blocks blocks do not fit the shared memory of a multiprocessor"});
}

}  // namespace tune::kernels
