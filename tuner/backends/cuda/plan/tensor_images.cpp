// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/tensor_images.hpp"

#include <algorithm>

#include "tuner/backends/cuda/runtime/strided_copy.hpp"
#include "tuner/base/content_hash.hpp"

namespace tune::cuda {
namespace {

/// NaN in floating point, -1 in signed integers: what nobody wrote shows.
constexpr int poison = 0xff;

/// A search checks every configuration at several small sizes with two seeds: an image for each input and
/// reference, and for each layout of the large ones.
constexpr std::size_t most_images = 128;

}  // namespace

ImageKey image_key(const std::string& name, const Layout& layout, const TensorView& tensor) {
  const auto bytes = tensor.bytes;
  return {name, tensor.type, layout, bytes.data(), bytes.size(), sampled_hash(bytes)};
}

void send(std::byte* memory, const ImageKey& key, const TensorView& tensor, cudaStream_t stream) {
  if (!key.layout.is_dense()) check(cudaMemsetAsync(memory, poison, key.allocation_bytes(), stream));
  upload(memory, tensor.bytes.data(), copy_shape(key.layout, size_of(key.type)), stream);
}

const TensorImage* TensorImages::get(const ImageKey& key, const TensorView& tensor, DeviceChecks& checks,
                                     cudaStream_t stream) {
  const auto found = std::ranges::find(images_, key, &TensorImage::key);
  if (found == images_.end()) return keep(key, tensor, checks, stream);
  images_.splice(images_.begin(), images_, found);
  auto& image = images_.front();
  const auto sums = checks.sums(image.memory.data(), key.allocation_bytes(), stream);
  check(sums ? cudaSuccess : sums.error());
  if (*sums != image.sums) send(image.memory.data(), key, tensor, stream);
  return &image;
}

const TensorImage* TensorImages::keep(const ImageKey& key, const TensorView& tensor, DeviceChecks& checks,
                                      cudaStream_t stream) {
  const auto size = key.allocation_bytes();
  if (size > most_bytes_) return nullptr;
  while (images_.size() >= most_images || bytes() + size > most_bytes_)
    if (!drop_oldest()) break;
  auto memory = pool_.take(size);
  while (memory.data() == nullptr && drop_oldest()) memory = pool_.take(size);
  if (memory.data() == nullptr) return nullptr;
  send(memory.data(), key, tensor, stream);
  auto sums = checks.sums(memory.data(), size, stream);
  check(sums ? cudaSuccess : sums.error());
  images_.push_front({key, std::move(memory), std::move(*sums)});
  return &images_.front();
}

const TensorImage* TensorImages::find(const ImageKey& key) const {
  const auto found = std::ranges::find(images_, key, &TensorImage::key);
  return found == images_.end() ? nullptr : &*found;
}

bool TensorImages::drop_oldest() {
  if (images_.empty()) return false;
  pool_.give_back(std::move(images_.back().memory));
  images_.pop_back();
  return true;
}

std::size_t TensorImages::bytes() const {
  std::size_t sum = 0;
  for (const auto& image : images_) sum += image.memory.size();
  return sum;
}

}  // namespace tune::cuda
