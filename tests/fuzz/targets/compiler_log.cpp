// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

// Messages of ptxas and NVRTC.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view log = tune::testing::bytes_of(data, size);
  tune::cuda::parse_ptxas_log(log);
  tune::testing::require(!tune::cuda::compile_failure_reason(log).empty(), "a failure has a reason");
  return 0;
}
