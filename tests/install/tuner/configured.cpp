// SPDX-License-Identifier: Apache-2.0
// Includes the headers that tune_configuration() writes: of one GPU, and of all.
#include "stencil3d_configuration.hpp"
#include "stencils.hpp"

int configured();

int configured() {
  static_assert(tune_best::stencil3d::block_0[0] > 0, "of one GPU there are constants");
  return tune_best::stencil3d::portfolio[0].block_x > 0 ? 1 : 0;
}
