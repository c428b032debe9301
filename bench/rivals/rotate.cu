// SPDX-License-Identifier: Apache-2.0
// Measures NPP's rotation of the images that the problem `rotate` has, and a copy of them:
//   nvcc -O3 -std=c++17 -arch=native bench/rivals/rotate.cu -lnppig -lnppc -o rotate && ./rotate
// prints a line of CSV for each type and angle, for bench/rivals/measure.py: the median of 20 executions.
#include <nppcore.h>
#include <nppi_geometry_transforms.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int extent = 8192;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "rotate: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template<class Run>
void measure(const char* program, const char* type, double angle, const Run& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 23; ++i) {
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time;
    check(cudaEventElapsedTime(&time, begin, end));
    if (i >= 3) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  const float median = times[times.size() / 2];
  std::printf("%s %s %g,%dx%d,%.4f\n", program, type, angle, extent, extent, median);
  std::fflush(stdout);
}

__global__ void fill(unsigned* words, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    words[i] = static_cast<unsigned>(i) * 2654435761u >> 2;  // no NaN
}

// `turn(in, pitch, size, all, out, shift_x, shift_y, angle)`: one of NPP's functions.
template<class Channel, class Turn>
void measure_type(const char* type, int channels, const Turn& turn) {
  const std::size_t pitch = extent * channels * sizeof(Channel), bytes = pitch * extent;
  Channel *in, *out;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  fill<<<1024, 256>>>(reinterpret_cast<unsigned*>(in), static_cast<long long>(bytes / 4));
  measure("copy", type, 0, [&] { check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice)); });
  const NppiSize size{extent, extent};
  const NppiRect all{0, 0, extent, extent};
  for (const double angle : {0.0, 15.0, 30.0, 45.0, 90.0}) {
    // NPP turns about the origin: the shift brings the centre back.
    const double radians = angle * 3.14159265358979323846 / 180, centre = (extent - 1) / 2.0;
    const double c = std::cos(radians), s = std::sin(radians);
    const double shift_x = centre - c * centre - s * centre, shift_y = centre + s * centre - c * centre;
    measure("NPP", type, angle, [&] {
      const NppStatus status = turn(in, size, static_cast<int>(pitch), all, out, static_cast<int>(pitch), all,
                                    angle, shift_x, shift_y);
      if (status != NPP_SUCCESS) {
        std::fprintf(stderr, "rotate: NPP says %d\n", static_cast<int>(status));
        std::exit(1);
      }
    });
  }
  check(cudaFree(in));
  check(cudaFree(out));
}

}  // namespace

int main() {
  NppStreamContext context{};
  check(cudaGetDevice(&context.nCudaDeviceId));
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, context.nCudaDeviceId));
  context.nMultiProcessorCount = device.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  context.nSharedMemPerBlock = device.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = device.major;
  context.nCudaDevAttrComputeCapabilityMinor = device.minor;
  const NppLibraryVersion* const version = nppGetLibVersion();
  std::printf("# %s, NPP %d.%d.%d\n", device.name, version->major, version->minor, version->build);
  std::printf("work,size,best_ms\n");
  const auto with = [&](auto function) {
    return [=](auto... arguments) { return function(arguments..., NPPI_INTER_LINEAR, context); };
  };
  measure_type<Npp8u>("uint8", 1, with(nppiRotate_8u_C1R_Ctx));
  measure_type<Npp16u>("uint16", 1, with(nppiRotate_16u_C1R_Ctx));
  measure_type<Npp32f>("float", 1, with(nppiRotate_32f_C1R_Ctx));
  measure_type<Npp8u>("uint8x4", 4, with(nppiRotate_8u_C4R_Ctx));
}
