// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tune {

/// The text of `hip/hip_runtime.h` for a kernel whose CUDA source was renamed for HIP: names that HIP has
/// besides those of CUDA.
constexpr std::string_view hip_runtime =
    "#pragma once\n"
    "#define hipThreadIdx_x threadIdx.x\n#define hipThreadIdx_y threadIdx.y\n"
    "#define hipThreadIdx_z threadIdx.z\n#define hipBlockIdx_x blockIdx.x\n#define hipBlockIdx_y blockIdx.y\n"
    "#define hipBlockIdx_z blockIdx.z\n#define hipBlockDim_x blockDim.x\n#define hipBlockDim_y blockDim.y\n"
    "#define hipBlockDim_z blockDim.z\n#define hipGridDim_x gridDim.x\n#define hipGridDim_y gridDim.y\n"
    "#define hipGridDim_z gridDim.z\n"
    "#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];\n";

}  // namespace tune
