// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/checks/check_sources.hpp"

#include <gtest/gtest.h>

#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::cuda {
namespace {

void expect_compiles(const Compiler& compiler, const CompileRequest& request) {
  const auto binary = compiler.compile(request);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_EQ(binary->log.find("warning"), std::string::npos) << binary->log;
  for (const auto& entry : request.entries) {
    ASSERT_TRUE(binary->symbols.contains(entry)) << entry;
    ASSERT_TRUE(binary->resources.contains(entry)) << entry;
    const auto& needs = binary->resources.at(entry);
    EXPECT_EQ(needs.spill_store_bytes, 0) << entry;
    EXPECT_EQ(needs.local_bytes, 0) << entry;
    EXPECT_LE(needs.registers, 64) << entry << ": fewer than four blocks per SM";
  }
}

/// From the oldest architecture that a toolkit of today knows to the newest.
TEST(CheckKernels, Compile) {
  for (const char* architecture : {"sm_75", "sm_90", "sm_120"}) {
    SCOPED_TRACE(architecture);
    std::string reason;
    const auto compiler = make_nvrtc_compiler(architecture, &reason);
    if (compiler == nullptr) GTEST_SKIP() << reason;
    expect_compiles(*compiler, guard_kernels());
    expect_compiles(*compiler, difference_kernels());
    for (int type = 0; type <= static_cast<int>(ElementType::u64); ++type)
      expect_compiles(*compiler, comparing_kernel(static_cast<ElementType>(type)));
  }
}

}  // namespace
}  // namespace tune::cuda
