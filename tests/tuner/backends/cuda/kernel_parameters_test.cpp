// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/kernel_parameters.hpp"

#include <gmock/gmock.h>

#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* source = R"(
struct Big { int a[5]; };
extern "C" __global__ void none() {}
extern "C" __global__ void one(float* p) { *p = 1; }
extern "C" __global__ void mixed(const float* a, char b, double c, int d, Big e, float* out) {
  *out = a[0] + b + c + d + e.a[3];
}
extern "C" __global__ void unused(float* out, long long n, int flag) {}
template<int N> __global__ void tagged(float* p, unsigned u) { p[u] = N; })";

Binary compiled(const Compiler& compiler) {
  CompileRequest request;
  request.source = {"test.cu", source};
  request.entries = {"none", "one", "mixed", "unused", "tagged<3>"};
  auto binary = compiler.compile(request);
  if (!binary) throw std::runtime_error(binary.error().detail);
  return std::move(*binary);
}

TEST(ParameterSizes, ComeFromTheBinaryOfEveryArchitecture) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    SCOPED_TRACE(architecture);
    std::string reason;
    const auto compiler = make_nvrtc_compiler(architecture, &reason);
    if (compiler == nullptr) GTEST_SKIP() << reason;
    const auto binary = compiled(*compiler);
    const auto sizes = [&](const std::string& entry) {
      const auto found = parameter_sizes(binary.image, binary.symbols.at(entry));
      if (!found) throw std::runtime_error("not understood: " + entry);
      return *found;
    };
    EXPECT_THAT(sizes("none"), IsEmpty());
    EXPECT_THAT(sizes("one"), ElementsAre(8));
    EXPECT_THAT(sizes("mixed"), ElementsAre(8, 1, 8, 4, 20, 8));
    EXPECT_THAT(sizes("unused"), ElementsAre(8, 8, 4));
    EXPECT_THAT(sizes("tagged<3>"), ElementsAre(8, 4));
    EXPECT_FALSE(parameter_sizes(binary.image, "other"));
    EXPECT_FALSE(parameter_sizes(binary.image, "mixe"));
  }
}

TEST(Variables, AreFoundByTheirNamesInTheSource) {
  std::string reason;
  const auto compiler = make_nvrtc_compiler("sm_90", &reason);
  if (compiler == nullptr) GTEST_SKIP() << reason;
  CompileRequest request;
  request.source = {"test.cu",
                    "namespace z { __constant__ float c[4]; static __constant__ float s[4]; }\n"
                    "namespace { __constant__ float f[4]; }\n__constant__ float d[4];\n"
                    "__global__ void k(float* a) { *a = z::c[1] + z::s[1] + f[1] + d[1]; }"};
  request.entries = {"k"};
  const auto binary = compiler->compile(request);
  ASSERT_TRUE(binary) << binary.error().detail;
  LaunchPlan plan;
  for (const char* const name : {"z::c", "z::s", "f", "d", "other"}) {
    BufferSpec buffer{name, ElementType::f32, Layout::dense({4})};
    buffer.symbol = name;
    plan.buffers.push_back(buffer);
  }
  const auto names = variables_of(plan, *binary);
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(names.at("d"), "d");
  EXPECT_EQ(names.at("z::c"), "_ZN1z1cE");
  EXPECT_NE(names.at("f").find("1f"), std::string::npos);
  EXPECT_EQ(unfit_variables(plan, *binary), "");
  plan.buffers[1].layout = Layout::dense({5});
  EXPECT_EQ(unfit_plan(plan, *binary), "variable `z::s` of the kernel has 16 bytes, 20 are copied to it");
}

TEST(ParameterSizes, AreNothingForWhatIsNoCubin) {
  EXPECT_FALSE(parameter_sizes({}, "one"));
  const std::vector<std::byte> zeros(1000);
  EXPECT_FALSE(parameter_sizes(zeros, "one"));
}

/// What is cut off or changed is refused or read, never read beyond its end (the sanitizers would tell).
TEST(ParameterSizes, SurviveDamage) {
  std::string reason;
  const auto compiler = make_nvrtc_compiler("sm_90", &reason);
  if (compiler == nullptr) GTEST_SKIP() << reason;
  const auto image = compiled(*compiler).image;
  for (std::size_t size = 0; size < image.size(); size += 7) {
    const std::vector<std::byte> cut(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
    (void)parameter_sizes(cut, "mixed");
  }
  for (std::size_t place = 0; place < image.size(); ++place)
    for (const unsigned mask : {0xffu, 0x80u}) {
      auto changed = image;
      changed[place] ^= static_cast<std::byte>(mask);
      const auto sizes = parameter_sizes(changed, "mixed");
      if (sizes && !sizes->empty()) {  // no parameters: another part of the file, without such records
        EXPECT_EQ(sizes->size(), 6u) << place;
        EXPECT_EQ(sizes->back(), 8u) << place;
      }
    }
}

}  // namespace
}  // namespace tune::cuda
