// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `cooperative.cu`: both products in one launch, with a barrier of the grid between them.
bool cooperative_applies(const MatvecJob& job);
Result<LaunchPlan> plan_cooperative(const MatvecJob& job, const Configuration& configuration,
                                    const KernelSources& sources);
void add_cooperative_rules(std::vector<search::Constraint>& rules, const MatvecJob& job);

}  // namespace tune::kernels
