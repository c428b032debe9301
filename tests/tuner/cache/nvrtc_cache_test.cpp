// SPDX-License-Identifier: Apache-2.0
// The cache in front of the real compiler, with the real kernels.
#include <gtest/gtest.h>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/cache/examples.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cache {
namespace {

using namespace testing;

std::unique_ptr<Compiler> caching_nvrtc(const std::string& architecture, const std::filesystem::path& folder,
                                        std::string* reason) {
  return with_cache(cuda::make_nvrtc_compiler(architecture, reason), std::make_shared<BinaryCache>(folder));
}

CompileRequest stencil_request() {
  const auto problem = kernels::make_stencil3d();
  const Instance instance = make_instance(problem->info(), "64x64x64", {});
  const search::SearchSpace space(problem->space(instance, architecture_properties("sm_90")));
  return problem->plan(instance, space.at(*space.default_configuration()), kernels::EmbeddedSources())
      ->compile;
}

TEST(NvrtcCache, TheSecondCompileComesFromDisk) {
  const tune::testing::TemporaryFolder folder;
  std::string reason;
  if (!caching_nvrtc("sm_90", folder.path(), &reason)) GTEST_SKIP() << reason;
  const CompileRequest request = stencil_request();
  const auto miss = caching_nvrtc("sm_90", folder.path(), &reason)->compile(request);
  ASSERT_TRUE(miss) << miss.error().detail;
  EXPECT_FALSE(miss->cached);
  const auto hit = caching_nvrtc("sm_90", folder.path(), &reason)->compile(request);
  ASSERT_TRUE(hit);
  EXPECT_TRUE(hit->cached);
  EXPECT_LT(hit->compile_seconds, miss->compile_seconds);
  EXPECT_GT(hit->resources.at("stencil_step").registers, 0);
  Binary same = *hit;
  same.compile_seconds = miss->compile_seconds;
  expect_equal(same, *miss);

  const auto other = caching_nvrtc("sm_80", folder.path(), &reason)->compile(request);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->cached) << "of another architecture";
  EXPECT_NE(other->image, miss->image);
}

TEST(NvrtcCache, ASyntaxErrorIsKept) {
  const tune::testing::TemporaryFolder folder;
  std::string reason;
  if (!caching_nvrtc("sm_90", folder.path(), &reason)) GTEST_SKIP() << reason;
  CompileRequest request = stencil_request();
  request.source.text += "\nnonsense";
  const auto first = caching_nvrtc("sm_90", folder.path(), &reason)->compile(request);
  EXPECT_EQ(entries_in(folder.path()).size(), 1U);
  const auto second = caching_nvrtc("sm_90", folder.path(), &reason)->compile(request);
  ASSERT_TRUE(!first && !second);
  EXPECT_EQ(first.error().reason, second.error().reason);
  EXPECT_EQ(first.error().detail, second.error().detail);
}

}  // namespace
}  // namespace tune::cache
