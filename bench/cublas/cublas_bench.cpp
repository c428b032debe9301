// SPDX-License-Identifier: Apache-2.0
// What cuBLAS takes for the workloads of the problems `gemm` and `matvec`, each at its best: in its default
// and its pedantic mode, the best of the algorithms that cublasLt proposes, with rows as they are and padded
// to 128 bytes. Timed by the same code as tune's own kernels: the L2 is overwritten before each sample, short
// executions are repeated on buffers of their own, samples of a throttled device are taken again. One line of
// CSV a workload.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/execution_graph.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/measurement/sampling.hpp"

namespace {

using tune::cuda::check;
using tune::cuda::DeviceContext;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "cublas_bench: %s\n", why.c_str());
  std::exit(1);
}

void check_blas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) stop(std::string(what) + ": " + cublasGetStatusString(status));
}

/// Device memory with uniform random numbers of [-1, 1) that have all bits of their type.
template<class T>
class Array {
 public:
  explicit Array(std::size_t count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    std::vector<T> values(std::min<std::size_t>(count, 1 << 20));
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    for (T& value : values) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      value = sizeof(T) == 8 ? static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1)
                             : static_cast<T>(static_cast<double>(state >> 40) * 0x1p-23 - 1);
    }
    for (std::size_t done = 0; done < count; done += values.size())
      check(cudaMemcpy(data_ + done, values.data(), std::min(values.size(), count - done) * sizeof(T),
                       cudaMemcpyHostToDevice));
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { static_cast<void>(cudaFree(data_)); }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// An execution on set `set` of the buffers; false where the library refuses.
using Execute = std::function<bool(std::size_t set)>;

/// Samples executions that take turns on several sets of buffers.
class BlasSampler : public tune::cuda::Sampler {
 public:
  BlasSampler(DeviceContext& context, const Execute& execute, std::size_t executions)
      : context_(context), execute_(execute), executions_(executions) {}

  tune::Result<std::vector<double>> take(int samples) override {
    std::vector<double> seconds;
    const auto& events = context_.events(2);
    cudaStream_t stream = context_.stream.get();
    for (int i = 0; i < samples; ++i) {
      check(context_.flush_l2());
      check(cudaEventRecord(events[0].get(), stream));
      if (!enqueue(stream)) return tune::fail(tune::Phase::launch, "refused");
      check(cudaEventRecord(events[1].get(), stream));
      check(cudaStreamSynchronize(stream));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, events[0].get(), events[1].get()));
      device_seconds_ += 1e-3 * static_cast<double>(milliseconds);
      seconds.push_back(1e-3 * static_cast<double>(milliseconds) / static_cast<double>(executions_));
    }
    return seconds;
  }
  double device_seconds() const override { return device_seconds_; }
  std::uint64_t throttle_reasons() override { return context_.nvml ? context_.nvml->throttle() : 0; }
  void rest() override { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

 private:
  /// Several executions are one graph: the host does not launch as fast as short kernels end.
  bool enqueue(cudaStream_t stream) {
    if (executions_ == 1) return execute_(0);
    if (graph_.get() == nullptr) {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      bool right = true;
      for (std::size_t set = 0; set < executions_; ++set) right = execute_(set) && right;
      cudaGraph_t captured = nullptr;
      check(cudaStreamEndCapture(stream, &captured));
      const tune::cuda::Graph graph(captured);
      cudaGraphExec_t executable = nullptr;
      if (right) check(cudaGraphInstantiate(&executable, captured, 0));
      graph_ = tune::cuda::GraphExecutable(executable);
      if (!right) return false;
    }
    return cudaGraphLaunch(graph_.get(), stream) == cudaSuccess;
  }

  DeviceContext& context_;
  const Execute& execute_;
  tune::cuda::GraphExecutable graph_;
  std::size_t executions_;
  double device_seconds_ = 0;
};

/// Seconds of an execution: the median of the samples. Nothing where the library refuses.
std::optional<double> timed(DeviceContext& context, const Execute& execute, std::size_t sets,
                            std::optional<double> incumbent = {}) {
  BlasSampler sampler(context, execute, sets);
  if (!sampler.take(3)) return std::nullopt;
  tune::MeasureOptions options;
  options.incumbent_seconds = incumbent;
  const auto timing = tune::cuda::take_samples(sampler, options);
  if (!timing) return std::nullopt;
  return tune::median(timing->samples);
}

/// A handle of either library and the memory that it may use.
struct Libraries {
  explicit Libraries(DeviceContext& device) : context(device) {
    check_blas(cublasCreate(&blas), "cuBLAS");
    check_blas(cublasSetStream(blas, context.stream.get()), "stream");
    check_blas(cublasLtCreate(&lt), "cublasLt");
    check(cudaMalloc(&workspace, workspace_bytes));
  }
  DeviceContext& context;
  cublasHandle_t blas = nullptr;
  cublasLtHandle_t lt = nullptr;
  void* workspace = nullptr;
  static constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
};

struct Product {
  int m, n, k;
  int pad;  ///< elements to which the rows of all operands are padded; 1: not at all
  int row(int columns) const { return (columns + pad - 1) / pad * pad; }
};

template<class T>
struct Operands {
  explicit Operands(const Product& p)
      : a(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.row(p.k))),
        b(static_cast<std::size_t>(p.k) * static_cast<std::size_t>(p.row(p.n))),
        c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.row(p.n))) {}
  Array<T> a, b, c;
};

/// Row-major C = A B is column-major C' = B' A'.
template<class T>
bool product(cublasHandle_t handle, const Product& p, const Operands<T>& x) {
  const T alpha = 1, beta = 0;
  if constexpr (sizeof(T) == 4)
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &alpha, x.b.get(), p.row(p.n),
                       x.a.get(), p.row(p.k), &beta, x.c.get(), p.row(p.n)) == CUBLAS_STATUS_SUCCESS;
  else
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &alpha, x.b.get(), p.row(p.n),
                       x.a.get(), p.row(p.k), &beta, x.c.get(), p.row(p.n)) == CUBLAS_STATUS_SUCCESS;
}

/// The fastest of the algorithms that cublasLt proposes, and how many it proposed.
template<class T>
std::pair<std::optional<double>, int> best_of_lt(const Libraries& libraries, const Product& p,
                                                 const std::vector<Operands<T>>& sets,
                                                 cublasComputeType_t compute) {
  constexpr int most = 64;
  const cudaDataType_t type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  cublasLtMatmulDesc_t operation = nullptr;
  check_blas(cublasLtMatmulDescCreate(&operation, compute, type), "description");
  const auto layout = [&](int rows, int columns, int lead) {
    cublasLtMatrixLayout_t made = nullptr;
    check_blas(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(columns), lead),
               "layout");
    return made;
  };
  cublasLtMatrixLayout_t left = layout(p.n, p.k, p.row(p.n));
  cublasLtMatrixLayout_t right = layout(p.k, p.m, p.row(p.k));
  cublasLtMatrixLayout_t out = layout(p.n, p.m, p.row(p.n));
  cublasLtMatmulPreference_t preference = nullptr;
  check_blas(cublasLtMatmulPreferenceCreate(&preference), "preference");
  const std::size_t bytes = Libraries::workspace_bytes;
  check_blas(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &bytes, sizeof bytes),
             "workspace");
  std::array<cublasLtMatmulHeuristicResult_t, most> found{};
  int count = 0;
  if (cublasLtMatmulAlgoGetHeuristic(libraries.lt, operation, left, right, out, out, preference, most,
                                     found.data(), &count) != CUBLAS_STATUS_SUCCESS)
    count = 0;
  std::optional<double> best;
  const T alpha = 1, beta = 0;
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulAlgo_t& algorithm = found[static_cast<std::size_t>(i)].algo;
    const Execute execute = [&](std::size_t set) {
      return cublasLtMatmul(libraries.lt, operation, &alpha, sets[set].b.get(), left, sets[set].a.get(),
                            right, &beta, sets[set].c.get(), out, sets[set].c.get(), out, &algorithm,
                            libraries.workspace, bytes,
                            libraries.context.stream.get()) == CUBLAS_STATUS_SUCCESS;
    };
    const auto seconds = timed(libraries.context, execute, sets.size(), best);
    if (seconds && (!best || *seconds < *best)) best = seconds;
  }
  cublasLtMatmulPreferenceDestroy(preference);
  for (const cublasLtMatrixLayout_t one : {left, right, out}) cublasLtMatrixLayoutDestroy(one);
  cublasLtMatmulDescDestroy(operation);
  return {best, count};
}

std::string milliseconds(std::optional<double> seconds) {
  if (!seconds) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.5f", 1e3 * *seconds);
  return text;
}

void print(const std::string& work, const std::string& size, const std::string& rows,
           std::optional<double> standard, std::optional<double> pedantic, std::optional<double> lt,
           int algorithms, double flops, double bytes) {
  double best = 0;
  for (const auto& one : {standard, pedantic, lt})
    if (one && (best == 0 || *one < best)) best = *one;
  std::printf("%s,%s,%s,%s,%s,%s,%d,%.5f,%.3f,%.1f\n", work.c_str(), size.c_str(), rows.c_str(),
              milliseconds(standard).c_str(), milliseconds(pedantic).c_str(), milliseconds(lt).c_str(),
              algorithms, 1e3 * best, best > 0 ? 1e-12 * flops / best : 0,
              best > 0 ? 1e-9 * bytes / best : 0);
  std::fflush(stdout);
}

/// The sets of buffers that short executions need so that each is cold: as tune itself decides.
std::size_t sets_for(double seconds, double bytes) {
  if (seconds >= tune::cuda::short_execution) return 1;
  constexpr std::uint64_t memory = std::uint64_t{4} << 30;
  return static_cast<std::size_t>(
      tune::cuda::batching(seconds, static_cast<std::uint64_t>(bytes), memory, 1, true).executions);
}

template<class T>
void gemm(const Libraries& libraries, const char* name, const Product& p, bool tf32) {
  std::vector<Operands<T>> sets;
  sets.emplace_back(p);
  const Execute execute = [&](std::size_t set) { return product(libraries.blas, p, sets[set]); };
  const auto in_mode = [&](cublasMath_t mode) {
    check_blas(cublasSetMathMode(libraries.blas, mode), "math mode");
    return timed(libraries.context, execute, sets.size());
  };
  const double flops = 2.0 * p.m * p.n * static_cast<double>(p.k);
  const double bytes = sizeof(T) * (1.0 * p.m * p.k + 1.0 * p.k * p.n + 1.0 * p.m * p.n);
  const auto standard = in_mode(tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
  const auto pedantic = tf32 ? std::nullopt : in_mode(CUBLAS_PEDANTIC_MATH);
  const auto [lt, algorithms] = best_of_lt(libraries, p, sets,
                                           sizeof(T) == 8 ? CUBLAS_COMPUTE_64F
                                           : tf32         ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                          : CUBLAS_COMPUTE_32F);
  print(name, std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k),
        p.pad == 1 ? "as they are" : "padded", standard, pedantic, lt, algorithms, flops, bytes);
}

/// With rows as they are, and padded where that changes anything.
template<class T>
void gemm_of(const Libraries& libraries, const char* name, int n, bool tf32 = false) {
  gemm<T>(libraries, name, {n, n, n, 1}, tf32);
  const int pad = static_cast<int>(128 / sizeof(T));
  if (n % pad != 0) gemm<T>(libraries, name, {n, n, n, pad}, tf32);
}

template<class T>
struct MatvecArrays {
  MatvecArrays(std::size_t rows, std::size_t columns) : a(rows * columns), x(columns), y(rows), z(columns) {}
  Array<T> a, x, y, z;
};

template<class T>
void matvec(const Libraries& libraries, const char* name, int rows, int columns, const std::string& op) {
  const auto one = [&] {
    return MatvecArrays<T>(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  };
  std::vector<MatvecArrays<T>> sets;
  sets.push_back(one());
  const T alpha = 1, beta = 0;
  // Row-major A is column-major A'.
  const auto multiply = [&](const MatvecArrays<T>& set, cublasOperation_t operation, const T* in, T* out) {
    if constexpr (sizeof(T) == 4)
      return cublasSgemv(libraries.blas, operation, columns, rows, &alpha, set.a.get(), columns, in, 1, &beta,
                         out, 1) == CUBLAS_STATUS_SUCCESS;
    else
      return cublasDgemv(libraries.blas, operation, columns, rows, &alpha, set.a.get(), columns, in, 1, &beta,
                         out, 1) == CUBLAS_STATUS_SUCCESS;
  };
  const Execute execute = [&](std::size_t index) {
    const MatvecArrays<T>& set = sets[index];
    return (op == "t" || multiply(set, CUBLAS_OP_T, set.x.get(), set.y.get())) &&
           (op == "n" || multiply(set, CUBLAS_OP_N, set.y.get(), set.z.get()));
  };
  const double bytes = 1.0 * rows * columns * sizeof(T);
  check_blas(cublasSetMathMode(libraries.blas, CUBLAS_DEFAULT_MATH), "math mode");
  auto standard = timed(libraries.context, execute, 1);
  if (standard) {
    const std::size_t wanted = sets_for(*standard, bytes);
    while (sets.size() < wanted) sets.push_back(one());
    if (wanted > 1) standard = timed(libraries.context, execute, wanted);
  }
  check_blas(cublasSetMathMode(libraries.blas, CUBLAS_PEDANTIC_MATH), "math mode");
  const auto pedantic = timed(libraries.context, execute, sets.size());
  print(std::string(name) + " op=" + op, std::to_string(rows) + "x" + std::to_string(columns), "as they are",
        standard, pedantic, std::nullopt, 0, (op == "ata" ? 4.0 : 2.0) * rows * columns, bytes);
}

void copy(DeviceContext& context) {
  const std::size_t bytes = std::size_t{2} << 30;
  const Array<float> from(bytes / 4), to(bytes / 4);
  const Execute execute = [&](std::size_t) {
    return cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, context.stream.get()) ==
           cudaSuccess;
  };
  print("copy", "2GiB", "", timed(context, execute, 1), std::nullopt, std::nullopt, 0, 0,
        2.0 * static_cast<double>(bytes));
}

}  // namespace

int main() {
  std::string why;
  const std::vector<tune::DeviceProperties> devices = tune::cuda::list_devices(&why);
  if (devices.empty()) stop(why);
  DeviceContext context(0, devices.front());
  const Libraries libraries(context);
  int driver = 0, runtime = 0, version = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  check_blas(cublasGetVersion(libraries.blas, &version), "version");
  std::printf("# %s, driver API %d, runtime %d, cuBLAS %d\n", context.properties.name.c_str(), driver,
              runtime, version);
  std::printf(
      "work,size,rows,default_ms,pedantic_ms,lt_ms,lt_algorithms,best_ms,best_tflops,best_gigabytes_a_second\n");
  copy(context);
  for (const int n : {512, 1000, 1024, 2048, 4096, 8192}) {
    gemm_of<float>(libraries, "sgemm", n);
    gemm_of<float>(libraries, "sgemm tf32", n, true);
    gemm_of<double>(libraries, "dgemm", n);
  }
  const std::pair<int, int> shapes[] = {{1024, 1024},   {3584, 3584},   {7168, 7168},   {14336, 14336},
                                        {16384, 16384}, {262144, 1024}, {1024, 262144}, {10007, 5003}};
  for (const auto& [rows, columns] : shapes)
    for (const char* op : {"ata", "n", "t"}) {
      matvec<float>(libraries, "sgemv", rows, columns, op);
      matvec<double>(libraries, "dgemv", rows, columns, op);
    }
  return 0;
}
