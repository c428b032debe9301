// SPDX-License-Identifier: Apache-2.0
// Which configurations of `fft` are valid.
#include "kernels/stencil/plan/rules.hpp"
#include "kernels/stencil/variants/fft/fft.hpp"

namespace tune::kernels {

using search::Constraint;
using search::Expr;
using search::var;

void add_fft_rules(std::vector<Constraint>& rules) {
  const Expr steps = var("fused");
  const auto core = [&](const char* radius, const char* extent) {
    return steps * 2 * var(radius) < var(extent);
  };
  rules.push_back({!is_variant("fft") || steps == 1 ||
                       (core("reach_x", "nx") && core("reach_y", "ny") && core("reach_z", "nz")),
                   "all cells are so near to a face that they are computed step by step: the transforms are "
                   "for nothing"});
  const Expr convolved = is_variant("fft") && var("last_axis") == "convolve";
  const Expr taps = steps * 2 * var("reach_z") + 1;
  rules.push_back(
      {!convolved || (taps <= max_taps && taps * 4 * var("words") + 20 <= var("thread_registers")),
       "the weights of a mode along the last axis do not fit the registers"});
  rules.push_back({!convolved || var("steps") % steps == 0,
                   "a mode's weights along the last axis are of one number of fused steps: it has to divide "
                   "that of all steps"});
}

}  // namespace tune::kernels
