// SPDX-License-Identifier: Apache-2.0
// Plans between copies from and to the host.
#include "kernels/common/transfers.hpp"

#include <gtest/gtest.h>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/tuner/backends/emulator/problem_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

/// out = 2 in + out, rows padded on the device, in two launches of which the second waits for the first.
LaunchPlan padded_plan() {
  LaunchPlan plan;
  plan.compile.source = {"k.cu",
                         "extern \"C\" __global__ void k(const float* in, float* out, int nx) {\n"
                         "  for (int x = threadIdx.x; x < nx; x += 32)\n"
                         "    out[blockIdx.x * 8 + x] += in[blockIdx.x * 8 + x];\n}\n"};
  plan.compile.entries = {"k"};
  Layout rows = Layout::dense({5, 3});
  rows.strides[1] = 8;
  rows.allocation = 24;
  plan.buffers = {{"in", ElementType::f32, rows, BufferRole::input, true},
                  {"out", ElementType::f32, rows, BufferRole::output, true}};
  plan.buffers[1].fill = BufferFill::contents;
  Launch launch;
  launch.entry = "k";
  launch.grid = {3, 1, 1};
  launch.block = {32, 1, 1};
  launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{std::int32_t{5}}};
  plan.launches = {launch, launch};
  std::get<Launch>(plan.launches[1]).order = {1, {0}};
  return plan;
}

ReferenceData reference_data() {
  ReferenceData expected;
  HostTensor in(ElementType::f32, {5, 3}), before(ElementType::f32, {5, 3}), after(ElementType::f64, {5, 3});
  for (std::size_t i = 0; i < 15; ++i) {
    in.as<float>()[i] = static_cast<float>(i + 1);
    before.as<float>()[i] = static_cast<float>(100 * i);
    after.as<double>()[i] = 2.0 * static_cast<double>(i + 1) + 100.0 * static_cast<double>(i);
  }
  expected.inputs.emplace("in", in);
  expected.inputs.emplace("out", before);
  expected.reference.emplace("out", after);
  expected.tolerance = {1e-6, "whole numbers"};
  return expected;
}

TEST(Transfers, BringInputsAndReturnOutputs) {
  const LaunchPlan plan = between_transfers(padded_plan());
  ASSERT_EQ(plan.launches.size(), 5u);  // in, contents of out, two launches, out
  for (const char* name : {"in", "out"}) {
    EXPECT_EQ(plan.buffer(name).place, MemoryPlace::pinned);
    EXPECT_TRUE(plan.buffer(name).layout.is_dense());
    const BufferSpec& device = plan.buffer(std::string(name) + " on the device");
    EXPECT_EQ(device.role, BufferRole::scratch);
    EXPECT_EQ(device.layout.strides[1], 8u);
  }
  EXPECT_EQ(std::get<Launch>(plan.launches[3]).order, (StepOrder{1, {2}}));
}

// The launch on the other stream is not waited for by the copy that returns its result: said, not repaired.
TEST(Transfers, AreRightOnOneStreamAndARaceOtherwise) {
  LaunchPlan one_stream = padded_plan();
  std::get<Launch>(one_stream.launches[1]).order = {};
  const emulator::CheckVerdict right = emulator::check(between_transfers(one_stream), reference_data());
  EXPECT_TRUE(right.clean()) << right.not_emulated
                             << (right.findings.empty() ? "" : right.findings[0].text());
  EXPECT_FALSE(emulator::check(between_transfers(padded_plan()), reference_data()).clean());
}

TEST(Transfers, ThatAreMissingAreNoticed) {
  LaunchPlan plan = padded_plan();
  std::get<Launch>(plan.launches[1]).order = {};
  plan = between_transfers(plan);
  for (const std::size_t missing : {std::size_t{0}, std::size_t{1}, plan.launches.size() - 1}) {
    LaunchPlan lacking = plan;
    lacking.launches.erase(lacking.launches.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(emulator::check(lacking, reference_data()).clean()) << missing;
  }
}

TEST(Transfers, RefuseWhatHasNoCopy) {
  LaunchPlan with_setup = padded_plan();
  with_setup.setup = {with_setup.launches[0]};
  EXPECT_THROW(between_transfers(with_setup), Error);
  LaunchPlan with_texture = padded_plan();
  std::get<Launch>(with_texture.launches[0]).arguments[0] = TextureArgument{"in", {}};
  EXPECT_THROW(between_transfers(with_texture), Error);
}

TEST(Transfers, OfConvolutionsAreClean) {
  const auto problem = make_conv2d_separable();
  const std::vector<std::pair<std::string, Value>> settings{{"radius", 3}, {"transfers", "included"}};
  const Instance instance = make_instance(problem->info(), "61x47", settings);
  EXPECT_EQ(problem->cost(instance).bytes_in, 61 * 47 * 4);
  EXPECT_EQ(problem->cost(instance).bytes_out, 61 * 47 * 4);
  const EmbeddedSources sources;
  search::SearchSpace space(problem->space(instance, architecture_properties("sm_90")));
  search::Random random(3);
  emulator::ProblemJobs jobs(*problem, sources);
  std::vector<Configuration> sample;
  for (int i = 0; i < 6; ++i) sample.push_back(space.at(space.sample(random)));
  emulator::check(
      sample.size(),
      [&](std::size_t i) {
        return jobs.job(sample[i], {&instance, 1});
      },
      {},
      [&](std::size_t i, const emulator::CheckVerdict& verdict) {
        EXPECT_TRUE(verdict.clean()) << sample[i].to_string() << " " << verdict.not_emulated
                                     << (verdict.findings.empty() ? "" : verdict.findings[0].text());
        return true;
      });
}

}  // namespace
}  // namespace tune::kernels
