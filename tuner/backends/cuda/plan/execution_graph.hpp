// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/backends/cuda/plan/buffers.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/plan/plan_textures.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"

namespace tune::cuda {

/// Shorter executions are timed many at a time: an event is precise to about half a microsecond, and a pair
/// of them costs about one.
inline constexpr double short_execution = 5e-6;

/// The executions in a sample, and the sets of buffers that they use in turns.
struct Batching {
  int executions = 1;
  int copies = 1;
  friend bool operator==(const Batching&, const Batching&) = default;
};

/// Batches a short execution of about `seconds` for some hundred microseconds. With `cold`, each execution
/// gets buffers of its own, because it may touch few of its bytes and leave them in the L2: as many
/// executions as fit `memory_bytes`.
Batching batching(double seconds, std::uint64_t plan_bytes, std::uint64_t memory_bytes, std::size_t launches,
                  bool cold);

using Graph = Handle<cudaGraph_t, &cudaGraphDestroy>;
using GraphExecutable = Handle<cudaGraphExec_t, &cudaGraphExecDestroy>;

/// Several executions of a plan that the device starts by itself, because the host cannot launch as fast as
/// short kernels end.
class ExecutionGraph {
 public:
  /// Copies the plan's buffers, with the results of the setup. More than one copy needs all buffers on the
  /// device. Nothing where there is no memory for them, or the plan cannot be part of a graph.
  static std::optional<ExecutionGraph> make(const Batching& batching, const PlanBuffers& buffers,
                                            LaunchSequence& launches, DeviceContext& context);
  ExecutionGraph(ExecutionGraph&&) = default;
  ExecutionGraph& operator=(ExecutionGraph&&) = default;
  ~ExecutionGraph();

  cudaError_t enqueue(cudaStream_t stream) const { return cudaGraphLaunch(executable_.get(), stream); }
  int executions() const { return executions_; }

 private:
  ExecutionGraph(MemoryPool& pool, int executions) : pool_(&pool), executions_(executions) {}

  MemoryPool* pool_;
  int executions_;
  DeviceMemory memory_;
  std::vector<PlanTextures> textures_;  ///< over the copies
  Graph graph_;
  GraphExecutable executable_;
};

}  // namespace tune::cuda
