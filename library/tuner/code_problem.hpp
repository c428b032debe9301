// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "library/tuner/spec.hpp"
#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::api {

/// The problem that was described in code, as the tuner takes problems.
class CodeProblem : public tune::Problem {
 public:
  /// Copies the spec. Throws UsageError for what does not fit together: an argument that nothing declares, a
  /// launch without a block, other arguments than the kernel declares.
  explicit CodeProblem(const Spec& spec);

  const Spec& spec() const { return spec_; }
  /// The instance at these sizes and settings; what is not named is at its default. Throws UsageError.
  Instance instance(const Sizes& sizes) const;
  /// The valid configurations, the constraints that are functions included; `where`: an expression, or empty.
  /// Throws Error where there is none.
  search::SearchSpace valid_space(const Instance& instance, const DeviceProperties& device,
                                  const std::string& where = {}) const;
  /// The reason of the first constraint that is a function and breaks; empty where all hold.
  std::string broken_rule(const Instance& instance, const search::Configuration& configuration) const;

  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override;
  ProblemCost cost(const Instance& instance) const override;
  tune::Result<LaunchPlan> plan(const Instance& instance, const search::Configuration& configuration,
                                const KernelSources& sources) const override;
  std::optional<tune::Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                         const KernelSources& sources) const override;
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override;
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override;
  Tolerance tolerance(const Instance& instance) const override;
  std::vector<Instance> check_instances(const Instance& instance,
                                        const search::Configuration& configuration) const override;

 private:
  void check_arguments() const;
  void check_launch(const SourceFile& source, const LaunchSpec& launch) const;
  tune::Result<LaunchPlan> plan_of(const Spec& spec, const Instance& instance,
                                   const search::Configuration& configuration) const;
  ElementType type_of(const ArgumentSpec& argument, const Instance& instance) const;
  tune::Extents extents_of(const ArgumentSpec& argument, const Instance& instance) const;
  search::Configuration reference_configuration(const Instance& instance) const;

  Spec spec_;
  ProblemInfo info_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, search::Configuration> references_;  ///< configurations by the instance's key
};

/// The texts of a problem's sources, and one that says what else determines results.
class CodeSources : public KernelSources {
 public:
  /// The problem must outlive this.
  explicit CodeSources(const CodeProblem& problem) : problem_(problem) {}
  std::string text(std::string_view name) const override;

 private:
  const CodeProblem& problem_;
};

/// The plan of a configuration. Failure{constraint} where a grid or block is empty or too large.
tune::Result<LaunchPlan> make_plan(const Spec& spec, const Instance& instance,
                                   const search::Configuration& configuration,
                                   const std::map<std::string, ElementType>& types,
                                   const std::map<std::string, tune::Extents>& extents);

/// What results depend on besides the kernel's text, in one text; functions are named only.
std::string description_of(const Spec& spec);

/// The contents of an array before the kernel runs.
HostTensor make_contents(const ArgumentSpec& argument, ElementType type, const tune::Extents& extents,
                         std::uint64_t seed, const std::string& problem);

}  // namespace tune::api
