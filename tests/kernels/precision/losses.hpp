// SPDX-License-Identifier: Apache-2.0
// Kernels that read their operands through a narrower type.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/emulated.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels::testing {

/// The text of a number of type `type` that loses bits on its way: a double becomes a float (24 bits), a
/// float has the 11 bits of TF32 and half.
std::string narrowed(const std::string& type, const std::string& number);

/// Kernel files in which every vector that is loaded loses bits.
std::shared_ptr<const KernelSources> narrowed_loads(const std::string& type);

/// Returns the valid configuration next to the default among those that satisfy `where`; nothing where there
/// is none.
std::optional<Configuration> configuration_where(const Problem& problem, const Instance& instance,
                                                 const std::string& where);

/// The sizes at which a configuration is checked, but for those of many items; the smallest where all have.
std::vector<Instance> small_sizes(const Problem& problem, const Instance& instance,
                                  const Configuration& configuration);

/// Expects that the result of every configuration is found wrong.
void expect_wrong_results(const tune::testing::EmulatedSample& sample);

}  // namespace tune::kernels::testing
