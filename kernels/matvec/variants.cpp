// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {

// Each is defined in variants/<name>.cpp.
MatvecVariant two_pass_matvec(), fused_matvec(), sliced_matvec(), cooperative_matvec();

const VariantTable<MatvecJob, MatvecCheck>& matvec_variants() {
  static const VariantTable<MatvecJob, MatvecCheck> table(
      "matvec", {two_pass_matvec(), fused_matvec(), sliced_matvec(), cooperative_matvec()});
  return table;
}

}  // namespace tune::kernels
