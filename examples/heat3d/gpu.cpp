// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>

namespace heat3d {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

/// An array as the kernel wants it, filled with zeros.
class Array {
 public:
  Array(const Layout& layout, const Grid& grid) : layout_(layout), grid_(grid) {
    check(cudaMalloc(&memory_, static_cast<std::size_t>(layout.allocation) * sizeof(float)));
    check(cudaMemset(memory_, 0, static_cast<std::size_t>(layout.allocation) * sizeof(float)));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(memory_); }

  float* cell() const { return static_cast<float*>(memory_) + layout_.offset; }
  void set(const std::vector<float>& values) {
    copy(const_cast<float*>(values.data()), cudaMemcpyHostToDevice);
  }
  std::vector<float> get() {
    std::vector<float> values(static_cast<std::size_t>(grid_.cells()));
    copy(values.data(), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  void copy(float* host, cudaMemcpyKind kind) {
    const std::size_t row = static_cast<std::size_t>(grid_.nx) * sizeof(float);
    for (std::int64_t z = 0; z < grid_.nz; ++z) {
      float *there = cell() + z * layout_.plane, *here = host + z * grid_.nx * grid_.ny;
      const std::size_t pitch = static_cast<std::size_t>(layout_.pitch) * sizeof(float);
      const auto rows = static_cast<std::size_t>(grid_.ny);
      check(kind == cudaMemcpyHostToDevice ? cudaMemcpy2D(there, pitch, here, row, row, rows, kind)
                                           : cudaMemcpy2D(here, row, there, pitch, row, rows, kind));
    }
  }

  Layout layout_;
  Grid grid_;
  void* memory_ = nullptr;
};

/// The kernel, loaded.
class Loaded {
 public:
  Loaded(const std::vector<char>& cubin, const Kernel& kernel, const Grid& grid)
      : kernel_(kernel), grid_(grid) {
    check(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    check(cudaLibraryGetKernel(&entry_, library_, "stencil_step"));
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(entry_),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(kernel.shared_memory)));
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { cudaLibraryUnload(library_); }

  void step(const Array& from, const Array& to, const Layout& layout) const {
    const float* in = from.cell();
    float* out = to.cell();
    int nx = static_cast<int>(grid_.nx), ny = static_cast<int>(grid_.ny), nz = static_cast<int>(grid_.nz);
    long long pitch = layout.pitch, plane = layout.plane;
    void* arguments[] = {&in, &out, &nx, &ny, &nz, &pitch, &plane};
    const dim3 block(static_cast<unsigned>(kernel_.block[0]), static_cast<unsigned>(kernel_.block[1]),
                     static_cast<unsigned>(kernel_.block[2]));
    check(cudaLaunchKernel(reinterpret_cast<const void*>(entry_),
                           dim3(static_cast<unsigned>(blocks_of(kernel_, grid_))), block, arguments,
                           static_cast<std::size_t>(kernel_.shared_memory), nullptr));
  }

 private:
  Kernel kernel_;
  Grid grid_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t entry_ = nullptr;
};

int attribute(cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, 0));
  return value;
}

}  // namespace

std::optional<tune::lookup::Device> first_gpu(std::string* why_none) {
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, 0);
  if (status != cudaSuccess) {
    *why_none = cudaGetErrorString(status);
    return std::nullopt;
  }
  tune::lookup::Device device;
  device.name = properties.name;
  device.compute_major = properties.major;
  device.compute_minor = properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.global_memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.bandwidth =
      2.0 * 1e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return device;
}

Run run(const std::vector<char>& cubin, const Kernel& kernel, const Grid& grid,
        const std::vector<float>& start, int steps) {
  const Loaded loaded(cubin, kernel, grid);
  const Layout layout = layout_of(kernel, grid);
  Array a(layout, grid), b(layout, grid);
  a.set(start);
  b.set(start);
  Array *from = &a, *to = &b;
  const auto advance = [&](int count) {
    for (int i = 0; i < count; ++i) {
      loaded.step(*from, *to, layout);
      std::swap(from, to);
    }
  };
  Run result;
  advance(1);
  check(cudaDeviceSynchronize());
  result.first = from->get();
  advance(steps - 1);
  check(cudaDeviceSynchronize());
  result.last = from->get();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times(9);
  constexpr int group = 20;
  for (float& milliseconds : times) {
    check(cudaEventRecord(begin));
    advance(group);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&milliseconds, begin, end));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  result.seconds_a_step = 1e-3 * static_cast<double>(times[times.size() / 2]) / group;
  return result;
}

}  // namespace heat3d
