// SPDX-License-Identifier: Apache-2.0
// The barrier of a grid as problems use it: carried by the program, compiled for real architectures.
#include "kernels/common/grid_barrier.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::kernels {
namespace {

TEST(GridBarrier, IsCarriedByTheProgram) {
  std::ifstream file(std::filesystem::path(TUNE_SOURCE_DIR) / "kernels" / grid_barrier_file,
                     std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const SourceFile header = grid_barrier_header(EmbeddedSources());
  EXPECT_EQ(header.name, "grid_barrier.cuh");
  EXPECT_EQ(header.text, text.str());
}

TEST(GridBarrier, CountsWithAWordThatBeginsAsZero) {
  const BufferSpec counter = grid_barrier_counter("c");
  EXPECT_EQ(counter.name, "c");
  EXPECT_EQ(counter.allocation_bytes(), 4U);
  EXPECT_EQ(initial_byte(counter), 0);
}

class GridBarrierCompiles : public ::testing::TestWithParam<const char*> {};

TEST_P(GridBarrierCompiles, ForTheArchitecture) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(GetParam(), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  CompileRequest request;
  request.source = {"k.cu",
                    "#include \"grid_barrier.cuh\"\n"
                    "extern \"C\" __global__ void k(float* values, unsigned* counter) {\n"
                    "  values[blockIdx.x] = 1;\n  grid_barrier(counter);\n"
                    "  values[gridDim.x + blockIdx.x] = values[(blockIdx.x + 1) % gridDim.x];\n}\n"};
  request.headers = {grid_barrier_header(EmbeddedSources())};
  request.entries = {"k"};
  const Result<Binary> binary = compiler->compile(request);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_EQ(binary->log.find("warning"), std::string::npos) << binary->log;
  EXPECT_EQ(binary->resources.at("k").spill_store_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(Architectures, GridBarrierCompiles, ::testing::Values("sm_75", "sm_90", "sm_120"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
