// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/description.hpp"
#include "search/space/search_space.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/problem/problem_reference.hpp"

namespace tune::described {

/// The problem of a description. Its kernel files are read once, when it is made. Results are compared with
/// those that the description defines (a file, a rule, a function, another kernel, a configuration), or else
/// with those of the default configuration.
class DescribedProblem : public Problem, public HasDescription, public HasReference, public HasCommand {
 public:
  /// Throws UsageError if a kernel's file cannot be read, a launch names an unknown argument, or a kernel
  /// takes other arguments.
  explicit DescribedProblem(KernelDescription description);

  const KernelDescription& description() const { return description_; }
  /// Returns `info().sources` with their texts.
  const std::vector<SourceFile>& texts() const { return texts_; }
  /// Throws UsageError for an argument whose type is that of an unknown setting.
  TypeName type_of(const Argument& argument, const Instance& instance) const;
  /// Returns the valid configurations, with constraints that are functions applied; `where`: an expression,
  /// or empty. Throws UsageError if there is none.
  search::SearchSpace valid_space(const Instance& instance, const DeviceProperties& device,
                                  const std::string& where = {}) const;
  /// Returns the reason of the first function constraint that fails; empty if all hold.
  std::string broken_rule(const Instance& instance, const Configuration& configuration) const;

  std::string compared_with() const override;
  bool is_command() const override { return description_.command != nullptr; }
  CommandPlan command(const Instance& instance, const Configuration& configuration) const override;
  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override;
  ProblemCost cost(const Instance& instance) const override;
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override;
  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override;
  Instance reference_instance(const Instance& instance, const Configuration& configuration) const override;
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override;
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override;
  Tolerance tolerance(const Instance& instance) const override;
  LimitSet limits(const Instance& instance) const override;  ///< in judgement.cpp
  std::optional<Instance> low_fidelity(const Instance& instance) const override;
  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override;
  Metrics metrics(const Instance& instance, const Configuration& configuration,
                  const Facts& facts) const override;
  std::vector<MetricInfo> metric_infos() const override;
  RunDefaults run_defaults() const override;
  std::vector<std::string> unused_parameters() const override;
  std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources> others) const override;

 private:
  void read_kernels();
  void read_commands();
  void check_work() const;
  void check_metrics() const;
  /// Returns the extents of a vector, with the components of its elements.
  Extents extents_of(const Argument& argument, const Instance& instance) const;
  bool is_compared(const Argument& argument) const;
  /// True for a compared output whose right contents are needed.
  bool has_reference(const Argument& argument) const;
  void check_computed(const std::string& name, const HostTensor& tensor, ElementType type) const;
  bool is_check_size(const Instance& instance) const;
  /// True where the description knows the right contents of every output that is compared.
  bool expects_all() const;
  /// Returns what elements are compared with, for users.
  std::string compared_elements() const;
  Configuration reference_configuration(const Instance& instance) const;
  /// In judgement.cpp. Null where nothing is judged.
  SharedJudgement judgement_of(const Instance& instance, const Configuration& configuration) const;
  bool is_hidden_symbol(const Argument& argument) const;
  /// In plan.cpp. Failure{constraint} if a grid or block is empty or too large.
  Result<LaunchPlan> make_plan(const KernelSource& kernel, const std::vector<LaunchDescription>& launches,
                               const Instance& instance, const Configuration& configuration,
                               bool with_checks = false) const;
  /// Add the steps that the entries stand for.
  Result<void> add_steps(const std::vector<LaunchDescription>& launches, const Instance& instance,
                         const ExpressionScope& scope, LaunchPlan& plan) const;
  Result<void> add_checks(const Instance& instance, const ExpressionScope& scope, bool with_checks,
                          LaunchPlan& plan) const;
  Result<void> add_repeated(const LaunchDescription& described, const Instance& instance,
                            const ExpressionScope& scope, LaunchPlan& plan) const;
  Result<void> add_step(const LaunchDescription& described, const Instance& instance,
                        const ExpressionScope& scope, LaunchPlan& plan) const;
  /// Returns the argument of this name; the plan has its buffers already.
  Result<KernelArgument> argument_of(const std::string& name, const Instance& instance,
                                     const LaunchPlan& plan, const ExpressionScope& scope) const;

  KernelDescription description_;
  ProblemInfo info_;
  std::string missing_;  ///< why there is no kernel
  std::vector<SourceFile> texts_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Configuration> references_;  ///< configurations by the instance's key
};

/// Returns the texts of a described problem, and asks `others`, if any, for all other files.
class DescribedSources : public KernelSources {
 public:
  /// The problem must outlive this.
  explicit DescribedSources(const DescribedProblem& problem,
                            std::unique_ptr<const KernelSources> others = nullptr)
      : problem_(problem), others_(std::move(others)) {}
  std::string text(std::string_view name) const override;

 private:
  const DescribedProblem& problem_;
  std::unique_ptr<const KernelSources> others_;
};

}  // namespace tune::described
