// SPDX-License-Identifier: Apache-2.0
#include "tuner/problem/problem.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_backend.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/error.hpp"

namespace tune {
namespace {

ProblemInfo info() {
  ProblemInfo info;
  info.name = "grid";
  info.extents = {{"nx", "", 512}, {"ny", "", 256}, {"nz", "", 128}};
  info.settings = {{"radius", "", {1, 2, 3}, 1}, {"type", "", {"float", "double"}, "float"}};
  return info;
}

std::string message(std::string_view size, const std::vector<std::pair<std::string, Value>>& settings = {}) {
  try {
    make_instance(info(), size, settings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MakeInstance, TakesDefaults) {
  const Instance instance = make_instance(info(), "", {});
  EXPECT_EQ(instance.key(), "512x256x128 radius=1,type=float");
}

TEST(MakeInstance, ReadsSizeAndSettings) {
  const std::vector<std::pair<std::string, Value>> settings = {{"type", "double"}, {"radius", 3}};
  const Instance instance = make_instance(info(), "1x2x3", settings);
  EXPECT_EQ(instance.key(), "1x2x3 radius=3,type=double");
  EXPECT_EQ(instance.extent("ny"), 2);
  EXPECT_EQ(instance.setting("radius").as_int(), 3);
  EXPECT_THROW(instance.extent("nw"), std::out_of_range);
}

TEST(MakeInstance, SaysWhatIsWrongWithASize) {
  EXPECT_EQ(message("0x1x1"), "--size: nx = '0' is not a positive whole number");
  EXPECT_EQ(message("4x-4x4"), "--size: ny = '-4' is not a positive whole number");
  EXPECT_EQ(message("4x4x4.5"), "--size: nz = '4.5' is not a positive whole number");
  EXPECT_EQ(message("4x4x"), "--size: nz = '' is not a positive whole number");
  EXPECT_EQ(message("4x4"), "--size: grid needs 3 extents (nx, ny, nz), such as 512x256x128");
  EXPECT_EQ(message("4294967296x1x1"), "--size: nx = 4294967296 is too large: at most 2147483647");
  EXPECT_EQ(message("99999999999999999999x1x1"),
            "--size: nx = 99999999999999999999 is too large: at most 2147483647");
  EXPECT_EQ(message("2147483647x2147483647x2147483647"), "--size: more elements than 64-bit addresses reach");
}

TEST(MakeInstance, SaysWhatIsWrongWithASetting) {
  EXPECT_EQ(message("", {{"radios", 1}}), "--set: grid has no setting 'radios'; did you mean 'radius'?");
  EXPECT_EQ(message("", {{"color", 1}}), "--set: grid has no setting 'color'; it has: radius, type");
  EXPECT_EQ(message("", {{"radius", 4}}), "--set: radius=4 is not valid; valid are: 1, 2, 3");
}

TEST(MakeInstance, NeedsNoSettings) {
  ProblemInfo bare = info();
  bare.settings.clear();
  EXPECT_EQ(make_instance(bare, "1x2x3", {}).key(), "1x2x3");
  const std::vector<std::pair<std::string, Value>> settings = {{"radius", 1}};
  try {
    make_instance(bare, "", settings);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--set: grid has no setting 'radius'; it has: none");
  }
}

TEST(Roofline, IsTheLargerOfMemoryAndArithmeticTime) {
  const DeviceProperties device = testing::invented_device();  // 800 GB/s, 100 * 128 * 2 GFLOP/s
  EXPECT_DOUBLE_EQ(roofline_limit({.items = 1, .flops = 0, .bytes = 8e11}, device), 1.0);
  EXPECT_DOUBLE_EQ(roofline_limit({.items = 1, .flops = 25.6e12, .bytes = 1}, device), 1.0);
  EXPECT_DOUBLE_EQ(
      roofline_limit({.items = 1, .flops = 25.6e12, .bytes = 1, .arithmetic = ElementType::f64}, device),
      2.0);
}

// 100 SMs at 1 GHz of compute capability 9.0: 128 and 1024 multiply-adds a clock each.
TEST(Roofline, IsThatOfTheUnitsThatMayDoTheWork) {
  const DeviceProperties device = testing::invented_device();
  ASSERT_EQ(device.architecture(), "sm_90");
  const auto limit = [&](ElementType type, TensorUse tensor) {
    return roofline_limit({.items = 1, .flops = 25.6e12, .bytes = 1, .arithmetic = type, .tensor = tensor},
                          device);
  };
  EXPECT_DOUBLE_EQ(limit(ElementType::f64, TensorUse::none), 2.0);
  EXPECT_DOUBLE_EQ(limit(ElementType::f64, TensorUse::f64), 1.0);
  EXPECT_DOUBLE_EQ(limit(ElementType::f32, TensorUse::none), 1.0);
  EXPECT_DOUBLE_EQ(limit(ElementType::f32, TensorUse::tf32), 1.0 / 8);
  EXPECT_DOUBLE_EQ(limit(ElementType::f32, TensorUse::tf32x3), 3.0 / 8);
}

// On a device without such cores, or of which nobody knows, it is that of the vector units.
TEST(Roofline, NeedsNoTensorCores) {
  DeviceProperties device = testing::invented_device();
  device.compute_major = 7, device.compute_minor = 0;
  const ProblemCost cost{
      .items = 1, .flops = 12.8e12, .bytes = 1, .arithmetic = ElementType::f32, .tensor = TensorUse::tf32};
  EXPECT_EQ(device.peak_flops_tensor_tf32(), 0);
  EXPECT_DOUBLE_EQ(roofline_limit(cost, device), 1.0);
}

TEST(Roofline, KnowsTheWayFromAndToTheHost) {
  DeviceProperties device = testing::invented_device();
  ProblemCost cost{.items = 1, .flops = 25.6e12, .bytes = 1, .bytes_in = 120e9, .bytes_out = 10e9};
  EXPECT_DOUBLE_EQ(roofline_limit(cost, device), 1.0) << "nobody measured it";
  EXPECT_EQ(host_bound(cost, device), "");
  device.host_to_device_bandwidth = 60e9;
  device.device_to_host_bandwidth = 2e9;
  EXPECT_DOUBLE_EQ(roofline_limit(cost, device), 5.0);
  EXPECT_EQ(host_bound(cost, device), "copies to the host");
  device.device_to_host_bandwidth = 20e9;
  EXPECT_DOUBLE_EQ(roofline_limit(cost, device), 2.0) << "both ways at once";
  EXPECT_EQ(host_bound(cost, device), "copies to the device");
  cost.flops *= 3;
  EXPECT_DOUBLE_EQ(roofline_limit(cost, device), 3.0);
  EXPECT_EQ(host_bound(cost, device), "");
}

TEST(Roofline, IsUnknownForAnUnknownDevice) {
  EXPECT_EQ(roofline_limit({.items = 1, .flops = 1, .bytes = 1}, {}), 0.0);
}

TEST(SourceHash, ChangesWithTheSources) {
  class Other : public KernelSources {
   public:
    std::string text(std::string_view) const override { return "changed"; }
  };
  const testing::ToyProblem problem;
  EXPECT_EQ(source_hash(problem, testing::ToySources()), source_hash(problem, testing::ToySources()));
  EXPECT_NE(source_hash(problem, testing::ToySources()), source_hash(problem, Other()));
}

}  // namespace
}  // namespace tune
