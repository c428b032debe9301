// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm/job.hpp"
#include "tuner/core/tolerance.hpp"

namespace tune::kernels {

/// How far a result may be from the reference where products are computed in such arithmetic. A plan that
/// uses another one than strict sets LaunchPlan::tolerance to it.
Tolerance gemm_tolerance(const GemmJob& job, Arithmetic used);

}  // namespace tune::kernels
