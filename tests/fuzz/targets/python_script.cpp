// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/import.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

// Scripts that are followed to a call, and what a definition takes from them. A text with NVBENCH_BENCH is a
// kernel's file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  const std::string text(tune::testing::bytes_of(data, size));
  const bool is_kernel = text.find("NVBENCH_BENCH") != std::string::npos;
  described::ImportRequest request{
      tune::testing::written(is_kernel ? "script.cu" : "script.py", text), text, {}, "own.cu"};
  // A script may import itself, and read itself as a template.
  request.read = [&](const std::string& name) {
    return name == "own.py" || name == "own.cu" ? std::optional(text) : std::nullopt;
  };
  try {
    const described::Import import =
        is_kernel ? described::import_nvbench(request) : described::import_kernel_tuner(request);
    described::write_draft(import.draft);
  } catch (const Error&) {
  }
  return 0;
}
