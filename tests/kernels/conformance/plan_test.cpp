// SPDX-License-Identifier: Apache-2.0
// What every plan of every problem is: launches that a device can make, with buffers that hold what the
// problem's inputs and reference say, and sources that are complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/conformance/drawn.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/step_order.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {
namespace {

using testing::Draw;
using testing::Drawn;

class EveryPlan : public ::testing::TestWithParam<std::string> {
 protected:
  const Draw& draw() const { return Draw::of(GetParam()); }
  const Problem& problem() const { return *draw().problem; }
};

void expect_launchable(const Launch& launch, const LaunchPlan& plan, const DeviceProperties& device) {
  EXPECT_NE(std::ranges::find(plan.compile.entries, launch.entry), plan.compile.entries.end())
      << launch.entry;
  EXPECT_GT(launch.grid.count(), 0u);
  EXPECT_GT(launch.block.count(), 0u);
  EXPECT_LE(launch.grid.x, 2147483647u);
  EXPECT_LE(std::max(launch.grid.y, launch.grid.z), 65535u);
  EXPECT_LE(launch.block.count(), static_cast<std::uint64_t>(device.max_threads_per_block));
  EXPECT_LE(launch.block.z, 64u);
  EXPECT_LE(launch.dynamic_shared_memory, static_cast<std::uint64_t>(device.shared_memory_per_block_optin));
  for (const KernelArgument& argument : launch.arguments)
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      EXPECT_NO_THROW(static_cast<void>(plan.buffer(buffer->buffer))) << buffer->buffer;
    }
}

TEST_P(EveryPlan, CanBeLaunched) {
  const DeviceProperties device = emulator::testing::sample_device(problem());
  for (const Drawn& drawn : draw().all) {
    SCOPED_TRACE(drawn.text());
    const LaunchPlan& plan = drawn.plan;
    ASSERT_FALSE(plan.launches.empty());
    const std::set<std::string> entries(plan.compile.entries.begin(), plan.compile.entries.end());
    EXPECT_EQ(entries.size(), plan.compile.entries.size()) << "an entry twice";
    for (const Launch* launch : kernel_launches(plan)) expect_launchable(*launch, plan, device);
    const auto maps = check_tensor_maps(device, plan);
    EXPECT_TRUE(maps) << maps.error().detail;
  }
}

// Nothing that a backend refuses, and no two steps that get into each other's way.
TEST_P(EveryPlan, HasStepsInOrder) {
  for (const Drawn& drawn : draw().all) {
    SCOPED_TRACE(drawn.text());
    EXPECT_NO_THROW(check_steps(drawn.plan));
    for (const StepConflict& conflict : conflicts(drawn.plan)) ADD_FAILURE() << conflict.text(drawn.plan);
  }
}

void expect_within(const BufferSpec& buffer) {
  const Layout& layout = buffer.layout;
  ASSERT_EQ(layout.extents.size(), layout.strides.size()) << buffer.name;
  std::uint64_t last = layout.offset, below = 1;
  for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
    ASSERT_GT(layout.extents[axis], 0u) << buffer.name;
    EXPECT_GE(layout.strides[axis], below) << buffer.name << ": elements overlap";
    below = layout.strides[axis] * layout.extents[axis];
    last += (layout.extents[axis] - 1) * layout.strides[axis];
  }
  EXPECT_EQ(layout.strides[0], 1u) << buffer.name;
  EXPECT_LT(last, layout.allocation) << buffer.name;
}

TEST_P(EveryPlan, HasBuffersThatHoldTheirTensors) {
  for (const Drawn& drawn : draw().all) {
    SCOPED_TRACE(drawn.text());
    std::set<std::string> names;
    for (const BufferSpec& buffer : drawn.plan.buffers) {
      EXPECT_TRUE(names.insert(buffer.name).second) << buffer.name << " twice";
      expect_within(buffer);
    }
    EXPECT_TRUE(std::ranges::any_of(
        drawn.plan.buffers, [](const BufferSpec& buffer) { return buffer.role == BufferRole::output; }));
  }
}

// A plan carries every header that its source includes, and none that no file includes.
TEST_P(EveryPlan, CarriesTheHeadersThatAreIncluded) {
  for (const Drawn& drawn : draw().all) {
    std::set<std::string> included, carried;
    std::string all = drawn.plan.compile.source.text;
    for (const SourceFile& header : drawn.plan.compile.headers) {
      EXPECT_TRUE(carried.insert(header.name).second) << header.name << " twice: " << drawn.text();
      all += header.text;
    }
    std::istringstream lines(all);
    const std::string start = "#include \"";
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(start))
        included.insert(line.substr(start.size(), line.find('"', start.size()) - start.size()));
    EXPECT_EQ(included, carried) << drawn.text();
  }
}

// What a plan compiles is in the source hash, but for headers that are generated.
TEST_P(EveryPlan, CompilesHashedSources) {
  const EmbeddedSources embedded;
  std::map<std::string, std::string> files;  // text -> name, of all problems
  for (const ProblemEntry& entry : gpu_problems()) {
    const std::vector<std::string> sources = entry.make()->info().sources;
    for (const std::string& file : sources) files.emplace(embedded.text(file), file);
  }
  const std::vector<std::string>& own = problem().info().sources;
  for (const Drawn& drawn : draw().all) {
    EXPECT_NE(std::ranges::find(own, drawn.plan.compile.source.name), own.end()) << drawn.text();
    for (const SourceFile& header : drawn.plan.compile.headers) {
      const auto file = files.find(header.text);
      if (file == files.end()) continue;
      EXPECT_NE(std::ranges::find(own, file->second), own.end()) << file->second << ": " << drawn.text();
    }
  }
}

// Whatever changes the machine code is told by the kernel file: a macro that no file mentions does nothing.
TEST_P(EveryPlan, DefinesOnlyMacrosThatTheSourcesUse) {
  for (const Drawn& drawn : draw().all) {
    std::string all = drawn.plan.compile.source.text;
    for (const SourceFile& header : drawn.plan.compile.headers) all += header.text;
    std::set<std::string> defined;
    for (const auto& [name, value] : drawn.plan.compile.defines) {
      EXPECT_TRUE(defined.insert(name).second) << name << " twice: " << drawn.text();
      EXPECT_NE(all.find(name), std::string::npos) << name << ": " << drawn.text();
      EXPECT_FALSE(value.empty()) << name << ": " << drawn.text();
    }
  }
}

TEST_P(EveryPlan, IsCheckedAtSmallSizes) {
  const EmbeddedSources sources;
  for (const Drawn& drawn : draw().all) {
    SCOPED_TRACE(drawn.text());
    const std::vector<Instance> sizes = problem().check_instances(drawn.instance, drawn.configuration);
    EXPECT_FALSE(sizes.empty());
    for (const Instance& size : sizes) {
      EXPECT_EQ(size.problem, drawn.instance.problem);
      EXPECT_LT(problem().cost(size).bytes, 64e6) << size.key() << " takes long to check";
      EXPECT_TRUE(problem().plan(size, drawn.configuration, sources)) << size.key();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPlan, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ProblemEntry& entry : problems()) names.emplace_back(entry.name);
                           return names;
                         }()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tune::kernels
