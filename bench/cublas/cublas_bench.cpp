// SPDX-License-Identifier: Apache-2.0
// What cuBLAS takes for the works of the problems `gemm` and `matvec`, measured as tune measures: L2
// overwritten before each execution, CUDA events, median. One line of CSV a work. Needs nothing of tune, so
// that it can also be built by `nvcc -O3 -std=c++20 cublas_bench.cpp -lcublas`.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "cublas_bench: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cublas_bench: %s: %s\n", what, cublasGetStatusString(status));
  std::exit(1);
}

/// Device memory, filled with random numbers in [-1, 1) that use all bits of their type, like tune's
/// operands: zeros, also those behind the first bits of a number, draw less power.
template<class T>
class Array {
 public:
  explicit Array(std::size_t count) {
    check(cudaMalloc(&data_, count * sizeof(T)), "memory");
    std::vector<T> values(std::min<std::size_t>(count, 1 << 20));
    constexpr int bits = sizeof(T) == 8 ? 53 : 24;
    unsigned long long state = 1;
    for (T& value : values) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      value = static_cast<T>(
          static_cast<double>(state >> (64 - bits)) / static_cast<double>(1ULL << (bits - 1)) - 1);
    }
    for (std::size_t done = 0; done < count; done += values.size())
      check(cudaMemcpy(data_ + done, values.data(), std::min(values.size(), count - done) * sizeof(T),
                       cudaMemcpyHostToDevice),
            "fill");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// Median and least time of an execution [s] with a cold L2.
class Timer {
 public:
  Timer() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    std::printf("# %s\n", device.name);
    flush_bytes_ = 2 * static_cast<std::size_t>(device.l2CacheSize);
    check(cudaMalloc(&flush_, flush_bytes_), "memory");
    check(cudaEventCreate(&begin_), "event");
    check(cudaEventCreate(&end_), "event");
  }

  std::pair<double, double> time(const std::function<void()>& execute) {
    for (int i = 0; i < 5; ++i) sample(execute);
    std::vector<double> seconds;
    double total = 0;
    while (seconds.size() < 15 || (total < 0.2 && seconds.size() < 200)) {
      seconds.push_back(sample(execute));
      total += seconds.back();
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.front()};
  }

 private:
  double sample(const std::function<void()>& execute) {
    check(cudaMemsetAsync(flush_, ++flushes_ & 0xff, flush_bytes_), "flush");
    check(cudaEventRecord(begin_), "event");
    execute();
    check(cudaEventRecord(end_), "event");
    check(cudaEventSynchronize(end_), "execution");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  int flushes_ = 0;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

void print(const std::string& work, const std::string& size, std::pair<double, double> seconds, double flops,
           double bytes) {
  std::printf("%s,%s,%.4f,%.4f,%.3f,%.1f\n", work.c_str(), size.c_str(), 1e3 * seconds.first,
              1e3 * seconds.second, 1e-12 * flops / seconds.first, 1e-9 * bytes / seconds.first);
  std::fflush(stdout);
}

void copy(Timer& timer) {
  const std::size_t bytes = std::size_t{2} << 30;
  const Array<float> from(bytes / 4), to(bytes / 4);
  const auto seconds = timer.time(
      [&] { check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice), "copy"); });
  print("copy", "2GiB", seconds, 0, 2.0 * static_cast<double>(bytes));
}

template<class T>
void gemm(Timer& timer, cublasHandle_t handle, const char* name, int m, int n, int k, cublasMath_t math) {
  const auto elements = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  const Array<T> a(elements(m, k)), b(elements(k, n)), c(elements(m, n));
  check(cublasSetMathMode(handle, math), "math mode");
  const T alpha = 1, beta = 0;
  // Row-major C = A B is column-major C' = B' A'.
  const auto seconds = timer.time([&] {
    if constexpr (sizeof(T) == 4)
      check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.get(), n, a.get(), k, &beta,
                        c.get(), n),
            "sgemm");
    else
      check(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.get(), n, a.get(), k, &beta,
                        c.get(), n),
            "dgemm");
  });
  const double work = 2.0 * m * n * static_cast<double>(k);
  const auto bytes = static_cast<double>(sizeof(T) * (elements(m, k) + elements(k, n) + elements(m, n)));
  print(name, std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k), seconds, work, bytes);
}

template<class T>
void matvec(Timer& timer, cublasHandle_t handle, const char* name, int rows, int columns,
            const std::string& op) {
  const auto elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const Array<T> a(elements), x(static_cast<std::size_t>(columns)), y(static_cast<std::size_t>(rows)),
      z(static_cast<std::size_t>(columns));
  const T alpha = 1, beta = 0;
  const auto product = [&](cublasOperation_t operation, const T* in, T* out) {
    // Row-major A is column-major A'.
    if constexpr (sizeof(T) == 4)
      check(cublasSgemv(handle, operation, columns, rows, &alpha, a.get(), columns, in, 1, &beta, out, 1),
            "gemv");
    else
      check(cublasDgemv(handle, operation, columns, rows, &alpha, a.get(), columns, in, 1, &beta, out, 1),
            "gemv");
  };
  const auto seconds = timer.time([&] {
    if (op != "t") product(CUBLAS_OP_T, x.get(), y.get());
    if (op != "n") product(CUBLAS_OP_N, y.get(), z.get());
  });
  const double products = op == "ata" ? 2 : 1;
  print(std::string(name) + " op=" + op, std::to_string(rows) + "x" + std::to_string(columns), seconds,
        2 * products * static_cast<double>(elements), static_cast<double>(elements * sizeof(T)));
}

}  // namespace

int main() {
  Timer timer;
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cuBLAS");
  int driver = 0, runtime = 0, version = 0;
  check(cudaDriverGetVersion(&driver), "driver");
  check(cudaRuntimeGetVersion(&runtime), "runtime");
  check(cublasGetVersion(handle, &version), "cuBLAS");
  std::printf("# driver API %d, runtime %d, cuBLAS %d\n", driver, runtime, version);
  std::printf("work,size,median_ms,least_ms,tflops,gigabytes_a_second\n");
  copy(timer);
  for (const int n : {512, 1000, 1024, 2048, 4096, 8192}) {
    gemm<float>(timer, handle, "sgemm strict", n, n, n, CUBLAS_PEDANTIC_MATH);
    gemm<float>(timer, handle, "sgemm default", n, n, n, CUBLAS_DEFAULT_MATH);
    gemm<float>(timer, handle, "sgemm tf32", n, n, n, CUBLAS_TF32_TENSOR_OP_MATH);
    gemm<double>(timer, handle, "dgemm", n, n, n, CUBLAS_DEFAULT_MATH);
  }
  const std::pair<int, int> shapes[] = {{1024, 1024},   {3584, 3584},   {7168, 7168},   {14336, 14336},
                                        {16384, 16384}, {262144, 1024}, {1024, 262144}, {10007, 5003}};
  for (const auto& [rows, columns] : shapes)
    for (const char* op : {"ata", "n", "t"}) {
      matvec<float>(timer, handle, "sgemv", rows, columns, op);
      matvec<double>(timer, handle, "dgemv", rows, columns, op);
    }
  cublasDestroy(handle);
  return 0;
}
