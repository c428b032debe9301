// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"
#include "tuner/problem/problem_files.hpp"

// Files of matvec: inputs and results of the extents that the file names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  static const std::unique_ptr<Problem> problem = kernels::make_problem("matvec");
  static const ProblemFiles& files = *find_files(*problem);
  Instance instance = make_instance(problem->info(), "", {});
  const std::filesystem::path file = tune::testing::written("in.bin", tune::testing::bytes_of(data, size));
  try {
    instance.extents = files.extents(file, instance);
    files.tolerance(instance, files.read_inputs(file, instance));
  } catch (const Error&) {
  }
  try {
    files.read_outputs(file, instance);
  } catch (const Error&) {
  }
  return 0;
}
