// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/backends/emulator/module/module_compiler.hpp"

// The emulator's translation of kernels: the source, and behind a 0 a header that it may include as
// `more.cuh`.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  std::string_view text = tune::testing::bytes_of(data, size);
  CompileRequest request;
  request.source = {"k.cu", std::string(tune::testing::next_part(text, '\0'))};
  request.headers = {{"more.cuh", std::string(text)}};
  request.defines = {{"BLOCK", "64"}};
  request.entries = {"k"};
  const CompileRequest* const all[] = {&request};
  emulator::module_source(all);
  return 0;
}
