// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `two_pass.cu`: a kernel for each product, and what adds up the sums of tiles and strips.
bool two_pass_applies(const MatvecJob& job);
Result<LaunchPlan> plan_two_pass(const MatvecJob& job, const Configuration& configuration,
                                 const KernelSources& sources);
void add_two_pass_rules(std::vector<search::Constraint>& rules, const MatvecJob& job);

}  // namespace tune::kernels
