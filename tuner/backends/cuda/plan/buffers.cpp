// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/buffers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tuner/backends/guards.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_part.hpp"

namespace tune::cuda {
namespace {

/// The zone after a buffer ends at a multiple of this.
constexpr std::uint64_t end_alignment = 512;

TensorView tensor_for(const BufferSpec& buffer, const TensorViews& inputs) {
  const auto found = inputs.find(tensor_name(buffer));
  if (found == inputs.end()) throw Error(format("there is no tensor for input `{}`", buffer.name));
  return filling(buffer, found->second);
}

Failure out_of_memory(std::uint64_t wanted, std::uint64_t available) {
  return {Phase::resources, "device memory",
          format("the buffers need {} bytes, {} bytes are free", wanted, available)};
}

Failure out_of_host_memory(const BufferSpec& spec, std::uint64_t wanted) {
  return {Phase::resources, "host memory",
          format("the {} bytes of `{}` do not fit into {} memory; {} bytes are free", wanted, spec.name,
                 to_string(spec.place), available_host_memory())};
}

PlanBuffer laid_out(const BufferSpec& spec) {
  PlanBuffer buffer{spec, copy_shape(spec.layout, element_size(spec.type)), {}};
  buffer.results = copy_shape(results_layout(spec), element_size(spec.type));
  buffer.guard = guard_bytes(spec);
  const auto own = (spec.allocation_bytes() + end_alignment - 1) / end_alignment * end_alignment;
  buffer.bytes = own + 2 * buffer.guard;
  return buffer;
}

/// Drops snapshots, which only save time, to make room for buffers.
DeviceMemory take_device(std::uint64_t bytes, MemoryPool& pool, InputSnapshots& snapshots) {
  auto memory = pool.take(bytes);
  while (memory.data() == nullptr && snapshots.drop_oldest()) memory = pool.take(bytes);
  return memory;
}

}  // namespace

checks::Zone PlanBuffer::red_zone_before() const {
  return {reinterpret_cast<unsigned char*>(begin()), guard};
}

checks::Zone PlanBuffer::red_zone_after() const {
  const auto end = guard + spec.allocation_bytes();
  return {reinterpret_cast<unsigned char*>(begin() + end), bytes - end};
}

Result<PlanBuffers> PlanBuffers::take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                      HostMemoryPool& host_pool, InputSnapshots& snapshots) {
  PlanBuffers plan(pool, host_pool);
  std::uint64_t wanted = 0;
  std::uint64_t mirror = 0;
  for (const auto& spec : specs) {
    const auto bytes = plan.buffers_.emplace_back(laid_out(spec)).bytes;
    (spec.on_host() ? mirror : wanted) = spec.on_host() ? std::max(mirror, bytes) : wanted + bytes;
  }
  wanted += mirror;
  const auto available = pool.available() + snapshots.bytes();
  if (wanted > available) return tl::unexpected(out_of_memory(wanted, available));
  if (mirror > 0) {
    plan.mirror_ = take_device(mirror, pool, snapshots);
    if (plan.mirror_.data() == nullptr) return tl::unexpected(out_of_memory(wanted, available));
  }
  for (auto& buffer : plan.buffers_) {
    if (buffer.spec.on_host()) {
      buffer.mirror = plan.mirror_.data();
      buffer.host = host_pool.take(buffer.bytes, buffer.spec.place);
      if (buffer.host.data() == nullptr) return tl::unexpected(out_of_host_memory(buffer.spec, buffer.bytes));
    } else {
      buffer.memory = take_device(buffer.bytes, pool, snapshots);
      if (buffer.memory.data() == nullptr) return tl::unexpected(out_of_memory(wanted, available));
    }
  }
  return plan;
}

PlanBuffers::~PlanBuffers() {
  for (auto& buffer : buffers_) {
    pool_->give_back(std::move(buffer.memory));
    host_pool_->give_back(std::move(buffer.host));
  }
  pool_->give_back(std::move(mirror_));
}

void PlanBuffers::fill(const TensorViews& inputs, InputSnapshots& snapshots, DeviceChecks& checks,
                       cudaStream_t stream) {
  std::vector<checks::Zone> red_zones;
  for (const auto& buffer : buffers_) {
    if (buffer.spec.on_host()) continue;
    red_zones.push_back(buffer.red_zone_before());
    red_zones.push_back(buffer.red_zone_after());
  }
  check(checks.fill_guards(red_zones, stream));
  for (auto& buffer : buffers_) {
    if (buffer.spec.on_host())
      check(checks.fill_guards(std::array{buffer.red_zone_before(), buffer.red_zone_after()}, stream));
    fill(buffer, inputs, snapshots, checks, stream);
    if (buffer.spec.on_host())
      check(cudaMemcpyAsync(buffer.host.data(), buffer.mirror, buffer.bytes, cudaMemcpyDeviceToHost, stream));
  }
}

void PlanBuffers::fill(PlanBuffer& buffer, const TensorViews& inputs, InputSnapshots& snapshots,
                       DeviceChecks& checks, cudaStream_t stream) {
  const auto bytes = buffer.spec.allocation_bytes();
  if (buffer.spec.role != BufferRole::input) {
    check(cudaMemsetAsync(buffer.data(), initial_byte(buffer.spec), bytes, stream));
    if (buffer.spec.fill != BufferFill::contents) return;
  }
  const auto tensor = tensor_for(buffer.spec, inputs);
  if (buffer.spec.role != BufferRole::input) {
    buffer.first_contents = snapshot_key(buffer.spec.name, buffer.spec.layout, tensor);
    buffer.first_tensor = tensor;
    snapshots.get(*buffer.first_contents, tensor, checks, stream);
    restore(buffer, snapshots, stream);
    return;
  }
  buffer.snapshot = snapshot_key(buffer.spec.name, buffer.spec.layout, tensor);
  const auto* snapshot = snapshots.get(*buffer.snapshot, tensor, checks, stream);
  if (snapshot == nullptr)
    send(buffer.data(), *buffer.snapshot, tensor, stream);
  else
    check(cudaMemcpyAsync(buffer.data(), snapshot->memory.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  auto sums = snapshot == nullptr ? checks.sums(buffer.data(), bytes, stream) : snapshot->sums;
  check(sums ? cudaSuccess : sums.error());
  buffer.sums = std::move(*sums);
}

cudaError_t PlanBuffers::poison_outputs(cudaStream_t stream) const {
  for (const auto& buffer : buffers_) {
    if (buffer.spec.role != BufferRole::output || is_in_place(buffer.spec)) continue;
    const auto bytes = buffer.spec.allocation_bytes();
    if (buffer.spec.on_host()) {
      std::memset(buffer.host.data() + buffer.guard, initial_byte(buffer.spec), bytes);
      continue;
    }
    const auto status = cudaMemsetAsync(buffer.data(), initial_byte(buffer.spec), bytes, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

void PlanBuffers::restore(const PlanBuffer& buffer, const InputSnapshots& snapshots, cudaStream_t stream) {
  const auto* const snapshot = snapshots.find(*buffer.first_contents);
  if (snapshot == nullptr)
    send(buffer.data(), *buffer.first_contents, buffer.first_tensor, stream);
  else
    check(cudaMemcpyAsync(buffer.data(), snapshot->memory.data(), buffer.spec.allocation_bytes(),
                          cudaMemcpyDeviceToDevice, stream));
}

void PlanBuffers::restore_in_place(const InputSnapshots& snapshots, cudaStream_t stream) const {
  for (const auto& buffer : buffers_) {
    if (!buffer.first_contents) continue;
    restore(buffer, snapshots, stream);
    if (buffer.spec.on_host())
      check(cudaMemcpyAsync(buffer.host.data() + buffer.guard, buffer.data(), buffer.spec.allocation_bytes(),
                            cudaMemcpyDeviceToHost, stream));
  }
}

bool PlanBuffers::any_in_place() const {
  return std::ranges::any_of(buffers_, [](const PlanBuffer& buffer) { return is_in_place(buffer.spec); });
}

cudaError_t PlanBuffers::stage(const PlanBuffer& buffer, cudaStream_t stream) const {
  if (!buffer.spec.on_host()) return cudaSuccess;
  return cudaMemcpyAsync(buffer.mirror, buffer.host.data(), buffer.bytes, cudaMemcpyHostToDevice, stream);
}

void PlanBuffers::fetch(std::string_view name, std::byte* host, cudaStream_t stream) const {
  const auto& buffer = *find(name);
  check(stage(buffer, stream));
  download(host, buffer.data(), buffer.results, stream);
}

const PlanBuffer* PlanBuffers::find(std::string_view name) const {
  for (const auto& buffer : buffers_)
    if (buffer.spec.name == name) return &buffer;
  return nullptr;
}

std::pair<const DevicePart*, const PlanBuffer*> find_buffer(const std::vector<DevicePart>& parts,
                                                            std::string_view name) {
  for (const auto& part : parts)
    if (const auto* buffer = part.buffers.find(name)) return {&part, buffer};
  throw Error(format("the plan has no buffer `{}`", name));
}

}  // namespace tune::cuda
