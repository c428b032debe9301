// SPDX-License-Identifier: Apache-2.0
// Measures CUB's histograms of the samples that the problem `histogram` has:
//   nvcc -O3 -std=c++17 -arch=native bench/rivals/histogram.cu -o histogram && ./histogram
// prints a line of CSV for each type, number of bins and distribution, for bench/rivals/measure.py: the
// median of 20 executions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_histogram.cuh>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "histogram: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

enum class Data { uniform, skewed, one };

__device__ unsigned long long mixed(unsigned long long z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

template<class Sample>
__global__ void fill(Sample* samples, long long count, Data data, double range) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    double place = static_cast<double>(mixed(i) >> 11) * 0x1.0p-53;
    if (data == Data::skewed) place = place * place * place * place;
    if (data == Data::one) place = 0.6;
    samples[i] =
        range == 1 ? static_cast<Sample>(fmin(place, 1 - 0x1.0p-24)) : static_cast<Sample>(place * range);
  }
}

template<class Sample>
void measure(const char* type, long long count, int bins, double range) {
  Sample* samples;
  unsigned* counts;
  check(cudaMalloc(&samples, count * sizeof(Sample)));
  check(cudaMalloc(&counts, bins * sizeof(unsigned)));
  for (const Data data : {Data::uniform, Data::skewed, Data::one}) {
    fill<<<1024, 256>>>(samples, count, data, range);
    const auto run = [&](void* memory, size_t& bytes) {
      using Level = std::conditional_t<std::is_floating_point_v<Sample>, Sample, int>;
      check(cub::DeviceHistogram::HistogramEven(memory, bytes, samples, counts, bins + 1, Level{0},
                                                static_cast<Level>(range), static_cast<int>(count)));
    };
    size_t bytes = 0;
    run(nullptr, bytes);
    void* memory;
    check(cudaMalloc(&memory, bytes));
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 23; ++i) {
      check(cudaEventRecord(begin));
      run(memory, bytes);
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float time;
      check(cudaEventElapsedTime(&time, begin, end));
      if (i >= 3) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    const float median = times[times.size() / 2];
    const char* const names[] = {"uniform", "skewed", "one"};
    std::printf("CUB %s %d %s,%lld,%.4f\n", type, bins, names[static_cast<int>(data)], count, median);
    std::fflush(stdout);
    check(cudaFree(memory));
  }
  check(cudaFree(samples));
  check(cudaFree(counts));
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("# %s, CUB %d.%d.%d\n", device.name, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
              CUB_SUBMINOR_VERSION);
  std::printf("work,size,best_ms\n");
  constexpr long long count = 1 << 28;
  measure<unsigned char>("uint8", count, 256, 256);
  measure<unsigned short>("uint16", count, 65536, 65536);
  for (const int bins : {256, 4096, 65536, 1 << 20}) measure<float>("float", count, bins, 1);
}
