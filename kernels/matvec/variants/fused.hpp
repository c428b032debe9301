// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `fused.cu`: a block reads whole rows once for both products.
bool fused_applies(const MatvecJob& job);
Result<LaunchPlan> plan_fused(const MatvecJob& job, const Configuration& configuration,
                              const KernelSources& sources);
void add_fused_rules(std::vector<search::Constraint>& rules, const MatvecJob& job);

}  // namespace tune::kernels
