// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {

/// out[i] = 2 * in[i] over nx elements: the least that is a problem. Parameters `block` (32 to 256), `items`
/// (1, 2, 4) and `kind`, which the fake backend understands: plain, broken_compile, too_big, wrong,
/// unwritten, overrun, faulting; and, where it serves in a process of its own, dying, hanging,
/// crashing_compile and hanging_compile.
class ToyProblem : public Problem {
 public:
  ToyProblem();
  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override;
  ProblemCost cost(const Instance& instance) const override;
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override;
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override;
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override;
  Tolerance tolerance(const Instance& instance) const override;
  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override;

 private:
  ProblemInfo info_;
};

/// The toy problem whose reference only a kernel computes.
class ComputedToy : public ToyProblem {
 public:
  TensorSet reference(const Instance&, const TensorSet&) const override { return {}; }
  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override {
    return plan(instance, {{"kind", "plain"}, {"block", 32}, {"items", 1}}, sources);
  }
};

/// Returns the same text for every name.
class ToySources : public KernelSources {
 public:
  std::string text(std::string_view name) const override { return "// " + std::string(name); }
};

/// The toy problem's instance of that size.
Instance toy_instance(std::int64_t nx);

/// Only configurations of these kinds, by default the working ones.
search::SearchSpace toy_space(const std::string& where = "kind == plain");

}  // namespace tune::testing
