// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/weights.hpp"

#include "tuner/core/format.hpp"

namespace tune::kernels {

std::string weights_header(const Stencil& stencil) {
  std::string text = format(
      "// Weights of the stencil's points, sorted by (dz, dy, dx).\n#pragma once\n"
      "constexpr __constant__ REAL stencil_weights[{}] = {{\n",
      stencil.points.size());
  for (const StencilPoint& point : stencil.points)
    text += format("static_cast<REAL>({:.17g}),\n", point.weight);
  return text + "};\n";
}

}  // namespace tune::kernels
