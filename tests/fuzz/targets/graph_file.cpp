// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.hpp"
#include "kernels/triangle_count/model/files.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

// Files of triangle_count: lists of edges and Matrix Market files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  static const ProblemFiles& files = kernels::triangle_files();
  Instance instance = make_instance(kernels::make_triangle_count()->info(), "", {});
  const std::filesystem::path file = tune::testing::written("graph.txt", tune::testing::bytes_of(data, size));
  try {
    instance.extents = files.extents(file, instance);
    files.read_inputs(file, instance);
    files.remark(file);
  } catch (const Error&) {
  }
  try {
    files.read_outputs(file, instance);
  } catch (const Error&) {
  }
  return 0;
}
