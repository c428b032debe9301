// SPDX-License-Identifier: Apache-2.0
// Configurations of stencil3d and stencil2d give right results on device 0, at odd sizes.
#include <cstdio>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/evaluation/reference_data.hpp"

namespace tune::kernels {
namespace {

class GpuStencils : public cuda::GpuTest {
 protected:
  /// All are right, or cannot run here; returns how many ran.
  int verify(const Instance& instance, const std::vector<Configuration>& configurations) {
    const auto problem = problem_of(instance);
    DeviceEvaluator evaluator(*problem, instance, *backend_, sources_,
                              {.measure = {}, .measure_time = false});
    int ran = 0;
    evaluate_all(evaluator, configurations, [&](const Evaluation& evaluation) {
      if (evaluation.outcome) {
        ++ran;
        EXPECT_LE(evaluation.outcome->error, evaluation.outcome->tolerance);
        return true;
      }
      const Failure& failure = evaluation.outcome.error();
      EXPECT_EQ(failure.phase, Phase::resources) << instance.key() << " [" << evaluation.configuration.key()
                                                 << "]: " << failure.reason << ": " << failure.detail;
      return true;
    });
    return ran;
  }

  std::vector<Configuration> sample(const Instance& instance, std::size_t count, std::uint64_t seed) const {
    const search::SearchSpace space(problem_of(instance)->space(instance, backend_->properties()));
    return testing::sample_of(space, count, seed);
  }

  static std::unique_ptr<Problem> problem_of(const Instance& instance) {
    return instance.problem == "stencil2d" ? make_stencil2d() : make_stencil3d();
  }

  EmbeddedSources sources_;
};

TEST_F(GpuStencils, VerifiesASampleAtOddSizes) {
  int ran = 0;
  std::uint64_t seed = 0;
  for (const testing::StencilCase& stencil : testing::all_cases()) {
    // A box of a large radius takes seconds to compile.
    const std::size_t count = stencil.shape == "box" && stencil.radius > 2 ? 1 : 3;
    const Instance instance = testing::stencil_instance(stencil, 67, 37, 29);
    ran += verify(instance, sample(instance, count, ++seed));
  }
  std::printf("%d configurations verified\n", ran);
  EXPECT_GT(ran, 50);
}

// What the device computes at sizes at which a host takes long is what a host computes.
TEST_F(GpuStencils, ComputesTheReferenceOfTheHost) {
  for (const char* type : {"float", "double"}) {
    const Instance instance = testing::stencil_instance({type, "box", 4, 3, "held", 2}, 200, 201, 101);
    const auto problem = problem_of(instance);
    const TensorSet inputs = problem->inputs(instance, 1);
    const TensorSet here = run_reference(*problem, instance, inputs, *backend_, sources_);
    ASSERT_EQ(here.size(), 1u);
    const TensorSet host = problem->reference(instance, inputs);
    const Comparison comparison =
        compare(view_of(here.at("out")), view_of(host.at("out")), {.absolute = 1e-13});
    EXPECT_EQ(comparison.wrong, 0u) << type << ": " << comparison.worst_error;
  }
}

// Every shape, both boundaries, one to three steps, every variant.
TEST_F(GpuStencils, VerifiesEveryVariantOfEveryShape) {
  int ran = 0;
  for (const testing::StencilCase& stencil : testing::varied_cases()) {
    const Instance instance = testing::stencil_instance(stencil, 131, 37, 61);
    ran += verify(instance, testing::sample_of_variants(*problem_of(instance), instance, 1, 3));
  }
  std::printf("%d configurations verified\n", ran);
  EXPECT_GT(ran, 100);
}

// Slabs of two GPUs, every variant; a machine with one GPU says so.
TEST_F(GpuStencils, VerifiesSlabsOfTwoGpus) {
  int ran = 0;
  for (const testing::StencilCase& stencil : testing::cases_of_radius(2)) {
    Instance instance = testing::stencil_instance(stencil, 67, 37, 129);
    instance.settings.emplace_back("steps", 7);
    instance.settings.emplace_back("gpus", 2);
    const auto configurations = testing::sample_of_variants(*problem_of(instance), instance, 4, 3);
    if (cuda::list_devices(nullptr).size() > 1) {
      ran += verify(instance, configurations);
      continue;
    }
    try {
      verify(instance, configurations);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("2 GPUs are to work together, and this machine has 1 like"),
                std::string::npos)
          << error.what();
    }
  }
  std::printf("%d configurations verified\n", ran);
}

// Rows of whole vectors: unpadded vectors are valid.
TEST_F(GpuStencils, VerifiesUnpaddedVectors) {
  int ran = 0;
  for (const testing::StencilCase& stencil : testing::cases_of_radius(2)) {
    const Instance instance = testing::stencil_instance(stencil, 68, 37, 29);
    std::vector<Configuration> unpadded;
    for (Configuration& configuration : sample(instance, 200, 11))
      if (!configuration["padded"].as_bool() && configuration["vector"].as_int() > 1 && unpadded.size() < 8)
        unpadded.push_back(std::move(configuration));
    ran += verify(instance, unpadded);
  }
  EXPECT_GT(ran, 16);
}

TEST_F(GpuStencils, VerifiesExtremeSizes) {
  int ran = 0;
  const std::int64_t sizes[][3] = {{1, 1, 1}, {4, 1, 300}, {513, 2, 1}, {1, 257, 9}, {9, 9, 9}};
  for (const auto& [nx, ny, nz] : sizes) {
    const Instance instance = testing::stencil_instance({"float", "star", 4}, nx, ny, nz);
    ran += verify(instance, sample(instance, 6, 5));
  }
  EXPECT_GT(ran, 15);
}

// Once read beyond the array: the pointer to the coming plane moved on without a limit.
TEST_F(GpuStencils, VerifiesTheConfigurationThatOnceFaulted) {
  const Configuration configuration = Configuration::parse(
      "variant=streaming,block_x=8,block_y=16,vector=4,cells_y=1,chunk=64,queue=inputs,loader=async,stages=3,"
      "unroll=9,padded=false,store=streaming,min_blocks=1");
  for (const std::int64_t extent : {64, 132, 256}) {
    const Instance instance = testing::stencil_instance({"float", "star", 4}, extent, extent, extent);
    const search::SearchSpace space(make_stencil3d()->space(instance, backend_->properties()));
    ASSERT_TRUE(space.find(configuration)) << space.explain(configuration);
    EXPECT_EQ(verify(instance, {configuration}), 1) << instance.key();
  }
}

}  // namespace
}  // namespace tune::kernels
