// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/read/best.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

/// Stored configurations as C++17 headers that need nothing else.
namespace tune::reports {

/// One configuration: a constant for each parameter, and the launches at this size.
std::string best_header(const Instance& instance, const db::BestCandidate& candidate, const LaunchPlan& plan);

/// Constants of a plan's steps, each with the number of the step: grid, block and dynamic shared memory of a
/// launch, the extents of a Fourier transform, width and rows of a copy.
std::string launch_constants(const LaunchPlan& plan);

/// A portfolio: the configurations, the recorded workloads with the loss of each in a comment, and
/// `choose(device, ..., extents)`. `instance` has the problem and its settings; `bound` is the share that may
/// be lost.
std::string portfolio_header(const ProblemInfo& problem, const Instance& instance,
                             const db::Portfolio& portfolio, double bound);

/// A value as text of C++; null stands for the value of the type of `like` that says nothing: 0, false or "".
std::string literal(const search::Value* value, const search::Value& like);

}  // namespace tune::reports
