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

/// Executions that take less than this are timed many at a time: an event is good to about half a
/// microsecond, and a pair of them costs about one.
inline constexpr double short_execution = 5e-6;

/// How many executions make a sample, and how many sets of buffers they take turns on.
struct Batching {
  int executions = 1;
  int copies = 1;
  friend bool operator==(const Batching&, const Batching&) = default;
};

/// For a short execution of about `seconds`: enough of them for some hundred microseconds. Where each shall
/// find a cold cache, every one gets buffers that no other of the sample uses, or at least so many others
/// are used in between that they are twice as large as the L2 together.
Batching batching(double seconds, std::uint64_t plan_bytes, std::uint64_t l2_bytes, std::size_t launches,
                  bool cold);

using Graph = Handle<cudaGraph_t, &cudaGraphDestroy>;
using GraphExecutable = Handle<cudaGraphExec_t, &cudaGraphExecDestroy>;

/// Several executions of a plan, one after another, that the device starts by itself: the host cannot launch
/// as fast as short kernels end.
class ExecutionGraph {
 public:
  /// More than one copy is for plans whose buffers all lie on the device. They hold what the plan's buffers
  /// hold now, what the setup left too. Null where there is no memory for them, or the plan cannot be part of
  /// a graph.
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
