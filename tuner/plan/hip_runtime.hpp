// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace tune {

/// The headers of HIP, with texts for a kernel whose CUDA source was renamed for HIP: names that HIP has
/// besides those of CUDA, and the usual ones of the host. A warp has 32 threads, as on all devices of CUDA.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 11> hip_headers = {{
    {"hip/hip_runtime.h",
     "#pragma once\n"
     "#define __HIP_PLATFORM_NVIDIA__ 1\n#define __HIP_PLATFORM_NVCC__ 1\n"
     "#ifdef __CUDA_ARCH__\n#define __HIP_DEVICE_COMPILE__ 1\n#endif\n"
     "#define HIP_KERNEL_NAME(...) __VA_ARGS__\n#define HIP_SYMBOL(name) name\n"
     "#define hipThreadIdx_x threadIdx.x\n#define hipThreadIdx_y threadIdx.y\n"
     "#define hipThreadIdx_z threadIdx.z\n#define hipBlockIdx_x blockIdx.x\n#define hipBlockIdx_y blockIdx.y\n"
     "#define hipBlockIdx_z blockIdx.z\n#define hipBlockDim_x blockDim.x\n#define hipBlockDim_y blockDim.y\n"
     "#define hipBlockDim_z blockDim.z\n#define hipGridDim_x gridDim.x\n#define hipGridDim_y gridDim.y\n"
     "#define hipGridDim_z gridDim.z\n"
     "#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];\n"
     "#define __shfl(...) __shfl_sync(0xffffffffu, __VA_ARGS__)\n"
     "#define __shfl_up(...) __shfl_up_sync(0xffffffffu, __VA_ARGS__)\n"
     "#define __shfl_down(...) __shfl_down_sync(0xffffffffu, __VA_ARGS__)\n"
     "#define __shfl_xor(...) __shfl_xor_sync(0xffffffffu, __VA_ARGS__)\n"
     "#define __ballot(...) __ballot_sync(0xffffffffu, __VA_ARGS__)\n"
     "static inline __device__ int __any(int given) { return __any_sync(0xffffffffu, given); }\n"
     "static inline __device__ int __all(int given) { return __all_sync(0xffffffffu, given); }\n"
     "#define __lane_id() \\\n"
     "  ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u)\n"
     "#define hipTextureObject_t cudaTextureObject_t\n#define hipSurfaceObject_t cudaSurfaceObject_t\n"
     "#define hipStream_t cudaStream_t\n"
     "#define hipError_t cudaError_t\n#define hipMalloc cudaMalloc\n"
     "#define hipMallocManaged cudaMallocManaged\n#define hipMallocAsync cudaMallocAsync\n"
     "#define hipFree cudaFree\n#define hipFreeAsync cudaFreeAsync\n#define hipMemcpy cudaMemcpy\n"
     "#define hipMemcpyAsync cudaMemcpyAsync\n#define hipMemcpyToSymbol cudaMemcpyToSymbol\n"
     "#define hipMemset cudaMemset\n#define hipMemsetAsync cudaMemsetAsync\n"
     "#define hipMemcpyHostToDevice cudaMemcpyHostToDevice\n"
     "#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost\n"
     "#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice\n"
     "#define hipMemcpyHostToHost cudaMemcpyHostToHost\n"
     "#define hipDeviceSynchronize cudaDeviceSynchronize\n#define hipGetLastError cudaGetLastError\n"
     "#define hipPeekAtLastError cudaPeekAtLastError\n#define hipGetErrorString cudaGetErrorString\n"
     "#define hipGetErrorName cudaGetErrorName\n#define hipStreamCreate cudaStreamCreate\n"
     "#define hipStreamDestroy cudaStreamDestroy\n#define hipStreamSynchronize cudaStreamSynchronize\n"
     "#define hipEvent_t cudaEvent_t\n#define hipEventCreate cudaEventCreate\n"
     "#define hipEventRecord cudaEventRecord\n#define hipEventSynchronize cudaEventSynchronize\n"
     "#define hipEventElapsedTime cudaEventElapsedTime\n#define hipEventDestroy cudaEventDestroy\n"
     "#define hipSetDevice cudaSetDevice\n#define hipGetDevice cudaGetDevice\n"
     "#define hipGetDeviceCount cudaGetDeviceCount\n"
     "#define hipGetDeviceProperties cudaGetDeviceProperties\n#define hipSuccess cudaSuccess\n"
     "#define hipDeviceProp_t cudaDeviceProp\n"
     "#ifndef __CUDACC_RTC__\n"
     "#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \\\n"
     "  kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)\n"
     "#endif\n"
     "#define unsafeAtomicAdd atomicAdd\n#define safeAtomicAdd atomicAdd\n#define atomicAddNoRet atomicAdd\n"
     "#define wall_clock64 clock64\n"
     "#define __builtin_nontemporal_load(place) (*(place))\n"
     "#define __builtin_nontemporal_store(value, place) (*(place) = (value))\n"},
    {"hip/hip_runtime_api.h", "#include \"hip/hip_runtime.h\"\n"},
    {"hip/hip_fp16.h", "#include <cuda_fp16.h>\n"},
    {"hip/hip_bf16.h", "#include <cuda_bf16.h>\n"},
    {"hip/hip_cooperative_groups.h", "#include <cooperative_groups.h>\n"},
    {"hip/hip_complex.h",
     "#pragma once\n#include <cuComplex.h>\n"
     "#define hipComplex cuComplex\n#define hipFloatComplex cuFloatComplex\n"
     "#define hipDoubleComplex cuDoubleComplex\n#define make_hipComplex make_cuComplex\n"
     "#define make_hipFloatComplex make_cuFloatComplex\n#define make_hipDoubleComplex make_cuDoubleComplex\n"
     "#define hipCrealf cuCrealf\n#define hipCimagf cuCimagf\n#define hipConjf cuConjf\n"
     "#define hipCaddf cuCaddf\n#define hipCsubf cuCsubf\n#define hipCmulf cuCmulf\n#define hipCdivf cuCdivf\n"
     "#define hipCabsf cuCabsf\n#define hipCreal cuCreal\n#define hipCimag cuCimag\n#define hipConj cuConj\n"
     "#define hipCadd cuCadd\n#define hipCsub cuCsub\n#define hipCmul cuCmul\n#define hipCdiv cuCdiv\n"
     "#define hipCabs cuCabs\n#define hipCfmaf cuCfmaf\n#define hipCfma cuCfma\n"},
    {"hipcub/block/block_reduce.hpp", "#include \"hipcub/hipcub.hpp\"\n"},
    {"hipcub/block/block_scan.hpp", "#include \"hipcub/hipcub.hpp\"\n"},
    {"hipcub/warp/warp_reduce.hpp", "#include \"hipcub/hipcub.hpp\"\n"},
    {"hipcub/hipcub.hpp",
     "#pragma once\n#include <cub/block/block_discontinuity.cuh>\n#include <cub/block/block_exchange.cuh>\n"
     "#include <cub/block/block_load.cuh>\n#include <cub/block/block_radix_sort.cuh>\n"
     "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n"
     "#include <cub/block/block_store.cuh>\n#include <cub/warp/warp_reduce.cuh>\n"
     "#include <cub/warp/warp_scan.cuh>\n#include <cuda/functional>\n#include <cuda/std/functional>\n"
     "namespace hipcub {\nusing namespace cub;\nusing Sum = ::cuda::std::plus<>;\n"
     "using Max = ::cuda::maximum<>;\nusing Min = ::cuda::minimum<>;\n}\n"},
    {"hiprand/hiprand_kernel.h",
     "#pragma once\n#include <curand_kernel.h>\n"
     "#define hiprandState curandState\n#define hiprandState_t curandState_t\n"
     "#define hiprandStateXORWOW curandStateXORWOW\n#define hiprandStateXORWOW_t curandStateXORWOW_t\n"
     "#define hiprandStatePhilox4_32_10 curandStatePhilox4_32_10\n"
     "#define hiprandStatePhilox4_32_10_t curandStatePhilox4_32_10_t\n"
     "#define hiprandStateMRG32k3a curandStateMRG32k3a\n"
     "#define hiprandStateMRG32k3a_t curandStateMRG32k3a_t\n#define hiprand_init curand_init\n"
     "#define hiprand curand\n#define hiprand4 curand4\n#define hiprand_uniform curand_uniform\n"
     "#define hiprand_uniform2_double curand_uniform2_double\n"
     "#define hiprand_uniform4 curand_uniform4\n"
     "#define hiprand_uniform4_double curand_uniform4_double\n"
     "#define hiprand_uniform_double curand_uniform_double\n#define hiprand_normal curand_normal\n"
     "#define hiprand_normal2 curand_normal2\n#define hiprand_normal2_double curand_normal2_double\n"
     "#define hiprand_normal4 curand_normal4\n#define hiprand_normal_double curand_normal_double\n"
     "#define hiprand_log_normal curand_log_normal\n#define hiprand_log_normal2 curand_log_normal2\n"
     "#define hiprand_log_normal4 curand_log_normal4\n"
     "#define hiprand_log_normal_double curand_log_normal_double\n"
     "#define hiprand_poisson curand_poisson\n#define hiprand_discrete curand_discrete\n"},
}};

}  // namespace tune
