// SPDX-License-Identifier: Apache-2.0
// The examples of kernels of one's own give right results on device 0, each at its own size and at the small
// ones of its definition.
#include <algorithm>
#include <filesystem>

#include "kernels/sources.hpp"
#include "search/space/search_space.hpp"
#include "tests/cuda/gpu_fixture.hpp"
#include "tuner/core/device_evaluator.hpp"
#include "tuner/definition/problem.hpp"

namespace tune::definition {
namespace {

class GpuOwnKernels : public cuda::GpuTest {
 protected:
  void expect_right(const char* name, std::size_t most) {
    const DefinedProblem problem(
        read_definition(std::filesystem::path(TUNE_SOURCE_DIR) / "examples" / "own_kernels" / name));
    const kernels::EmbeddedSources sources;
    const Instance instance = make_instance(problem.info(), "", {});
    const search::SearchSpace space(problem.space(instance, backend_->facts()));
    const std::size_t count = std::min<std::size_t>(most, space.size());
    std::vector<Configuration> configurations;
    for (std::size_t i = 0; i < count; ++i) configurations.push_back(space.at(i * space.size() / count));
    DeviceEvaluator evaluator(problem, instance, *backend_, sources, {.measure = {}, .measure_time = false});
    std::size_t right = 0;
    evaluate_all(evaluator, configurations, [&](const Evaluation& evaluation) {
      if (evaluation.outcome)
        ++right;
      else
        ADD_FAILURE() << name << " [" << evaluation.configuration.key()
                      << "]: " << evaluation.outcome.error().reason << ": "
                      << evaluation.outcome.error().detail;
      return true;
    });
    EXPECT_EQ(right, count);
  }
};

TEST_F(GpuOwnKernels, TransposeIsRight) {
  expect_right("transpose.json", 10);
}

TEST_F(GpuOwnKernels, ReductionIsRight) {
  expect_right("reduction.json", 10);
}

TEST_F(GpuOwnKernels, MatrixProductIsRight) {
  expect_right("matrix_product.json", 5);
}

}  // namespace
}  // namespace tune::definition
