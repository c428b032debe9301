// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/described/definition.hpp"
#include "kernels/described/kernel_files.hpp"
#include "tuner/problem/description.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::definition {

/// The problem that a definition describes. Its kernel files are read once, when it is made. The results of a
/// kernel are held against what the definition says they must be (a file, a rule, another kernel, a
/// configuration); where it says nothing, against those of the default configuration.
class DefinedProblem : public Problem, public HasDescription {
 public:
  /// Throws UsageError where a kernel's file cannot be read or its arguments are not those of the definition.
  explicit DefinedProblem(Definition definition);

  const Definition& definition() const { return definition_; }
  /// The texts of `info().sources`: the definition, the kernel files and their headers.
  const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }

  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override;
  ProblemCost cost(const Instance& instance) const override;
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override;
  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override;
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override;
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override;
  Tolerance tolerance(const Instance& instance) const override;
  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override;
  RunDefaults run_defaults() const override;
  std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources> others) const override;

 private:
  /// With the types that the settings choose.
  std::vector<Argument> arguments_of(const Instance& instance) const;
  Extents extents_of(const Argument& argument, const Instance& instance) const;
  /// Of all vectors, by name.
  std::map<std::string, Extents> extents_of(const std::vector<Argument>& arguments,
                                            const Instance& instance) const;
  Configuration reference_configuration(const Instance& instance) const;
  void read_kernels(const JsonField& place);
  void check_arguments();

  Definition definition_;
  ProblemInfo info_;
  std::string missing_;  ///< why there is no kernel
  KernelText kernel_;
  std::optional<KernelText> reference_kernel_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// Serves the texts of a definition, and asks `others` for all that it has not.
class DefinitionSources : public KernelSources {
 public:
  /// The problem must outlive this.
  DefinitionSources(const DefinedProblem& problem, std::unique_ptr<const KernelSources> others)
      : problem_(problem), others_(std::move(others)) {}
  std::string text(std::string_view name) const override;

 private:
  const DefinedProblem& problem_;
  std::unique_ptr<const KernelSources> others_;
};

}  // namespace tune::definition
