// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/host_pool.hpp"

namespace tune::cuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// Large against any L2, so that the copy is not one within the cache.
constexpr std::size_t largest_copy = 2048 * mebibyte;
constexpr std::size_t smallest_copy = 64 * mebibyte;

constexpr std::size_t samples = 9;

/// What executions of `enqueue` on the stream take, the shortest first.
template<class Enqueue>
std::array<double, samples> sorted_seconds(const Enqueue& enqueue, const Stream& stream) {
  std::array<Event, samples + 1> events;
  for (auto& event : events) event = make_event();
  check(cudaEventRecord(events[0].get(), stream.get()));
  for (std::size_t i = 1; i <= samples; ++i) {
    enqueue();
    check(cudaEventRecord(events[i].get(), stream.get()));
  }
  check(cudaStreamSynchronize(stream.get()));
  std::array<double, samples> seconds{};
  for (std::size_t i = 0; i < samples; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events[i].get(), events[i + 1].get()));
    seconds[i] = static_cast<double>(milliseconds) * 1e-3;
  }
  std::ranges::sort(seconds);
  return seconds;
}

}  // namespace

double measure_copy_bandwidth() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total));
  const auto size = std::min(largest_copy, available / 4);
  if (size < smallest_copy) return 0;
  const auto source = try_allocate_device(size);
  const auto target = try_allocate_device(size);
  if (source.data() == nullptr || target.data() == nullptr) return 0;

  const auto stream = make_stream();
  check(cudaMemsetAsync(source.data(), 0x5a, size, stream.get()));
  const auto copy = [&] {
    check(cudaMemcpyAsync(target.data(), source.data(), size, cudaMemcpyDeviceToDevice, stream.get()));
  };
  for (int i = 0; i < 3; ++i) copy();

  return 2.0 * static_cast<double>(size) / sorted_seconds(copy, stream)[samples / 2];
}

HostBandwidth measure_host_bandwidth() {
  constexpr std::size_t size = 128 * mebibyte;
  const auto host = HostMemory::allocate(size, MemoryPlace::pinned);
  const auto memory = try_allocate_device(size);
  if (host.data() == nullptr || memory.data() == nullptr) return {};
  const auto stream = make_stream();
  std::memset(host.data(), 0x5a, size);
  const auto timed = [&](void* to, const void* from, cudaMemcpyKind kind) {
    const auto copy = [&] { check(cudaMemcpyAsync(to, from, size, kind, stream.get())); };
    for (int i = 0; i < 3; ++i) copy();
    return static_cast<double>(size) / sorted_seconds(copy, stream).front();
  };
  HostBandwidth found;
  found.to_device = timed(memory.data(), host.data(), cudaMemcpyHostToDevice);
  found.to_host = timed(host.data(), memory.data(), cudaMemcpyDeviceToHost);
  return found;
}

}  // namespace tune::cuda
