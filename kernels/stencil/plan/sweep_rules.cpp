// SPDX-License-Identifier: Apache-2.0
// Which configurations of the sweeps `direct` and `streaming` are valid, by themselves and inside of
// `composed`.
#include "kernels/stencil/plan/rules.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::var;

Expr threads() {
  return var("block_x") * var("block_y");
}

/// The rules of one sweep: where they apply, and what it sums.
class SweepRules {
 public:
  SweepRules(std::vector<Constraint>& rules, const SweptStencil& stencil)
      : rules_(rules), stencil_(stencil) {}

  void add_direct() {
    add_rows();
    const Expr cells = var("vector") * var("cells_y") * var("cells_z");
    const Expr block = threads() * var("block_z");
    add_block_limits(rules_, stencil_.applies, block);
    add(var("block_x") * var("vector") >= 32,
        "tiles narrower than 32 cells waste most of the lines that they touch");
    add(cells <= 32, "more than 32 cells a thread: their sums and loads exceed the registers");
    add(fits_registers(cells * var("words") + 16, block),
        "the sums alone need more registers than min_blocks leaves to a thread");
    add(!var("shuffle") || stencil_.reach_x <= var("vector"),
        "shuffles bring the x neighbours of the next lane only: the reach must fit the vector");
    if (stencil_.star) add(stencil_.points * cells <= max_terms, too_many_terms);
    if (!stencil_.may_roll_planes) {
      add(!var("unroll_rows") || stencil_.points * cells <= max_terms, too_many_terms);
      return;
    }
    // These do not apply where rows are not unrolled: there is no unroll_planes then.
    const Expr plane = (stencil_.reach_x * 2 + 1) * (stencil_.reach_y * 2 + 1);
    add(if_else(var("unroll_planes"), stencil_.points, plane) * cells <= max_terms, too_many_terms);
    add(var("unroll_planes") || var("cells_z") == 1, "a loop over planes has outputs in one plane");
  }

  void add_streaming() {
    add_rows();
    const Expr width = stencil_.reach_z * 2 + 1;
    const Expr cells = var("vector") * var("cells_y");
    add_block_limits(rules_, stencil_.applies, threads());
    add(fits_registers(width * cells * var("words") + 20, threads()),
        "the queue alone needs more registers than min_blocks leaves to a thread");
    add(var("loader") != "plain" || var("stages") <= 2,
        "a plain loader has one plane on the way, in registers: it uses one or two shared planes");
    add(var("loader") != "async" || var("stages") >= 2,
        "an asynchronous loader fills one shared plane while another one is read");
    add_boxes();
    add(var("unroll") <= width && var("unroll") != 2,
        "a turn is odd, and one longer than the queue gains nothing");
    add(var("unroll") == 1 || var("unroll") * stencil_.points * cells <= 2 * max_terms, too_many_terms);
    add(!var("unroll_rows") || stencil_.points * cells <= max_terms, too_many_terms);
    if (stencil_.star) add(stencil_.points * cells <= max_terms, too_many_terms);
    if (!stencil_.star) add(width * (stencil_.reach_x * 2 + 1) * cells <= 1200, too_many_terms);

    const Expr aligned_halo = ceil_div(stencil_.reach_x, var("vector")) * var("vector");
    const Expr plane = (var("block_x") * var("vector") + aligned_halo * 2) *
                       (var("block_y") * var("cells_y") + stencil_.reach_y * 2) * var("words") * 4;
    // Boxes begin at multiples of 128 bytes; each has a barrier.
    const Expr boxes = (ceil_div(plane, 128) * 128 + 8) * (var("loader") == "tma");
    const Expr shared = var("stages") * (plane * (var("loader") != "tma") + boxes);
    // The halo vectors of a thread: where each comes from and goes to stays in three registers.
    const Expr halo = stencil_.reach_y * 2 * (var("block_x") + aligned_halo * 2) +
                      var("block_y") * var("cells_y") * aligned_halo * 2;
    add(halo <= threads() * var("vector") * 32 || var("loader") == "cache" || var("loader") == "tma",
        "a thread has to bring too many vectors of the halo: more threads have fewer each");
    add(shared <= var("block_shared"), "the planes do not fit the shared memory of a block");
    add((shared + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
        "the planes of min_blocks blocks do not fit the shared memory of a multiprocessor");
  }

 private:
  /// What the copy engine asks for; see check_tensor_map.
  void add_boxes() {
    const Expr other = var("loader") != "tma";
    const Expr aligned_halo = ceil_div(stencil_.reach_x, var("vector")) * var("vector");
    const Expr row = (var("block_x") * var("vector") + aligned_halo * 2) * var("words") * 4;
    add(other || var("tensor_maps"),
        "the copy engine (tma) needs compute capability 9.0 or later: take loader=async");
    add(other || var("stages") >= 2, "the copy engine fills one shared plane while another one is read");
    add(other || var("padded") || var("nx") * var("words") * 4 % 16 == 0,
        "the copy engine needs rows of a multiple of 16 bytes: take padded=true");
    add(other || row % 16 == 0, "the copy engine needs boxes with rows of a multiple of 16 bytes");
    add(other ||
            (aligned_halo * var("words") % 4 == 0 && var("block_x") * var("vector") * var("words") % 4 == 0),
        "the copy engine needs boxes that begin at a multiple of 16 bytes along x: take a wider vector");
    add(other || (var("block_x") * var("vector") + aligned_halo * 2 <= 256 &&
                  var("block_y") * var("cells_y") + stencil_.reach_y * 2 <= 256),
        "a box of the copy engine has 256 cells at most along an axis");
    if (stencil_.star)
      add(other || var("queue") == "partial_sums",
          "the copy engine brings whole planes, of which only partial sums have a use");
  }
  /// Other numbers of rows serve `temporal`, whose tiles have to fit the multiprocessors.
  void add_rows() {
    add(var("cells_y") != 3 && var("cells_y") != 5 && var("cells_y") != 6,
        "a sweep's tiles have a power of two of rows");
  }
  void add(const Expr& rule, const char* reason) { rules_.push_back({!stencil_.applies || rule, reason}); }

  std::vector<Constraint>& rules_;
  const SweptStencil& stencil_;
};

}  // namespace

void add_direct_rules(std::vector<Constraint>& rules, const SweptStencil& stencil) {
  SweepRules(rules, stencil).add_direct();
}

void add_streaming_rules(std::vector<Constraint>& rules, const SweptStencil& stencil) {
  SweepRules(rules, stencil).add_streaming();
}

}  // namespace tune::kernels
