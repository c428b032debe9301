// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `sliced.cu`: blocks that share rows exchange their products.
bool sliced_applies(const MatvecJob& job);
Result<LaunchPlan> plan_sliced(const MatvecJob& job, const Configuration& configuration,
                               const KernelSources& sources);
void add_sliced_rules(std::vector<search::Constraint>& rules, const MatvecJob& job);

}  // namespace tune::kernels
