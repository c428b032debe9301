// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/plan_timer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tuner/backends/cuda/runtime/energy.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/measurement/stopping_criteria.hpp"

namespace tune::cuda {
namespace {

using std::chrono::milliseconds;

double seconds_between(const Event& from, const Event& to) {
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, from.get(), to.get()));
  return static_cast<double>(elapsed) * 1e-3;
}

}  // namespace

Result<void> PlanTimer::warm_up(int executions) {
  const auto first_time = take(1);
  if (!first_time) return tl::unexpected(first_time.error());
  double shortest = first_time->front();
  if (executions > 1 && shortest < long_sample) {
    const auto times = take(executions - 1);
    if (!times) return tl::unexpected(times.error());
    shortest = std::min(shortest, *std::ranges::min_element(*times));
  }
  // A device that was idle takes a few executions to reach its clock: near the limit two do not tell.
  for (int i = 0; i < 4 && shortest >= short_execution && shortest < 4 * short_execution; ++i) {
    const auto more = take(8);
    if (!more) return tl::unexpected(more.error());
    shortest = std::min(shortest, *std::ranges::min_element(*more));
  }
  const bool is_short = shortest < short_execution;
  if (use_ == GraphUse::never || (use_ == GraphUse::automatic && !is_short)) return {};
  graph_ = ExecutionGraph::make(is_short ? batching_of(shortest) : Batching{}, buffers_, launches_, context_);
  if (!graph_ && use_ == GraphUse::always)
    return fail(Phase::launch, "graph", "the plan's steps cannot be recorded as a CUDA graph");
  // The first start of a graph also sends it to the device.
  if (const auto first = take(1); !first) return tl::unexpected(first.error());
  return {};
}

/// Buffers on the host are not copied: what comes from there was in no cache of the device.
Batching PlanTimer::batching_of(double seconds) const {
  std::uint64_t bytes = 0;
  bool on_host = false;
  for (const auto& buffer : buffers_.all()) {
    bytes += buffer.spec.allocation_bytes();
    on_host = on_host || buffer.spec.on_host();
  }
  return batching(seconds, bytes, static_cast<std::uint64_t>(context_.properties.l2_cache),
                  launches_.steps().size(), flush_cache_ && !on_host);
}

Result<std::vector<double>> PlanTimer::take(int samples) {
  const auto count = static_cast<std::size_t>(samples);
  auto status = enqueue_samples(count);
  if (status == cudaSuccess) status = cudaStreamSynchronize(context_.stream.get());
  if (status != cudaSuccess) return failed(status);
  const auto& events = context_.events(2 * count + 1);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < count; ++i)
    seconds.push_back(seconds_between(events[2 * i + 1], events[2 * i + 2]) / executions());
  device_seconds_ += seconds_between(events.front(), events[2 * count]);
  return seconds;
}

/// All samples are enqueued before anything waits: while the device flushes its cache for one, the host is
/// already ahead with the next, and the gap between an event and a launch stays out of the time.
cudaError_t PlanTimer::enqueue_samples(std::size_t samples) {
  const auto stream = context_.stream.get();
  const auto& events = context_.events(2 * samples + 1);
  auto status = cudaEventRecord(events[0].get(), stream);
  for (std::size_t i = 0; i < samples && status == cudaSuccess; ++i) {
    if (flush_cache_) status = context_.flush_l2();
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i + 1].get(), stream);
    if (status == cudaSuccess) status = enqueue_execution();
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i + 2].get(), stream);
  }
  return status;
}

cudaError_t PlanTimer::enqueue_execution() {
  return graph_ ? graph_->enqueue(context_.stream.get()) : launches_.enqueue(context_.stream.get());
}

std::uint64_t PlanTimer::throttle_reasons() {
  return context_.nvml ? context_.nvml->throttle() : 0;
}

void PlanTimer::rest() {
  std::this_thread::sleep_for(milliseconds(50));
}

Result<double> PlanTimer::measure_energy(double execution_seconds) {
  if (!context_.nvml || !context_.nvml->energy()) return 0;
  double seconds = 0;
  const auto watts = power_while_busy(execution_seconds * executions(), seconds);
  if (!watts) return tl::unexpected(watts.error());
  return *watts * seconds / executions();
}

/// Keeps the device busy with two pieces of work, of which one is enqueued while the other runs, and reads
/// the counter meanwhile. 0 where it does not move.
Result<double> PlanTimer::power_while_busy(double estimated_seconds, double& measured_seconds) {
  constexpr double min = 0.5;
  constexpr double max = 3;
  constexpr double piece = 0.02;
  const auto piece_executions =
      static_cast<int>(std::clamp(piece / std::max(estimated_seconds, 1e-6), 1.0, 4000.0));
  const auto& events = context_.events(3);
  const auto enqueue_piece = [&](const Event& end) {
    auto status = cudaSuccess;
    for (int i = 0; i < piece_executions && status == cudaSuccess; ++i) status = enqueue_execution();
    return status == cudaSuccess ? cudaEventRecord(end.get(), context_.stream.get()) : status;
  };

  EnergyWindow window(min);
  const Stopwatch watch;
  auto status = cudaEventRecord(events[0].get(), context_.stream.get());
  if (status == cudaSuccess) status = enqueue_piece(events[1]);
  std::size_t running = 1;
  double pieces = 1;
  for (bool enough = false; !enough && watch.seconds() < max && status == cudaSuccess; ++pieces) {
    status = enqueue_piece(events[3 - running]);
    while (status == cudaSuccess) {
      const auto ended = cudaEventQuery(events[running].get());
      ignore(ended);
      if (ended != cudaErrorNotReady) {
        status = ended;
        break;
      }
      const auto joules = context_.nvml->energy();
      enough = enough || (joules && window.add(watch.seconds(), *joules));
      std::this_thread::sleep_for(milliseconds(1));
    }
    running = 3 - running;
  }
  if (status == cudaSuccess) status = cudaStreamSynchronize(context_.stream.get());
  if (status != cudaSuccess) return failed(status);
  measured_seconds = seconds_between(events[0], events[running]) / (pieces * piece_executions);
  return window.watts();
}

}  // namespace tune::cuda
