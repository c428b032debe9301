// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tuner/backends/cuda/plan/buffers.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/execution_graph.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/runner/sampling.hpp"

namespace tune::cuda {

/// Times the executions of one plan, whose buffers are filled. Uses what it is given; nothing may end before
/// it.
class PlanTimer : public Sampler {
 public:
  PlanTimer(const PlanBuffers& buffers, LaunchSequence& launches, bool flush_cache, GraphUse use,
            DeviceContext& context)
      : buffers_(buffers), launches_(launches), flush_cache_(flush_cache), use_(use), context_(context) {}

  /// To be called first: executes so many times, at least once, and decides by the shortest of them how many
  /// executions make a sample. Failure{launch, "graph"} for a plan that asks for a graph and cannot be one.
  Result<void> warm_up(int executions);
  /// Behind each sample.
  int executions() const { return graph_ ? graph_->executions() : 1; }

  Result<std::vector<double>> take(int samples) override;
  double device_seconds() const override { return device_seconds_; }
  std::uint64_t throttle_reasons() override;
  void rest() override;

  /// Joules an execution, of executions one after another without flushes for about half a second;
  /// `execution_seconds` is about what one takes. 0 where the device does not count energy.
  Result<double> measure_energy(double execution_seconds);

 private:
  cudaError_t enqueue_execution();
  cudaError_t enqueue_samples(std::size_t samples);
  Batching batching_of(double seconds) const;
  Result<double> power_while_busy(double estimated_seconds, double& measured_seconds);
  tl::unexpected<Failure> failed(cudaError_t status) { return tl::unexpected(context_.failure(status)); }

  const PlanBuffers& buffers_;
  LaunchSequence& launches_;
  bool flush_cache_;
  GraphUse use_;
  DeviceContext& context_;
  std::optional<ExecutionGraph> graph_;
  double device_seconds_ = 0;
};

}  // namespace tune::cuda
