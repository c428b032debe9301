// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/framework/variant.hpp"
#include "kernels/matvec/model/job.hpp"

namespace tune::kernels {

/// What checks have to know of a variant.
struct MatvecCheck {
  bool whole_rows = false;  ///< whether a block takes whole rows
};

using MatvecVariant = Variant<MatvecJob, MatvecCheck>;

/// All variants. A new one is a source with one function and a line in this table.
const VariantTable<MatvecJob, MatvecCheck>& matvec_variants();

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition matvec_space(const MatvecJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
