// SPDX-License-Identifier: Apache-2.0
// A sample of conv2d_separable that has every value of every parameter compiles for real architectures.
#include <gtest/gtest.h>

#include <cstdio>
#include <future>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/convolution/convolution_cases.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using testing::ConvolutionCase;

class ConvolutionCompiles : public ::testing::TestWithParam<const char*> {};

TEST_P(ConvolutionCompiles, ForTheArchitecture) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(GetParam(), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const auto problem = make_conv2d_separable();
  std::vector<std::pair<Instance, Configuration>> sample;
  std::set<std::string> seen, wanted;
  std::vector<ConvolutionCase> cases = {{17, "float"}};
  // The others are like this one.
  if (GetParam() == std::string("sm_90")) cases.insert(cases.end(), {{2, "double"}, {80, "float"}});
  const auto of_interest = [](std::set<std::string> values) {
    if (GetParam() != std::string("sm_90")) std::erase_if(values, tune::testing::is_amount);
    return values;
  };
  for (const ConvolutionCase& what : cases) {
    const Instance instance = testing::convolution_instance(what, what.nx, what.ny);
    for (const search::Parameter& parameter :
         problem->space(instance, architecture_properties(GetParam())).parameters)
      for (const Value& value : parameter.values) wanted.insert(parameter.name + "=" + value.to_string());
    for (const char* variant :
         {"two_pass", "fused", "tensor", "fft_tile", "fft", "direct2d", "single_block"}) {
      const std::string where = "variant == '" + std::string(variant) + "'";
      for (const Configuration& configuration :
           testing::covering_sample(what, GetParam(), where, what.radius > 20 ? 15 : 60, 7)) {
        const std::size_t before = seen.size();
        seen.merge(of_interest(tune::testing::values_of(configuration)));
        if (seen.size() == before) continue;
        sample.emplace_back(instance, configuration);
      }
    }
  }
  sample = tune::testing::sampled(std::move(sample),
                                  [](const auto& one) { return one.second["variant"].to_string(); });
  CompilePool pool(*compiler, host_threads());
  std::vector<std::future<Result<Binary>>> compiling;
  for (const auto& [instance, configuration] : sample)
    compiling.push_back(pool.submit(problem->plan(instance, configuration, EmbeddedSources())->compile));
  int spilled = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto& [instance, configuration] = sample[i];
    SCOPED_TRACE(instance.key() + ": " + configuration.to_string());
    const Result<Binary> binary = compiling[i].get();
    ASSERT_TRUE(binary) << binary.error().detail;
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_GT(resources.registers, 0);
      EXPECT_LE(resources.registers, 255);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      if (resources.spill_store_bytes > 0) ++spilled;
    }
  }
  wanted = of_interest(std::move(wanted));
  for (const std::string& value : wanted)
    if (!seen.contains(value)) std::printf("not in the sample: %s\n", value.c_str());
  // Some values need more shared memory than an architecture has.
  EXPECT_LE(wanted.size(), seen.size() + wanted.size() / 10);
  std::printf("%s: %zu configurations compiled, %d kernels spill registers\n", GetParam(), sample.size(),
              spilled);
}

// What the defaults and the fastest configurations rely on.
TEST(ConvolutionRegisters, WithoutSpillsWhereSumsFit) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const auto problem = make_conv2d_separable();
  const std::pair<ConvolutionCase, const char*> cases[] = {
      {{8, "float"}, "variant == 'fused' and pixels_x == 4 and min_blocks == 1 and step == 4"},
      {{16, "float"},
       "variant == 'fused' and pixels_x == 4 and min_blocks == 1 and step == 4 and ahead and "
       "threads <= 256"},
      {{16, "float"},
       "variant == 'tensor' and tiles_x == 3 and warps == 4 and min_blocks <= 2 and matrices == 'registers' "
       "and "
       "not rounded"},
      {{16, "float"},
       "variant == 'tensor' and tiles_x == 4 and warps == 4 and min_blocks == 3 and not rounded"},
      {{32, "float"},
       "variant == 'tensor' and tiles_x == 3 and warps == 4 and min_blocks <= 2 and matrices == 'shared' and "
       "not rounded"},
      {{16, "double"},
       "variant == 'tensor' and tiles_x == 2 and warps == 8 and min_blocks == 1 and matrices == 'shared'"},
      {{64, "float"},
       "variant == 'two_pass' and column_pixels == 16 and row_pixels == 12 and not unroll and turn == 1 and "
       "min_blocks == 1 and column_block_x * column_block_y <= 256 and row_block_x * row_block_y <= 256"},
      {{256, "float"},
       "variant == 'fft_tile' and row_pairs == 1 and row_length == 2048 and row_blocks <= 8 and "
       "column_length == 2048 and column_pairs == 4 and column_blocks <= 2"},
  };
  for (const auto& [what, where] : cases) {
    const Configuration configuration = testing::covering_sample(what, "sm_90", where, 1, 3).at(0);
    const Result<Binary> binary = compiler->compile(
        problem->plan(testing::convolution_instance(what, what.nx, what.ny), configuration, EmbeddedSources())
            ->compile);
    ASSERT_TRUE(binary) << binary.error().detail;
    for (const auto& [entry, resources] : binary->resources)
      EXPECT_EQ(resources.spill_store_bytes, 0) << entry << ": " << configuration.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ConvolutionCompiles,
                         ::testing::ValuesIn(tune::testing::tried_architectures()));

}  // namespace
}  // namespace tune::kernels
