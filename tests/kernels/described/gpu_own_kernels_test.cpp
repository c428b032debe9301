// SPDX-License-Identifier: Apache-2.0
// The examples of kernels of one's own give right results on device 0, each at its own size and at the small
// ones of its definition.
#include <algorithm>
#include <filesystem>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/described/written_definitions.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::described {
namespace {

class GpuOwnKernels : public cuda::GpuTest {
 protected:
  void expect_right(const char* name, std::size_t max) {
    expect_right(std::filesystem::path(TUNE_SOURCE_DIR) / "examples" / "own_kernels" / name, max);
  }
  void expect_right(const std::filesystem::path& file, std::size_t max) {
    EXPECT_EQ(count_wrong(file, max, true), 0u);
  }
  /// Of the first configurations, how many are not right. `loud`: those are told.
  std::size_t count_wrong(const std::filesystem::path& file, std::size_t max, bool loud) {
    const DescribedProblem problem(read_definition(file));
    const kernels::EmbeddedSources sources;
    const Instance instance = make_instance(problem.info(), "", {});
    const search::SearchSpace space(problem.space(instance, backend_->properties()));
    const std::size_t count = std::min<std::size_t>(max, space.size());
    std::vector<Configuration> configurations;
    for (std::size_t i = 0; i < count; ++i) configurations.push_back(space.at(i * space.size() / count));
    DeviceEvaluator evaluator(problem, instance, *backend_, sources, {.measure = {}, .measure_time = false});
    std::size_t right = 0;
    evaluate_all(evaluator, configurations, [&](const Evaluation& evaluation) {
      if (evaluation.outcome)
        ++right;
      else if (loud)
        ADD_FAILURE() << file << " [" << evaluation.configuration.key()
                      << "]: " << evaluation.outcome.error().reason << ": "
                      << evaluation.outcome.error().detail;
      return true;
    });
    return count - right;
  }
};

TEST_F(GpuOwnKernels, OfEveryKindAreRight) {
  for (const char* const name : {"attention", "bilateral_filter", "convolution", "heat", "layer_norm",
                                 "matrix_vector", "optimizer", "shortest_path"})
    expect_right((std::string(name) + ".json").c_str(), 4);
}

TEST_F(GpuOwnKernels, TransposeIsRight) {
  expect_right("transpose.json", 10);
}

TEST_F(GpuOwnKernels, ReductionIsRight) {
  expect_right("reduction.json", 10);
}

TEST_F(GpuOwnKernels, MatrixProductIsRight) {
  expect_right("matrix_product.json", 5);
}

// As the emulator sees them (own_kernels_test.cpp).
TEST_F(GpuOwnKernels, EveryTypeIsFilledPassedAndCompared) {
  for (testing::TypedKernel kernel : testing::typed_kernels()) {
    SCOPED_TRACE(kernel.type);
    const tune::testing::TemporaryFolder folder;
    expect_right(kernel.write(folder.path()), 1);
    kernel.expected = R"({"from": 8, "step": 2})";
    EXPECT_EQ(count_wrong(kernel.write(folder.path()), 1, false), 1u);
  }
}

TEST_F(GpuOwnKernels, ValuesAndLaunchesAreAsTheySay) {
  const tune::testing::TemporaryFolder folder;
  expect_right(testing::write_values_and_launches(folder.path()), 2);
  EXPECT_EQ(count_wrong(testing::write_values_and_launches(folder.path(), 2), 2, false), 2u);
}

TEST_F(GpuOwnKernels, TexturesAreReadAsTheyAreDeclared) {
  for (testing::TexturedKernel kernel : testing::textured_kernels()) {
    SCOPED_TRACE(kernel.fetch);
    const tune::testing::TemporaryFolder folder;
    expect_right(kernel.write(folder.path()), 2);
    kernel.fetch += " + 1";
    EXPECT_EQ(count_wrong(kernel.write(folder.path()), 2, false), 2u);
  }
}

}  // namespace
}  // namespace tune::described
