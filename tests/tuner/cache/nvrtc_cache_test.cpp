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

/// Kernels that include headers on disk, with one cache for all calls.
class HeadersOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!caching_nvrtc("sm_90", cache_.path(), &reason)) GTEST_SKIP() << reason;
    std::filesystem::create_directories(disk_ / "include/deep");
  }
  void TearDown() override { unsetenv("CUDA_HOME"); }

  /// As another call of the program would compile it.
  Result<Binary> compile(const std::string& text, std::vector<std::string> options = {}) const {
    CompileRequest request;
    request.source = {"lib/kernel.cu", text + "\nextern \"C\" __global__ void k(float* x) { *x = VALUE; }\n"};
    request.options = std::move(options);
    request.entries = {"k"};
    return caching_nvrtc("sm_90", cache_.path(), nullptr)->compile(request);
  }
  void write(const std::string& name, const std::string& text) const {
    write_text(disk_ / "include" / name, text);
  }

  tune::testing::TemporaryFolder cache_, disk_;
};

TEST_F(HeadersOnDisk, AMissingOneMayAppear) {
  const std::string text = "#include <extra_header.h>";
  EXPECT_EQ(compile(text).error().reason, "missing header");
  write("extra_header.h", "#define VALUE 1.0f\n");
  setenv("CUDA_HOME", disk_.path().c_str(), 1);
  const auto made = compile(text);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_FALSE(made->cached);
  EXPECT_TRUE(compile(text)->cached);
}

TEST_F(HeadersOnDisk, AChangedOneIsCompiledAgain) {
  const std::string text = "#include <extra_header.h>";
  setenv("CUDA_HOME", disk_.path().c_str(), 1);
  write("extra_header.h", "#include \"deep/value.h\"\n");
  write("deep/value.h", "#include \"deep/more.h\"\n");
  write("deep/more.h", "#define VALUE 1.0f\n");
  const auto before = compile(text, {"-I" + (disk_ / "include").string()});
  ASSERT_TRUE(before) << before.error().detail;
  const std::string without_option = compile(text)->hash;
  write("deep/more.h", "#define VALUE 2.0f\n");
  EXPECT_NE(compile(text)->hash, without_option);
  const auto after = compile(text, {"-I" + (disk_ / "include").string()});
  ASSERT_TRUE(after);
  EXPECT_FALSE(after->cached);
  EXPECT_NE(after->hash, before->hash);
  write("extra_header.h", "#error gone\n");
  EXPECT_FALSE(compile(text));
  EXPECT_FALSE(compile(text, {"-I" + (disk_ / "include").string()}));
}

TEST_F(HeadersOnDisk, TheirContentsCountAndNotTheirPlace) {
  const std::string text = "#include \"value.h\"";
  write("value.h", "#define VALUE 1.0f\n");
  write("deep/value.h", "#define VALUE 2.0f\n");
  const std::string outer = (disk_ / "include").string(), inner = (disk_ / "include/deep").string();
  EXPECT_FALSE(compile(text, {"-I", outer})->cached);
  EXPECT_TRUE(compile(text, {"-I", outer})->cached);
  EXPECT_FALSE(compile(text, {"-I", inner})->cached);
  write("value.h", "#define VALUE 2.0f\n");
  const auto same = compile(text, {"-I", outer});
  EXPECT_EQ(same->hash, compile(text, {"-I", inner})->hash);
  write("by_macro.h", "#define NAME <value.h>\n#include NAME\n");
  EXPECT_FALSE(compile("#include \"by_macro.h\"", {"-I", outer})->cached);
  EXPECT_TRUE(compile("#include \"by_macro.h\"", {"-I", outer})->cached);
  write("value.h", "#define VALUE 3.0f\n");
  EXPECT_FALSE(compile("#include \"by_macro.h\"", {"-I", outer})->cached);
  EXPECT_FALSE(compile("#define NAME <value.h>\n#include NAME", {"-I", outer})->cached);
  EXPECT_FALSE(compile("#define NAME <value.h>\n#include NAME", {"-I", outer})->cached);
}

TEST_F(HeadersOnDisk, TheToolkitsAreKept) {
  const std::string text = "#include <cuda_fp16.h>\n#define VALUE __half2float(__float2half(3.0f))";
  const auto made = compile(text);
  if (!made) GTEST_SKIP() << "no headers of the toolkit: " << made.error().reason;
  EXPECT_FALSE(made->cached);
  EXPECT_TRUE(compile(text)->cached);
}

}  // namespace
}  // namespace tune::cache
