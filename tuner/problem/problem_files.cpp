// SPDX-License-Identifier: Apache-2.0
#include "tuner/problem/problem_files.hpp"

namespace tune {
namespace {

class WithInputs : public Problem, public HasFiles {
 public:
  WithInputs(std::unique_ptr<Problem> problem, Instance instance, TensorSet inputs)
      : problem_(std::move(problem)),
        instance_(std::move(instance)),
        inputs_(std::move(inputs)),
        tolerance_(find_files(*problem_)->tolerance(instance_, inputs_)) {}

  const ProblemInfo& info() const override { return problem_->info(); }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    return problem_->space(instance, device);
  }
  ProblemCost cost(const Instance& instance) const override { return problem_->cost(instance); }
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    return problem_->plan(instance, configuration, sources);
  }
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    return instance == instance_ ? inputs_ : problem_->inputs(instance, seed);
  }
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    return problem_->reference(instance, inputs);
  }
  Tolerance tolerance(const Instance& instance) const override {
    return instance == instance_ ? tolerance_ : problem_->tolerance(instance);
  }
  Instance reference_instance(const Instance& instance, const Configuration& configuration) const override {
    return problem_->reference_instance(instance, configuration);
  }
  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override {
    return problem_->reference_plan(instance, sources);
  }
  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    return problem_->check_instances(instance, configuration);
  }
  const ProblemFiles& files() const override { return *find_files(*problem_); }

 private:
  std::unique_ptr<Problem> problem_;
  Instance instance_;
  TensorSet inputs_;
  Tolerance tolerance_;
};

}  // namespace

const ProblemFiles* find_files(const Problem& problem) {
  const auto* const has = dynamic_cast<const HasFiles*>(&problem);
  return has == nullptr ? nullptr : &has->files();
}

std::unique_ptr<Problem> with_inputs(std::unique_ptr<Problem> problem, Instance instance, TensorSet inputs) {
  return std::make_unique<WithInputs>(std::move(problem), std::move(instance), std::move(inputs));
}

}  // namespace tune
