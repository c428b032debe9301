// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/variant.hpp"

namespace tune::kernels {

// Each is defined in variants/<name>/<name>.cpp.
StencilVariant direct_stencil(), streaming_stencil(), split_stencil(), composed_stencil(), temporal_stencil(),
    persistent_stencil(), fft_stencil();

const VariantTable<StencilJob, std::vector<CheckSize>>& stencil_variants() {
  static const VariantTable<StencilJob, std::vector<CheckSize>> table(
      "stencil", {direct_stencil(), streaming_stencil(), split_stencil(), composed_stencil(),
                  temporal_stencil(), persistent_stencil(), fft_stencil()});
  return table;
}

}  // namespace tune::kernels
