// SPDX-License-Identifier: Apache-2.0
// The variant `persistent` through the emulator against the steps one by one, right and with planted faults,
// and its space against its plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/variants/persistent/persistent.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::persistent_tests {
namespace {

using tune::testing::ChangedSources;

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

struct Choice {
  int block_x = 16, block_y = 4, block_z = 1, vector = 2, cells_y = 1, cells_z = 2;
  bool unrolled = true, padded = true;
  int blocks = 0;                 ///< above 0: kept in the L2 cache
  std::array<int, 3> tiles = {};  ///< along x, y, z

  Configuration configuration(const StencilJob& job) const {
    Configuration made{{"variant", "persistent"}, {"kept", blocks > 0 ? "l2" : "shared"},
                       {"block_x", block_x},      {"block_z", block_z},
                       {"vector", vector},        {"cells_z", cells_z},
                       {"padded", padded},        {"min_blocks", 1}};
    if (job.dimensions == 3) {
      made.set("block_y", block_y);
      made.set("cells_y", cells_y);
    }
    if (!job.stencil.star()) made.set("unroll_rows", unrolled);
    if (blocks > 0) {
      made.set("blocks", blocks);
      return made;
    }
    made.set("tiles_x", tiles[0]);
    if (job.dimensions == 3) made.set("tiles_y", tiles[1]);
    made.set("tiles_z", tiles[2]);
    return made;
  }
};

PlannedJob planned(const StencilJob& job, const Choice& choice,
                   const KernelSources& sources = EmbeddedSources()) {
  const Configuration configuration = choice.configuration(job);
  const auto name = std::to_string(job.nx) + "x" + std::to_string(job.ny) + "x" + std::to_string(job.nz) +
                    (job.boundary == Boundary::fixed ? " held " : " zero ") + std::to_string(job.steps) +
                    " steps, " + configuration.to_string();
  return {name, job, *plan_persistent(job, configuration, sources)};
}

/// All points to one side of the cell, as far as 3, 1 and 2.
Stencil lopsided() {
  return {3, {{0, 0, 0, 0.25}, {3, 0, 0, 0.5}, {1, 1, 0, -0.125}, {2, 0, 2, 0.0625}}};
}

using Sizes = std::vector<std::array<std::int64_t, 3>>;
const Sizes sizes_3d = {{37, 13, 11}, {32, 12, 10}, {18, 9, 17}, {5, 3, 2}, {1, 1, 7}, {7, 1, 1}, {1, 1, 1}};
const Sizes sizes_2d = {{53, 1, 29}, {32, 1, 40}, {2, 1, 3}, {1, 1, 5}, {1, 1, 1}};

/// Both places, bricks of every kind, tiles along every axis, slabs that are one and many, fewer blocks than
/// tiles.
const std::vector<Choice> choices = {
    {16, 4, 1, 2, 1, 2, true, true, 3, {}},        {8, 4, 2, 4, 2, 1, false, true, 5, {}},
    {16, 2, 2, 1, 1, 4, true, false, 2, {}},       {16, 4, 1, 2, 1, 2, true, true, 0, {2, 2, 3}},
    {8, 4, 2, 4, 2, 1, false, true, 0, {3, 3, 2}}, {32, 1, 2, 1, 2, 1, false, false, 0, {1, 2, 4}},
    {16, 2, 2, 1, 1, 4, true, true, 0, {2, 1, 1}}, {8, 4, 4, 4, 1, 4, true, true, 0, {1, 3, 2}}};

/// A stencil at all sizes, for 1 to 7 steps, with the choices by turns, all of them at the first size.
void add_jobs(std::vector<PlannedJob>& all, const Stencil& stencil, ElementType type, Boundary boundary) {
  const Sizes& sizes = stencil.dimensions == 2 ? sizes_2d : sizes_3d;
  std::size_t turn = all.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t c = 0; c < (i == 0 ? choices.size() : 2); ++c, ++turn) {
      const auto steps = static_cast<std::int64_t>(1 + turn % 7);
      Choice choice = choices[i == 0 ? c : turn % choices.size()];
      if (sizes[i][0] % choice.vector != 0) choice.padded = true;
      all.push_back(planned(small_job(stencil, sizes[i], type, boundary, steps), choice));
    }
}

std::vector<PlannedJob> all_jobs(ElementType type) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 1), type, Boundary::fixed);
  add_jobs(all, make_stencil("star", 3), type, Boundary::zero);
  add_jobs(all, make_stencil("box", 1), type, Boundary::zero);
  add_jobs(all, make_stencil("poisson", 1), type, Boundary::fixed);
  add_jobs(all, lopsided(), type, Boundary::fixed);
  add_jobs(all, lopsided(), type, Boundary::zero);
  add_jobs(all, make_stencil("star", 4, 2), type, Boundary::zero);
  add_jobs(all, make_stencil("box", 2, 2), type, Boundary::fixed);
  return all;
}

void expect_clean(const std::vector<PlannedJob>& all, Flavour flavour) {
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, flavour);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(complaint(verdicts[i]), "") << all[i].job.stencil.points.size() << " points " << all[i].name;
}

TEST(StencilPersistent, IsRightInDouble) {
  expect_clean(tune::testing::sampled(all_jobs(ElementType::f64)), Flavour::sanitize);
}

TEST(StencilPersistent, IsRightInFloat) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 2), ElementType::f32, Boundary::fixed);
  add_jobs(all, make_stencil("box", 1, 2), ElementType::f32, Boundary::zero);
  expect_clean(all, Flavour::sanitize);
}

TEST(StencilPersistent, IsRightInAnyOrderOfThreads) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 1), ElementType::f32, Boundary::zero);
  add_jobs(all, make_stencil("box", 1, 2), ElementType::f32, Boundary::fixed);
  expect_clean(all, Flavour::plain);
}

const Choice in_l2 = {16, 4, 1, 2, 1, 2, true, true, 3, {}};
const Choice in_shared = {8, 4, 1, 2, 1, 2, true, true, 0, {2, 2, 2}};

PlannedJob sample(const Choice& choice, const KernelSources& sources = EmbeddedSources()) {
  const StencilJob job =
      small_job(make_stencil("star", 1), {37, 13, 23}, ElementType::f64, Boundary::zero, 5);
  return planned(job, choice, sources);
}

Launch& launch_of(LaunchPlan& plan) {
  return std::get<Launch>(plan.launches.at(0));
}

TEST(StencilPersistent, IsOneLaunchOfAllSteps) {
  for (const Choice& choice : {in_l2, in_shared}) {
    PlannedJob one = sample(choice);
    ASSERT_EQ(one.plan.launches.size(), 1u);
    EXPECT_TRUE(launch_of(one.plan).cooperative);
    EXPECT_EQ(std::get<std::int32_t>(std::get<ScalarArgument>(launch_of(one.plan).arguments.at(4))), 5);
  }
  // Two tiles along every axis, and as many blocks as asked for.
  PlannedJob tiles = sample(in_shared), blocks = sample(in_l2);
  EXPECT_EQ(launch_of(tiles.plan).grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(launch_of(blocks.plan).grid, (Dim3{3, 1, 1}));
  // 38 cells of two in 10 + 9 bricks: 20 of the larger tile and a vector of halo at both ends; 7 rows; 24
  // planes in two tiles, with halos and the shift of a slab of 2 planes.
  EXPECT_EQ(launch_of(tiles.plan).dynamic_shared_memory, 24u * 9 * (12 + 2 + 2) * 8);
}

TEST(StencilPersistent, WrongPlansAreFound) {
  std::vector<PlannedJob> all;
  const auto add = [&](const char* fault, const Choice& choice) -> Launch& {
    all.push_back(sample(choice));
    all.back().name = fault;
    return launch_of(all.back().plan);
  };
  for (const Choice& choice : {in_l2, in_shared}) {
    const auto steps = [](Launch& launch) -> std::int32_t& {
      return std::get<std::int32_t>(std::get<ScalarArgument>(launch.arguments.at(4)));
    };
    ++steps(add("a step too many", choice));
    --steps(add("a step too few", choice));
    add("not cooperative", choice).cooperative = false;
    Launch& same = add("the arrays are one", choice);
    same.arguments.at(2) = same.arguments.at(1);
    Launch& input = add("the input is written", choice);
    input.arguments.at(2) = input.arguments.at(0);
    all.push_back(sample(choice));
    all.back().name = "the counter does not begin as zero";
    all.back().plan.buffers.back().fill = BufferFill::poison;
  }
  --add("a tile without a block", in_shared).grid.x;
  Launch& cut = add("other tiles than the grid has", in_shared);
  ++std::get<std::int32_t>(std::get<ScalarArgument>(cut.arguments.back()));
  add("a vector of shared memory is missing", in_shared).dynamic_shared_memory -= 2 * sizeof(double) * 20;
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilPersistent, WrongKernelsAreFound) {
  struct Fault {
    const char *file, *from, *to;
  };
  const std::vector<Fault> faults = {
      {"shared.cu", "slab > reach_z ? slab :", "slab > reach_z ? slab - 1 :"},
      {"shared.cu", "? shift / slab :", "? shift / slab + 1 :"},
      {"shared.cu", "grid_barrier(counter);", ";"},
      {"shared.cu", "load_halo(tile, faces, to);", ";"},
      {"shared.cu", "    __syncthreads();\n    Real* const from", "    Real* const from"},
      {"shared.cu", "Real* const faces = left % 2 != 0 ? out : other", "Real* const faces = out"},
      {"shared.cu", "(up ? slabs - 1 - k : k)", "k"},
      {"tile.cuh", "x < reach_x ||", "x < reach_x - 1 ||"},
      {"tile.cuh", "y >= extent[1] - reach_y", "y > extent[1] - reach_y"},
      {"tile.cuh", "cells[i] = 0;\n    }\n  } else", ";\n    }\n  } else"},
      {"l2.cu", "grid_barrier(counter);", ";"},
      {"l2.cu", "tile += gridDim.x", "tile += gridDim.x + 1"},
      {"l2.cu", "left % 2 != 0 ? out : other", "left % 2 == 0 ? out : other"}};
  std::vector<PlannedJob> all;
  for (const Fault& fault : tune::testing::sampled_faults(faults)) {
    const std::string file = std::string("stencil/persistent_") + fault.file;
    all.push_back(sample(std::string(fault.file) == "l2.cu" ? in_l2 : in_shared,
                         ChangedSources(file, fault.from, fault.to)));
    all.back().name = fault.from;
  }
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

DeviceProperties device() {
  DeviceProperties properties = architecture_properties("sm_90");
  properties.multiprocessors = 132;
  return properties;
}

std::vector<Configuration> sampled(const StencilJob& job, const char* where, std::size_t count) {
  search::SpaceDefinition definition =
      search::restrict_to(stencil_space(job, device()), search::Expr::parse("variant == 'persistent'"));
  return testing::sample_of(
      search::SearchSpace(search::restrict_to(std::move(definition), search::Expr::parse(where))), count, 5);
}

const std::vector<StencilJob>& real_jobs() {
  static const std::vector<StencilJob> jobs = {
      small_job(make_stencil("star", 1, 2), {1024, 1, 1024}, ElementType::f32, Boundary::fixed, 100),
      small_job(make_stencil("star", 4, 2), {2048, 1, 2048}, ElementType::f32, Boundary::zero, 101),
      small_job(make_stencil("box", 1, 2), {1000, 1, 700}, ElementType::f64, Boundary::zero, 50),
      small_job(make_stencil("star", 1), {128, 128, 128}, ElementType::f32, Boundary::fixed, 100),
      small_job(make_stencil("box", 1), {100, 120, 140}, ElementType::f64, Boundary::zero, 7),
      small_job(make_stencil("star", 2), {33, 31, 32}, ElementType::f32, Boundary::fixed, 3)};
  return jobs;
}

TEST(StencilPersistent, ValidConfigurationsFitTheDevice) {
  for (const StencilJob& job : tune::testing::sampled(real_jobs()))
    for (const char* kept : {"kept == 'l2'", "kept == 'shared'"}) {
      const std::size_t count = tune::testing::sampled_count(300);
      const std::vector<Configuration> all = sampled(job, kept, count);
      ASSERT_EQ(all.size(), count) << job.nx << " " << kept;
      std::uint64_t max_shared = 0;
      for (const Configuration& configuration : all) {
        Result<LaunchPlan> plan = plan_persistent(job, configuration, EmbeddedSources());
        ASSERT_TRUE(plan) << plan.error().detail;
        const Launch& launch = launch_of(*plan);
        const auto blocks = static_cast<std::uint64_t>(configuration["min_blocks"].as_int());
        ASSERT_LE(launch.grid.count(), 132 * blocks) << configuration.to_string();
        ASSERT_LE(launch.block.count() * blocks, 2048u) << configuration.to_string();
        ASSERT_LE(launch.dynamic_shared_memory, 227u * 1024) << configuration.to_string();
        ASSERT_LE((launch.dynamic_shared_memory + 1024) * blocks, 228u * 1024) << configuration.to_string();
        max_shared = std::max(max_shared, launch.dynamic_shared_memory);
      }
      // The rules let through what fits.
      if (job.nx == 2048 && kept == std::string("kept == 'shared'")) {
        EXPECT_GT(max_shared, 200u * 1024);
      }
    }
}

TEST(StencilPersistent, ArraysLargerThanSharedMemoryStayInTheCache) {
  const StencilJob job =
      small_job(make_stencil("star", 1), {256, 256, 256}, ElementType::f32, Boundary::fixed, 10);
  EXPECT_FALSE(sampled(job, "kept == 'l2'", 1).empty());
  const search::SpaceDefinition definition = stencil_space(job, device());
  for (const search::Parameter& parameter : definition.parameters) {
    EXPECT_FALSE(parameter.name.starts_with("tiles_")) << parameter.name;
    if (parameter.name == "kept") {
      EXPECT_EQ(parameter.values, (std::vector<Value>{"l2"}));
    }
  }
  StencilJob once = job;
  once.steps = 1;
  EXPECT_FALSE(persistent_applies(once));
}

// A macro that no kernel reads would be ignored without a word.
TEST(StencilPersistent, KernelsReadEveryMacro) {
  for (const StencilJob& job : tune::testing::sampled(real_jobs()))
    for (const char* kept : {"kept == 'l2'", "kept == 'shared'"})
      for (const Configuration& configuration : sampled(job, kept, 20)) {
        const CompileRequest request = plan_persistent(job, configuration, EmbeddedSources())->compile;
        const std::string& text = request.source.text;
        const std::string below = text.substr(text.find("// ---- end of defaults ----"));
        for (const auto& [name, value] : request.defines) {
          ASSERT_NE(text.find("#ifndef " + name + "\n"), std::string::npos) << name;
          ASSERT_NE(below.find(name), std::string::npos) << name;
        }
      }
}

// Emulated and on a device alike: the same code as at the size itself, the same array written last, and few
// enough threads.
TEST(StencilPersistent, ChecksTheSameCodeWithFewBlocks) {
  for (const StencilJob& job : tune::testing::sampled(real_jobs()))
    for (const char* kept : {"kept == 'l2'", "kept == 'shared'"})
      for (const Configuration& configuration : sampled(job, kept, tune::testing::sampled_count(100))) {
        const std::string code = content_of(plan_persistent(job, configuration, EmbeddedSources())->compile);
        const std::vector<CheckSize> sizes = stencil_variants().of(configuration).checked(job, configuration);
        ASSERT_GE(sizes.size(), 3u);
        std::uint64_t max = 0;
        for (const CheckSize& size : sizes) {
          StencilJob small = job;
          small.nx = size.nx, small.ny = job.dimensions == 2 ? 1 : size.ny, small.nz = size.nz;
          small.steps = size.steps;
          ASSERT_GE(small.steps, 2);
          ASSERT_EQ(small.steps % 2, job.steps % 2);
          Result<LaunchPlan> plan = plan_persistent(small, configuration, EmbeddedSources());
          ASSERT_TRUE(plan) << plan.error().detail;
          ASSERT_EQ(content_of(plan->compile), code);
          const Launch& launch = launch_of(*plan);
          ASSERT_LE(launch.grid.count() * launch.block.count(), 32768u) << configuration.to_string();
          max = std::max(max, launch.grid.count());
        }
        ASSERT_GE(max, 2u) << configuration.to_string();
      }
}

}  // namespace
}  // namespace tune::kernels::persistent_tests
