// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/backends/cuda/plan/kernel_parameters.hpp"
#include "tuner/backends/cuda/toolkit/cubin_symbols.hpp"

// Binaries, whose parameters and symbols are read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tune::cuda::parameter_sizes(std::as_bytes(std::span(data, size)), "k");
  tune::cuda::symbols_in(std::as_bytes(std::span(data, size)));
  return 0;
}
