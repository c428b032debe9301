// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/execution_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tune::cuda {
namespace {

/// The duration of a sample of short executions: the cost of its two events does not matter then.
constexpr double sample_seconds = 400e-6;
/// The limit of a graph's nodes; making one costs about a microsecond.
constexpr std::size_t max_launches = 256;

/// Rounds up to the alignment of cudaMalloc.
std::uint64_t aligned_bytes(const BufferSpec& spec) {
  constexpr std::uint64_t alignment = 512;
  return (spec.allocation_bytes() + alignment - 1) / alignment * alignment;
}

std::uint64_t aligned_bytes(const PlanBuffers& buffers) {
  std::uint64_t sum = 0;
  for (const auto& buffer : buffers.all()) sum += aligned_bytes(buffer.spec);
  return sum;
}

/// Copies the buffers to `memory` and returns the plan's launches on them, with their own textures.
/// Transforms share their work area, as executions run one after another. Nothing where that fails.
std::optional<LaunchSequence> copy_of(const PlanBuffers& buffers, const LaunchSequence& launches,
                                      std::byte* memory, std::vector<PlanTextures>& textures,
                                      DeviceContext& context) {
  std::map<std::string, std::byte*, std::less<>> first;
  std::vector<BufferSpec> specs;
  const auto stream = context.stream.get();
  for (const auto& buffer : buffers.all()) {
    first[buffer.spec.name] = memory + buffer.shape.device_offset;
    const auto status = cudaMemcpyAsync(memory, buffer.data(), buffer.spec.allocation_bytes(),
                                        cudaMemcpyDeviceToDevice, stream);
    ignore(status);
    if (status != cudaSuccess) return std::nullopt;
    memory += aligned_bytes(buffer.spec);
    specs.push_back(buffer.spec);
  }
  const auto address_of = [&](std::string_view name) { return first.find(name)->second; };
  auto made = PlanTextures::make(launches.textures(), specs, address_of, context.device);
  if (!made) return std::nullopt;
  const auto filled = made->fill(stream);
  ignore(filled);
  if (filled != cudaSuccess) return std::nullopt;
  textures.push_back(std::move(*made));
  return LaunchSequence(launches.steps(), address_of, textures.back(), launches.more_streams());
}

/// Ends the capture in any case.
cudaError_t capture(int executions, std::vector<LaunchSequence*> turns, Graph& graph, cudaStream_t stream) {
  auto status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) return status;
  for (int i = 0; i < executions && status == cudaSuccess; ++i)
    status = turns[static_cast<std::size_t>(i) % turns.size()]->enqueue(stream);
  cudaGraph_t captured = nullptr;
  const auto ended = cudaStreamEndCapture(stream, &captured);
  graph = Graph(captured);
  return status == cudaSuccess ? ended : status;
}

}  // namespace

Batching batching(double seconds, std::uint64_t plan_bytes, std::uint64_t memory_bytes, std::size_t launches,
                  bool cold) {
  constexpr double clock_tick = 0.5e-6;
  const auto max =
      static_cast<int>(std::max<std::size_t>(max_launches / std::max<std::size_t>(launches, 1), 2));
  Batching result;
  result.executions =
      std::clamp(static_cast<int>(std::lround(sample_seconds / std::max(seconds, clock_tick))), 2, max);
  if (!cold) return result;
  const auto fitting = 1 + memory_bytes / std::max<std::uint64_t>(plan_bytes, 1);
  result.executions =
      static_cast<int>(std::min<std::uint64_t>(fitting, static_cast<std::uint64_t>(result.executions)));
  result.copies = result.executions;
  return result;
}

std::optional<ExecutionGraph> ExecutionGraph::make(const Batching& batching, const PlanBuffers& buffers,
                                                   LaunchSequence& launches, DeviceContext& context) {
  const auto stream = context.stream.get();
  const auto bytes = aligned_bytes(buffers);
  const auto more = static_cast<std::uint64_t>(batching.copies - 1);  // beside the plan's own buffers
  ExecutionGraph made(context.pool, batching.executions);
  if (more > 0) made.memory_ = context.pool.take(more * bytes);
  if (more > 0 && made.memory_.data() == nullptr) return std::nullopt;
  std::vector<LaunchSequence> copies;
  for (std::uint64_t i = 0; i < more; ++i) {
    auto copy = copy_of(buffers, launches, made.memory_.data() + i * bytes, made.textures_, context);
    if (!copy) return std::nullopt;
    copies.push_back(std::move(*copy));
  }
  std::vector<LaunchSequence*> turns{&launches};
  for (auto& copy : copies) turns.push_back(&copy);
  auto status = capture(batching.executions, turns, made.graph_, stream);
  cudaGraphExec_t executable = nullptr;
  if (status == cudaSuccess) status = cudaGraphInstantiate(&executable, made.graph_.get(), 0);
  made.executable_ = GraphExecutable(executable);
  ignore(status);
  if (status != cudaSuccess) return std::nullopt;
  return made;
}

ExecutionGraph::~ExecutionGraph() {
  if (memory_.data() != nullptr) pool_->give_back(std::move(memory_));
}

}  // namespace tune::cuda
