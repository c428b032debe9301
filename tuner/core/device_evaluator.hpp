// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/backend.hpp"
#include "tuner/core/compile_pool.hpp"
#include "tuner/core/evaluator.hpp"
#include "tuner/core/problem.hpp"

namespace tune {

struct DeviceEvaluatorOptions {
  MeasureOptions measure;
  std::uint64_t seed = 1;        ///< of the inputs
  bool measure_time = true;      ///< false: check only; a measurement then has no samples
  unsigned compile_threads = 0;  ///< 0: all cores
};

/// Evaluates on a device. The only place that orders the phases: plan, compile (ahead, on all cores), load
/// and resources, checks at odd sizes, check at the size itself, measurement. Inputs and reference of a size
/// are computed once.
class DeviceEvaluator : public Evaluator {
 public:
  /// All must outlive the evaluator.
  DeviceEvaluator(const Problem& problem, Instance instance, Backend& backend, const KernelSources& sources,
                  DeviceEvaluatorOptions options = {});

  void evaluate(std::span<const Configuration> batch, const std::function<bool(Evaluation)>& done) override;
  /// Two compiles a core: the device has work while the strategy thinks.
  std::size_t preferred_batch() const override;

 private:
  /// What a check at one size compares with.
  struct Expectation {
    TensorSet inputs;
    TensorSet reference;
    Tolerance tolerance;
  };
  struct Planned;

  Planned plan_ahead(const Configuration& configuration);
  Evaluation evaluate_one(Planned planned);
  Result<Measurement> carry_out(const Configuration& configuration, const LaunchPlan& plan,
                                const Binary& binary, Evaluation& evaluation);
  Result<double> check_small(const Configuration& configuration, const LaunchPlan& plan,
                             const Binary& binary);
  Result<double> check(PreparedPlan& prepared, const LaunchPlan& plan, const Expectation& expectation);
  const Expectation& expectation(const Instance& instance);

  const Problem& problem_;
  Instance instance_;
  Backend& backend_;
  const KernelSources& sources_;
  DeviceEvaluatorOptions options_;
  unsigned threads_;
  CompilePool pool_;
  std::map<std::string, Expectation> expectations_;  ///< by the instance's key
};

}  // namespace tune
