// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/tensor_maps.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <vector>

#include "tuner/backends/cuda/runtime/check.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

static_assert(sizeof(CUtensorMap) == tensor_map_bytes && alignof(CUtensorMap) <= alignof(EncodedMap));

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encoder() {
  constexpr unsigned since = 12'000;  // CUDA 12.0
  void* function = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
  const auto status =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since, cudaEnableDefault, &found);
  ignore(status);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess || function == nullptr)
    throw Error("the driver makes no tensor maps (cuTensorMapEncodeTiled): it is older than CUDA 12.0");
  return reinterpret_cast<Encode>(function);
}

CUtensorMapDataType to_cuda(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ElementType::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case ElementType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ElementType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ElementType::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ElementType::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case ElementType::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case ElementType::u64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    // Copies move bits: there are no maps of smaller signed integers.
    case ElementType::i16:
    case ElementType::u16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case ElementType::i8:
    case ElementType::u8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
  throw Error("unknown element type");
}

CUtensorMapSwizzle to_cuda(MapSwizzle swizzle) {
  constexpr CUtensorMapSwizzle all[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                        CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  return all[static_cast<int>(swizzle)];
}

CUtensorMapL2promotion to_cuda(MapPromotion promotion) {
  constexpr CUtensorMapL2promotion all[] = {
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B};
  return all[static_cast<int>(promotion)];
}

}  // namespace

EncodedMap encode(const TensorMapSpec& map, ElementType type, std::byte* first) {
  static const Encode call = encoder();
  const std::vector<cuuint64_t> extents(map.extents.begin(), map.extents.end());
  const std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  const std::vector<cuuint32_t> box(map.box.begin(), map.box.end()), steps(map.box.size(), 1);
  EncodedMap encoded{};
  const auto status =
      call(reinterpret_cast<CUtensorMap*>(&encoded), to_cuda(type), static_cast<cuuint32_t>(extents.size()),
           first + map.offset * element_size(type), extents.data(), strides.data(), box.data(), steps.data(),
           CU_TENSOR_MAP_INTERLEAVE_NONE, to_cuda(map.swizzle), to_cuda(map.promotion),
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);  // zeros
  if (status != CUDA_SUCCESS)
    throw Error(format("the driver refuses a tensor map of {} dimensions (CUresult {})", extents.size(),
                       static_cast<int>(status)));
  return encoded;
}

}  // namespace tune::cuda
