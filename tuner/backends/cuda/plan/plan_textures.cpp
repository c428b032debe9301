// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/plan_textures.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

std::uint64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<std::uint64_t>(value);
}

cudaChannelFormatDesc channels_of(ElementType type, int channels) {
  const int bits = static_cast<int>(8 * element_size(type));
  const auto kind = type == ElementType::f32   ? cudaChannelFormatKindFloat
                    : type == ElementType::i32 ? cudaChannelFormatKindSigned
                                               : cudaChannelFormatKindUnsigned;
  const auto of = [&](int channel) { return channel < channels ? bits : 0; };
  return cudaCreateChannelDesc(of(0), of(1), of(2), of(3), kind);
}

cudaTextureAddressMode to_cuda(AddressMode mode) {
  constexpr cudaTextureAddressMode all[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
  return all[static_cast<int>(mode)];
}

cudaTextureDesc to_cuda(const TextureSpec& texture) {
  cudaTextureDesc description{};
  // Devices use all three modes, even where the texture has fewer dimensions: a border would be mixed into a
  // row.
  for (int i = 0; i < 3; ++i)
    description.addressMode[i] =
        i < texture.dimensions ? to_cuda(texture.address[static_cast<std::size_t>(i)]) : cudaAddressModeClamp;
  description.filterMode = texture.filter == FilterMode::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode =
      texture.read == ReadMode::normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = texture.normalized_coordinates ? 1 : 0;
  return description;
}

tl::unexpected<Failure> refused(const TextureArgument& argument, const TextureShape& shape,
                                cudaError_t status) {
  ignore(status);
  const bool memory = status == cudaErrorMemoryAllocation;
  return fail(Phase::resources, memory ? "device memory" : "texture",
              format("the texture over `{}` of {} x {} x {} texels: {}", argument.buffer, shape.extents[0],
                     shape.extents[1], shape.extents[2], describe(status)));
}

/// An array of fewer dimensions has extents of zero; a copy to it has extents of one.
cudaError_t allocate(ArrayMemory& array, const cudaChannelFormatDesc& channels, const TextureSpec& texture,
                     const TextureShape& shape) {
  const auto along = [&](int dimension) {
    return dimension < texture.dimensions ? shape.extents[static_cast<std::size_t>(dimension)] : 0;
  };
  cudaArray_t made = nullptr;
  const auto status = cudaMalloc3DArray(&made, &channels, cudaExtent{along(0), along(1), along(2)},
                                        texture.gather ? cudaArrayTextureGather : cudaArrayDefault);
  array = ArrayMemory(made);
  return status;
}

cudaResourceDesc resource(const TextureSpec& texture, const TextureShape& shape,
                          const cudaChannelFormatDesc& channels, std::byte* first, cudaArray_t array) {
  cudaResourceDesc description{};
  switch (texture.memory) {
    case TextureMemory::linear:
      description.resType = cudaResourceTypeLinear;
      description.res.linear.devPtr = first;
      description.res.linear.desc = channels;
      description.res.linear.sizeInBytes = shape.bytes();
      break;
    case TextureMemory::pitched:
      description.resType = cudaResourceTypePitch2D;
      description.res.pitch2D.devPtr = first;
      description.res.pitch2D.desc = channels;
      description.res.pitch2D.width = shape.extents[0];
      description.res.pitch2D.height = shape.extents[1];
      description.res.pitch2D.pitchInBytes = shape.strides[1];
      break;
    case TextureMemory::array:
      description.resType = cudaResourceTypeArray;
      description.res.array.array = array;
      break;
  }
  return description;
}

/// Sets the device's limit of linear memory for these texels.
TextureLimits with_linear(TextureLimits limits, const cudaChannelFormatDesc& channels, int device) {
  std::size_t max = 0;
  const auto status = cudaDeviceGetTexture1DLinearMaxWidth(&max, &channels, device);
  if (status == cudaSuccess) limits.linear = max;
  ignore(status);
  return limits;
}

/// Copies planes one by one where they do not lie a whole number of rows apart.
cudaError_t copy_to_array(cudaArray_t array, std::byte* first, const TextureShape& shape,
                          cudaStream_t stream) {
  const auto row = shape.extents[0] * shape.strides[0];
  const auto pitch = shape.strides[1] != 0 ? shape.strides[1] : row;
  const bool whole = shape.extents[2] == 1 || shape.strides[2] % pitch == 0;
  const auto rows = shape.extents[2] > 1 && whole ? shape.strides[2] / pitch : shape.extents[1];
  const auto planes = whole ? shape.extents[2] : 1;
  for (std::uint64_t plane = 0; plane < shape.extents[2]; plane += planes) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {first + plane * shape.strides[2], pitch, shape.extents[0], rows};
    copy.dstArray = array;
    copy.dstPos = {0, 0, plane};
    copy.extent = {shape.extents[0], shape.extents[1], planes};
    copy.kind = cudaMemcpyDeviceToDevice;
    if (const auto status = cudaMemcpy3DAsync(&copy, stream); status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace

TextureLimits texture_limits(int device) {
  const auto of = [&](cudaDeviceAttr which) { return attribute(which, device); };
  TextureLimits limits;
  limits.alignment = of(cudaDevAttrTextureAlignment);
  limits.pitch_alignment = of(cudaDevAttrTexturePitchAlignment);
  limits.max_pitch = of(cudaDevAttrMaxTexture2DLinearPitch);
  limits.pitched = {of(cudaDevAttrMaxTexture2DLinearWidth), of(cudaDevAttrMaxTexture2DLinearHeight)};
  limits.array_1d = of(cudaDevAttrMaxTexture1DWidth);
  limits.array_2d = {of(cudaDevAttrMaxTexture2DWidth), of(cudaDevAttrMaxTexture2DHeight)};
  limits.gather = {of(cudaDevAttrMaxTexture2DGatherWidth), of(cudaDevAttrMaxTexture2DGatherHeight)};
  limits.array_3d = {of(cudaDevAttrMaxTexture3DWidth), of(cudaDevAttrMaxTexture3DHeight),
                     of(cudaDevAttrMaxTexture3DDepth)};
  return limits;
}

Result<PlanTextures> PlanTextures::make(const std::vector<TextureArgument>& textures,
                                        const std::vector<BufferSpec>& buffers, const AddressOf& address_of,
                                        int device) {
  PlanTextures made;
  if (textures.empty()) return made;
  const auto limits = texture_limits(device);
  for (const auto& argument : textures) {
    const auto buffer = std::ranges::find(buffers, argument.buffer, &BufferSpec::name);
    if (buffer == buffers.end()) throw Error(format("the plan has no buffer `{}`", argument.buffer));
    const auto channels = channels_of(buffer->type, argument.texture.channels);
    auto shape = texture_shape(*buffer, argument.texture, with_linear(limits, channels, device));
    if (!shape) return tl::unexpected(std::move(shape.error()));
    Made texture{argument, *shape, address_of(argument.buffer), {}, {}};
    auto status = cudaSuccess;
    if (argument.texture.memory == TextureMemory::array)
      status = allocate(texture.array, channels, argument.texture, *shape);
    const auto resources = resource(argument.texture, *shape, channels, texture.first, texture.array.get());
    const auto description = to_cuda(argument.texture);
    cudaTextureObject_t object = 0;
    if (status == cudaSuccess) status = cudaCreateTextureObject(&object, &resources, &description, nullptr);
    texture.object = TextureObject(object);
    if (status != cudaSuccess) return refused(argument, *shape, status);
    made.textures_.push_back(std::move(texture));
  }
  return made;
}

cudaError_t PlanTextures::fill(cudaStream_t stream) const {
  for (const auto& texture : textures_) {
    if (texture.array.get() == nullptr) continue;
    const auto status = copy_to_array(texture.array.get(), texture.first, texture.shape, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaTextureObject_t PlanTextures::object(const TextureArgument& argument) const {
  const auto found = std::ranges::find(textures_, argument, &Made::argument);
  if (found == textures_.end()) throw Error("a launch has a texture that its plan lacks");
  return found->object.get();
}

}  // namespace tune::cuda
