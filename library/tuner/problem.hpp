// SPDX-License-Identifier: Apache-2.0
// The inside of the interface's Problem, and the description and instances made of it. Parts that cannot be
// are refused at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tune/description.hpp>
#include <tune/problem.hpp>
#include <vector>

#include "kernels/described/problem.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::api {

struct Problem::Spec {
  described::KernelDescription description;
  std::vector<Sizes> checks = {};
  bool describes_reference = false;  ///< grid, block, ... are of the reference's launch
  std::uint64_t stamp = 0;           ///< changes with every change of the problem
  /// Of a definition, or built in: takes no further parts, and the description is empty.
  std::shared_ptr<const tune::Problem> complete = nullptr;
};

/// Makes the problem. Throws UsageError as `described`, and for a kernel's file that cannot be read.
std::shared_ptr<const tune::Problem> made(const Problem::Spec& spec);
/// The same of a problem with a description. Throws UsageError for one that is built in.
std::shared_ptr<const described::DescribedProblem> made_described(const Problem::Spec& spec);

/// Throws Error for a problem that takes no further parts.
void check_open(const Problem::Spec& spec);

/// Returns the kernel files of a problem, which must outlive them.
std::unique_ptr<KernelSources> sources_of(const tune::Problem& problem);

/// Returns the valid configurations; `where`: an expression, or empty. Throws UsageError where there is none.
search::SearchSpace valid_space(const tune::Problem& problem, const Instance& instance,
                                const DeviceProperties& device, const std::string& where);

/// Describes the problem with the space on this device; `where`: an expression, or empty. Throws UsageError.
Description describe(const tune::Problem& problem, const Sizes& sizes, const DeviceProperties& device,
                     const std::string& where);

/// The data that a reference function reads and fills.
struct HostData::Contents {
  const Sizes& sizes;
  const TensorSet& inputs;
  TensorSet& results;
  StopScope* scope = StopScope::current();
};

/// The memory that code of the host reads and writes.
struct HostArrays::Contents {
  const Sizes& sizes;
  const Configuration& configuration;
  HostAccess& memory;
};

/// The data of a checked execution.
struct Results::Contents {
  const Sizes& sizes;
  const Configuration& configuration;
  const JudgedResults& results;
};

/// Returns the complete description, with the sizes to check at and the sources. Throws UsageError where a
/// kernel, an output, or a launch's grid or block is missing.
described::KernelDescription described(const Problem::Spec& spec);

/// Returns the instance at these sizes and settings; those not named are at their defaults. Throws
/// UsageError.
Instance instance_at(const ProblemInfo& info, const Sizes& sizes);

}  // namespace tune::api
