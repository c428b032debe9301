// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/host/command_runner.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/problem/command_problem.hpp"

namespace tune {

struct CommandEvaluatorOptions {
  MeasureOptions measure = {};
  Objective objective = Objective::time;
  bool race = true;     ///< stop measuring what cannot become the fastest; by time only
  double timeout = 10;  ///< seconds of an execution, and of a check
  double build_timeout = 300;
  unsigned jobs = 1;  ///< builds at the same time
};

/// Evaluates configurations by commands on this machine. Builds run side by side, each in a copy of the files
/// of its plan, and while none of them runs, executions one at a time. Configurations with the same build
/// share it.
class CommandEvaluator : public Evaluator, public RerankDevice {
 public:
  /// The problem must outlive the evaluator.
  CommandEvaluator(const HasCommand& problem, Instance instance, CommandEvaluatorOptions options);

  void submit(Configuration configuration) override;
  std::optional<Evaluation> next() override;
  void drop() override { queue_.clear(); }
  /// Some configurations share a build: twice the builds at a time, where there are builds side by side.
  std::size_t window() const override { return side_by_side_ ? 2UL * options_.jobs : 1; }
  bool needs_machine() const override { return true; }
  RerankDevice* rerank_device() override { return this; }
  void begin_rerank(std::span<const Configuration> top_k) override;
  Result<Timing> time_candidate(std::size_t index) override;

 private:
  /// The working directory of the configurations with one build.
  struct Build {
    std::string key;
    CommandPlan plan;
    std::unique_ptr<ScratchFolder> copy = nullptr;  ///< null: the plan's own folder
    std::optional<Result<void>> outcome = std::nullopt;
    double seconds = 0;
    bool counted = false;  ///< an evaluation has its seconds

    const std::filesystem::path& folder() const { return copy ? copy->path() : plan.folder; }
  };
  struct Planned {
    Configuration configuration;
    CommandPlan plan;
    std::shared_ptr<Build> build;
    bool checked = false;
  };

  Planned planned(const Configuration& configuration);
  void build(Build& build, const std::function<bool()>& stop) const;
  bool build_all(const Planned& first);
  Result<Measurement> carry_out(Planned& planned, PhaseTimes& phases);
  Result<host::Execution> checked(const Planned& planned, double& difference, PhaseTimes& phases);
  host::StepLimits limits() const;
  Result<Timing> take_samples(const Planned& planned, const MeasureOptions& measure, host::Execution& last,
                              std::optional<double> first = std::nullopt);

  const HasCommand& problem_;
  Instance instance_;
  CommandEvaluatorOptions options_;
  std::deque<Planned> queue_;
  std::vector<Planned> top_k_;
  std::deque<std::shared_ptr<Build>> builds_;  ///< the newest last
  std::string in_place_;                       ///< the key of the build that the plan's own folder holds
  bool side_by_side_ = false;                  ///< plans so far have builds in copies
  std::optional<double> fastest_;              ///< seconds
};

}  // namespace tune
