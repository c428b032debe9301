// SPDX-License-Identifier: Apache-2.0
// The inside of the interface's Problem, and the description and instances made of it. Parts that cannot be
// are refused at once.
#pragma once

#include <cstdint>
#include <tune/problem.hpp>
#include <vector>

#include "kernels/described/problem.hpp"

namespace tune::api {

struct Problem::Spec {
  described::KernelDescription description;
  std::vector<Sizes> checks = {};
  bool describes_reference = false;  ///< grid, block, ... are of the reference's launch
  std::uint64_t stamp = 0;           ///< changes with every change of the problem
};

/// Returns the complete description, with the sizes to check at and the sources. Throws UsageError where a
/// kernel, an output, or a launch's grid or block is missing.
described::KernelDescription described(const Problem::Spec& spec);

/// Returns the instance at these sizes and settings; those not named are at their defaults. Throws
/// UsageError.
Instance instance_at(const ProblemInfo& info, const Sizes& sizes);

}  // namespace tune::api
