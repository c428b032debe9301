// SPDX-License-Identifier: Apache-2.0
// Tunes while it works: online [calls]. Needs a GPU.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <tune/tune.hpp>
#include <vector>

#include "row_norms.hpp"

namespace {

constexpr int rows = 65536, columns = 1024;

void print(const char* when, const tune::DispatchState& state) {
  std::printf("%-8s %s: %.1f us a call, %zu tried, %.1f %% of %.2f s lost to trials%s%s\n", when,
              state.configuration.to_string().c_str(), 1e6 * state.best_seconds, state.tried,
              state.seconds > 0 ? 100 * state.lost / state.seconds : 0, state.seconds,
              state.notice.empty() ? "" : "; ", state.notice.c_str());
}

int work(long calls) {
  float *in = nullptr, *out = nullptr;
  const std::size_t bytes = sizeof(float) * rows * columns;
  const std::vector<float> ones(std::size_t{rows} * columns, 1.0f);
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, sizeof(float) * rows) != cudaSuccess ||
      cudaMemcpy(in, ones.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaStreamCreate(&stream) != cudaSuccess)
    return std::puts("no GPU with enough memory"), 1;
  tune::Dispatcher dispatcher(row_norms(), {{"rows", rows}, {"columns", columns}});
  print("begins", dispatcher.state());
  bool told = false;
  for (long call = 0; call < calls; ++call) {
    dispatcher.launch(stream, out, in);
    if (call % 64 == 0) cudaStreamSynchronize(stream);  // as a program that looks at its results now and then
    if (!told && call % 64 == 0 && dispatcher.state().settled) {
      print("settled", dispatcher.state());
      told = true;
    }
  }
  cudaStreamSynchronize(stream);
  dispatcher.finish();
  print("ends", dispatcher.state());
  float first = 0;
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("result   %g, right is 32\n", static_cast<double>(first));
  return first == 32 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return work(count > 1 ? std::stol(words[1]) : 100000);
  } catch (const tune::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
