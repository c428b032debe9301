// SPDX-License-Identifier: Apache-2.0
// What a Problem of the interface was told, and the problem that the tuner takes.
#pragma once

#include <cstdint>
#include <tune/problem.hpp>
#include <vector>

#include "kernels/described/problem.hpp"

namespace tune::api {

struct Problem::Spec {
  described::KernelDescription description;
  std::vector<Sizes> checks = {};
  bool describes_reference = false;  ///< whether grid, block, ... are of the reference's launch
  std::uint64_t stamp = 0;           ///< another one after every change
};

/// The description, whole: with the sizes to check at and the sources. Throws UsageError for what is missing:
/// a kernel, an output, a launch's grid or block.
described::KernelDescription described(const Problem::Spec& spec);

/// The instance at these sizes and settings; what is not named is at its default. Throws UsageError.
Instance instance_at(const ProblemInfo& info, const Sizes& sizes);

}  // namespace tune::api
