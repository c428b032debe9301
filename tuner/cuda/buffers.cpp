// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/buffers.hpp"

#include <algorithm>

#include "tuner/core/content_hash.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cuda {
namespace {

/// NaN in floating point, -1 in signed integers: what nobody wrote shows.
constexpr int poison = 0xff;

/// Layouts that are worth keeping: the sizes of a search, and the small ones it checks.
constexpr std::size_t most_images = 16;

std::string digest_of(std::span<const std::byte> bytes) {
  constexpr std::size_t small = std::size_t{1} << 20;
  constexpr std::size_t pieces = 8192;
  constexpr std::size_t piece = 64;
  if (bytes.size() <= small) return content_hash(bytes);
  std::vector<std::byte> sample;
  sample.reserve(pieces * piece);
  const std::size_t last = bytes.size() - piece;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto part = bytes.subspan(last / (pieces - 1) * i + last % (pieces - 1) * i / (pieces - 1), piece);
    sample.insert(sample.end(), part.begin(), part.end());
  }
  return content_hash(std::span<const std::byte>(sample));
}

void send(DeviceMemory& memory, const BufferSpec& buffer, const TensorView& tensor, cudaStream_t stream) {
  if (!buffer.layout.is_dense())
    check(cudaMemsetAsync(memory.data(), poison, buffer.allocation_bytes(), stream));
  upload(memory.data(), tensor.bytes.data(), copy_shape(buffer.layout, size_of(buffer.type)), stream);
}

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

}  // namespace

InputKey input_key(const BufferSpec& buffer, const TensorView& tensor) {
  const auto bytes = tensor.bytes;
  return {buffer.name, buffer.type, buffer.layout, bytes.data(), bytes.size(), digest_of(bytes)};
}

const DeviceMemory* InputImages::get(const BufferSpec& buffer, const TensorView& tensor,
                                     cudaStream_t stream) {
  auto key = input_key(buffer, tensor);
  const auto found =
      std::find_if(images_.begin(), images_.end(), [&](const Image& i) { return i.key == key; });
  if (found != images_.end()) {
    images_.splice(images_.begin(), images_, found);
    return &images_.front().memory;
  }
  while (images_.size() >= most_images) drop_oldest();
  auto memory = pool_.take(buffer.allocation_bytes());
  while (memory.data() == nullptr && drop_oldest()) memory = pool_.take(buffer.allocation_bytes());
  if (memory.data() == nullptr) return nullptr;
  send(memory, buffer, tensor, stream);
  images_.push_front({std::move(key), std::move(memory)});
  return &images_.front().memory;
}

bool InputImages::drop_oldest() {
  if (images_.empty()) return false;
  pool_.give_back(std::move(images_.back().memory));
  images_.pop_back();
  return true;
}

std::size_t InputImages::bytes() const {
  std::size_t sum = 0;
  for (const auto& image : images_) sum += image.memory.size();
  return sum;
}

Result<PlanBuffers> PlanBuffers::take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                      InputImages& images) {
  std::uint64_t wanted = 0;
  for (const auto& spec : specs) wanted += spec.allocation_bytes();
  // Images only save time: they make room for buffers.
  const auto available = pool.available() + images.bytes();
  if (wanted > available) return tl::unexpected(out_of_memory(wanted, available));
  PlanBuffers plan(pool);
  for (const auto& spec : specs) {
    Buffer buffer{spec, copy_shape(spec.layout, size_of(spec.type)), pool.take(spec.allocation_bytes())};
    while (buffer.memory.data() == nullptr && images.drop_oldest())
      buffer.memory = pool.take(spec.allocation_bytes());
    if (buffer.memory.data() == nullptr) return tl::unexpected(out_of_memory(wanted, available));
    plan.buffers_.push_back(std::move(buffer));
  }
  return plan;
}

PlanBuffers::~PlanBuffers() {
  for (auto& buffer : buffers_) pool_->give_back(std::move(buffer.memory));
}

void PlanBuffers::fill(const TensorViews& inputs, InputImages& images, cudaStream_t stream) {
  for (auto& buffer : buffers_) {
    const auto bytes = buffer.spec.allocation_bytes();
    if (buffer.spec.role != BufferRole::input) {
      check(cudaMemsetAsync(buffer.memory.data(), poison, bytes, stream));
      continue;
    }
    const auto& tensor = tensor_of(buffer.spec, inputs);
    const auto* image = images.get(buffer.spec, tensor, stream);
    if (image == nullptr)
      send(buffer.memory, buffer.spec, tensor, stream);
    else
      check(cudaMemcpyAsync(buffer.memory.data(), image->data(), bytes, cudaMemcpyDeviceToDevice, stream));
  }
}

void PlanBuffers::fetch(std::string_view name, std::byte* host, cudaStream_t stream) const {
  const auto& buffer = find(name);
  download(host, buffer.memory.data(), buffer.shape, stream);
}

const BufferSpec& PlanBuffers::spec(std::string_view name) const {
  return find(name).spec;
}

void* PlanBuffers::address(std::string_view name) const {
  const auto& buffer = find(name);
  return buffer.memory.data() + buffer.shape.device_offset;
}

const PlanBuffers::Buffer& PlanBuffers::find(std::string_view name) const {
  for (const auto& buffer : buffers_)
    if (buffer.spec.name == name) return buffer;
  throw Error(format("the plan has no buffer `{}`", name));
}

}  // namespace tune::cuda
