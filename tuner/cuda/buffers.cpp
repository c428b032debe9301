// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/buffers.hpp"

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/cuda/guards.hpp"

namespace tune::cuda {
namespace {

/// The zone after a buffer ends at a whole word.
constexpr std::uint64_t end_alignment = 512;

const TensorView& tensor_of(const BufferSpec& buffer, const TensorViews& inputs) {
  const auto found = inputs.find(buffer.name);
  if (found == inputs.end()) throw Error(format("there is no tensor for input `{}`", buffer.name));
  if (found->second.type != buffer.type || found->second.extents != buffer.layout.extents)
    throw Error(
        format("the tensor for input `{}` has other extents or elements than its buffer", buffer.name));
  return found->second;
}

Failure out_of_memory(std::uint64_t wanted, std::uint64_t available) {
  return {Phase::resources, "device memory",
          format("the buffers take {} bytes, {} bytes are free", wanted, available)};
}

PlanBuffer laid_out(const BufferSpec& spec) {
  PlanBuffer buffer{spec, copy_shape(spec.layout, size_of(spec.type)), {}};
  buffer.guard = guard_bytes(spec);
  const auto own = (spec.allocation_bytes() + end_alignment - 1) / end_alignment * end_alignment;
  buffer.bytes = own + 2 * buffer.guard;
  return buffer;
}

}  // namespace

checks::Zone PlanBuffer::zone_before() const {
  return {reinterpret_cast<unsigned char*>(memory.data()), guard};
}

checks::Zone PlanBuffer::zone_after() const {
  const auto begin = guard + spec.allocation_bytes();
  return {reinterpret_cast<unsigned char*>(memory.data() + begin), bytes - begin};
}

Result<PlanBuffers> PlanBuffers::take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                      TensorImages& images) {
  PlanBuffers plan(pool);
  std::uint64_t wanted = 0;
  for (const auto& spec : specs) wanted += plan.buffers_.emplace_back(laid_out(spec)).bytes;
  // Images only save time: they make room for buffers.
  const auto available = pool.available() + images.bytes();
  if (wanted > available) return tl::unexpected(out_of_memory(wanted, available));
  for (auto& buffer : plan.buffers_) {
    buffer.memory = pool.take(buffer.bytes);
    while (buffer.memory.data() == nullptr && images.drop_oldest()) buffer.memory = pool.take(buffer.bytes);
    if (buffer.memory.data() == nullptr) return tl::unexpected(out_of_memory(wanted, available));
  }
  return plan;
}

PlanBuffers::~PlanBuffers() {
  for (auto& buffer : buffers_) pool_->give_back(std::move(buffer.memory));
}

void PlanBuffers::fill(const TensorViews& inputs, TensorImages& images, DeviceChecks& checks,
                       cudaStream_t stream) {
  std::vector<checks::Zone> zones;
  for (const auto& buffer : buffers_) {
    zones.push_back(buffer.zone_before());
    zones.push_back(buffer.zone_after());
  }
  check(checks.fill_guards(zones, stream));
  for (auto& buffer : buffers_) {
    const auto bytes = buffer.spec.allocation_bytes();
    if (buffer.spec.role != BufferRole::input) {
      check(cudaMemsetAsync(buffer.data(), initial_byte(buffer.spec), bytes, stream));
      if (buffer.spec.fill != Fill::contents) continue;
    }
    const auto& tensor = tensor_of(buffer.spec, inputs);
    if (buffer.spec.role != BufferRole::input) {
      send(buffer.data(), image_key(buffer.spec.name, buffer.spec.layout, tensor), tensor, stream);
      continue;
    }
    buffer.image = image_key(buffer.spec.name, buffer.spec.layout, tensor);
    const auto* image = images.get(*buffer.image, tensor, checks, stream);
    if (image == nullptr)
      send(buffer.data(), *buffer.image, tensor, stream);
    else
      check(cudaMemcpyAsync(buffer.data(), image->memory.data(), bytes, cudaMemcpyDeviceToDevice, stream));
    auto sums = image == nullptr ? checks.sums(buffer.data(), bytes, stream) : image->sums;
    check(sums ? cudaSuccess : sums.error());
    buffer.sums = std::move(*sums);
  }
}

void PlanBuffers::fetch(std::string_view name, std::byte* host, cudaStream_t stream) const {
  const auto& buffer = find(name);
  download(host, buffer.data(), buffer.shape, stream);
}

const PlanBuffer& PlanBuffers::find(std::string_view name) const {
  for (const auto& buffer : buffers_)
    if (buffer.spec.name == name) return buffer;
  throw Error(format("the plan has no buffer `{}`", name));
}

}  // namespace tune::cuda
