// SPDX-License-Identifier: Apache-2.0
// The variant `split`: how points are divided, its plans through the emulator against the steps one by one,
// right and with planted faults, and its space.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/variants/split/split.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::split_tests {
namespace {

using tune::testing::ChangedSources;

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

constexpr Division divisions[] = {Division::planes, Division::rows, Division::points, Division::axes};

/// Points of each part.
std::vector<std::int64_t> counts(const Stencil& stencil, Division division, int parts) {
  const std::vector<int> part_of = parts_of(stencil, division, parts);
  std::vector<std::int64_t> found;
  for (int part = 0; part < parts; ++part) found.push_back(std::ranges::count(part_of, part));
  return found;
}

TEST(StencilSplit, DividesPointsIntoPartsOfAboutEqualCounts) {
  using Counts = std::vector<std::int64_t>;
  const Stencil box = make_stencil("box", 3), star = make_stencil("star", 4);
  EXPECT_EQ(counts(box, Division::planes, 3), (Counts{98, 147, 98}));
  EXPECT_EQ(counts(box, Division::rows, 2), (Counts{196, 147}));
  EXPECT_EQ(counts(box, Division::points, 4), (Counts{86, 86, 85, 86}));
  EXPECT_EQ(counts(star, Division::axes, 3), (Counts{8, 9, 8}));
  EXPECT_EQ(largest_part(box, Division::planes, 3), 147);
  EXPECT_EQ(max_parts(box, Division::planes), 7);
  EXPECT_EQ(max_parts(box, Division::axes), 1);
  EXPECT_EQ(max_parts(star, Division::axes), 25);
  EXPECT_EQ(max_parts(in_kernel_axes(make_stencil("box", 2, 2)), Division::rows), 1);
  EXPECT_THROW(parts_of(box, Division::planes, 8), std::invalid_argument);
  EXPECT_THROW(parts_of(box, Division::points, 0), std::invalid_argument);
}

// Whatever the stencil: no part is empty, and none has a part of what must stay together.
TEST(StencilSplit, LeavesNoPartEmpty) {
  for (const testing::StencilCase& one : testing::varied_cases()) {
    const Stencil stencil = in_kernel_axes(make_stencil(one.shape, one.radius, one.dimensions));
    for (const Division division : divisions)
      for (int parts = 1; parts <= std::min(20, max_parts(stencil, division)); ++parts) {
        const std::vector<int> part_of = parts_of(stencil, division, parts);
        const std::set<int> found(part_of.begin(), part_of.end());
        ASSERT_EQ(found.size(), static_cast<std::size_t>(parts)) << one.name();
        ASSERT_EQ(*found.begin(), 0);
        ASSERT_EQ(*found.rbegin(), parts - 1);
        std::map<int, std::set<int>> of_plane;
        for (std::size_t i = 0; i < part_of.size(); ++i)
          of_plane[division == Division::rows ? stencil.points[i].dy : stencil.points[i].dz].insert(
              part_of[i]);
        if (division == Division::planes || division == Division::rows) {
          for (const auto& [offset, of] : of_plane) ASSERT_EQ(of.size(), 1u) << one.name();
        }
        const std::vector<std::int64_t> sizes = counts(stencil, division, parts);
        if (division == Division::points || division == Division::axes) {
          ASSERT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 1) << one.name();
        }
      }
  }
}

TEST(StencilSplit, NamesDivisions) {
  for (const Division division : divisions) EXPECT_EQ(division_named(to_string(division)), division);
  EXPECT_THROW(division_named("columns"), std::out_of_range);
}

struct Choice {
  const char* divide;
  int parts;
  int block_x = 16, block_y = 4, block_z = 1, vector = 2, cells_y = 1, cells_z = 2;
  bool padded = true, readonly = true;
  const char* store = "plain";
};

/// As many parts as the stencil has, if there are more.
PlannedJob planned(const StencilJob& job, Choice choice, const KernelSources& sources = EmbeddedSources()) {
  if (max_parts(job.stencil, division_named(choice.divide)) < 2) choice.divide = "points";
  if (job.nx % choice.vector != 0) choice.padded = true;
  const int parts = std::min(choice.parts, max_parts(job.stencil, division_named(choice.divide)));
  Configuration made{{"variant", "split"},
                     {"parts", parts},
                     {"divide", choice.divide},
                     {"block_x", choice.block_x},
                     {"block_z", choice.block_z},
                     {"vector", choice.vector},
                     {"cells_z", choice.cells_z},
                     {"readonly", choice.readonly},
                     {"padded", choice.padded},
                     {"store", choice.store},
                     {"min_blocks", 1}};
  if (job.dimensions == 3) {
    made.set("block_y", choice.block_y);
    made.set("cells_y", choice.cells_y);
  }
  const auto name = std::to_string(job.nx) + "x" + std::to_string(job.ny) + "x" + std::to_string(job.nz) +
                    (job.boundary == Boundary::fixed ? " held " : " zero ") + std::to_string(job.steps) +
                    " steps, " + made.to_string();
  return {name, job, *plan_split(job, made, sources)};
}

/// All points to one side of the cell, as far as 3, 1 and 2.
Stencil lopsided() {
  return {3, {{0, 0, 0, 0.25}, {3, 0, 0, 0.5}, {1, 1, 0, -0.125}, {2, 0, 2, 0.0625}}};
}
/// A star that lacks most of its points, the cell itself too.
Stencil sparse_star() {
  return {3, {{0, -3, 0, 0.25}, {0, -2, 0, 0.5}, {2, 0, 0, -0.125}, {0, 0, 2, 0.0625}, {0, 0, 3, 0.25}}};
}

using Sizes = std::vector<std::array<std::int64_t, 3>>;
const Sizes sizes_3d = {{37, 13, 11}, {36, 12, 10}, {18, 9, 17}, {5, 3, 2}, {1, 1, 7}, {7, 1, 1}, {1, 1, 1}};
const Sizes sizes_2d = {{53, 1, 29}, {32, 1, 40}, {2, 1, 3}, {1, 1, 5}, {1, 1, 1}};

/// Every division, bricks of every kind, parts that do not divide the points.
const std::vector<Choice> choices = {{"planes", 2},
                                     {"points", 3, 8, 4, 2, 4, 2, 1, false, false, "streaming"},
                                     {"axes", 3, 16, 2, 2, 1, 1, 4},
                                     {"rows", 3, 8, 8, 1, 4, 1, 1, true, false},
                                     {"points", 5, 32, 1, 2, 1, 2, 1, false},
                                     {"planes", 3, 8, 4, 4, 4, 1, 4, true, true, "streaming"},
                                     {"axes", 4, 16, 4, 1, 2, 2, 2, false},
                                     {"rows", 2, 16, 4, 1, 2, 4, 1, false},
                                     {"points", 7, 16, 4, 1, 4, 2, 2}};

/// A stencil at all sizes, for 1 to 3 steps, with the choices by turns, all of them at the first size.
void add_jobs(std::vector<PlannedJob>& all, const Stencil& stencil, ElementType type, Boundary boundary) {
  const Sizes& sizes = stencil.dimensions == 2 ? sizes_2d : sizes_3d;
  std::size_t turn = all.size();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t c = 0; c < (i == 0 ? choices.size() : 2); ++c, ++turn) {
      const auto steps = static_cast<std::int64_t>(1 + turn % 3);
      all.push_back(planned(small_job(stencil, sizes[i], type, boundary, steps),
                            choices[i == 0 ? c : turn % choices.size()]));
    }
}

std::vector<PlannedJob> all_jobs(ElementType type) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 1), type, Boundary::zero);
  add_jobs(all, make_stencil("star", 3), type, Boundary::fixed);
  add_jobs(all, make_stencil("box", 1), type, Boundary::fixed);
  add_jobs(all, make_stencil("box", 2), type, Boundary::zero);
  add_jobs(all, lopsided(), type, Boundary::fixed);
  add_jobs(all, lopsided(), type, Boundary::zero);
  add_jobs(all, sparse_star(), type, Boundary::fixed);
  add_jobs(all, sparse_star(), type, Boundary::zero);
  add_jobs(all, make_stencil("star", 4, 2), type, Boundary::zero);
  add_jobs(all, make_stencil("box", 3, 2), type, Boundary::fixed);
  return all;
}

void expect_clean(const std::vector<PlannedJob>& all, Flavour flavour) {
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, flavour);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(complaint(verdicts[i]), "") << all[i].job.stencil.points.size() << " points " << all[i].name;
}

TEST(StencilSplit, IsRightInDouble) {
  expect_clean(tune::testing::sampled(all_jobs(ElementType::f64)), Flavour::sanitize);
}

TEST(StencilSplit, IsRightInFloat) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("flux", 2), ElementType::f32, Boundary::fixed);
  add_jobs(all, make_stencil("box", 2, 2), ElementType::f32, Boundary::zero);
  expect_clean(all, Flavour::sanitize);
}

PlannedJob sample(const Choice& choice, const KernelSources& sources = EmbeddedSources(),
                  Boundary boundary = Boundary::fixed) {
  return planned(small_job(make_stencil("box", 1), {37, 13, 11}, ElementType::f64, boundary, 2), choice,
                 sources);
}

TEST(StencilSplit, LaunchesEveryPartInEveryStep) {
  const PlannedJob one = sample({"planes", 3});
  std::vector<std::string> launched;
  for (const PlanStep& step : one.plan.launches) {
    const auto& launch = std::get<Launch>(step);
    launched.push_back(launch.entry + ":" + std::get<BufferArgument>(launch.arguments.at(0)).buffer + "-" +
                       std::get<BufferArgument>(launch.arguments.at(1)).buffer);
  }
  EXPECT_EQ(launched, (std::vector<std::string>{"stencil_part_0:in-other", "stencil_part_1:in-other",
                                                "stencil_part_2:in-other", "stencil_part_0:other-out",
                                                "stencil_part_1:other-out", "stencil_part_2:other-out"}));
}

TEST(StencilSplit, WrongPlansAreFound) {
  std::vector<PlannedJob> all;
  const auto add = [&](const char* fault) -> std::vector<PlanStep>& {
    all.push_back(sample({"points", 3}));
    all.back().name = fault;
    return all.back().plan.launches;
  };
  add("a part is missing").erase(all.back().plan.launches.begin() + 4);
  auto& twice = add("a part comes twice");
  twice.insert(twice.begin() + 2, twice[1]);
  auto& swapped = add("the first part comes second");
  std::swap(swapped[3], swapped[4]);
  auto& late = add("the last part does not come last");
  std::swap(late[4], late[5]);
  auto& cut = add("a part has one block");
  std::get<Launch>(cut[4]).grid.x = 1;
  auto& source = add("a part reads another array");
  std::get<Launch>(source[4]).arguments.at(0) = BufferArgument{"in"};
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilSplit, WrongKernelsAreFound) {
  struct Fault {
    const char *file, *from, *to;
  };
  const std::vector<Fault> faults = {
      {"split.cu", "part == 0 ? Turn::first", "part == 1 ? Turn::first"},
      {"split.cu", "part + 1 == parts ? Turn::last", "part + 2 == parts ? Turn::last"},
      {"split.cu", "part_of(dx, dy, dz) == part", "part_of(dx, dy, dz) <= part"},
      {"split.cu", "last_y = ranges_of[part][1]", "last_y = ranges_of[part][0]"},
      {"split.cu", "first_z = ranges_of[part][2]", "first_z = ranges_of[part][3]"},
      {"direct_tile.cuh", "if constexpr (turn == Turn::middle || turn == Turn::last) {",
       "if constexpr (turn == Turn::last) {"},
      {"direct_tile.cuh", "load_again(sums[c][j], out + first + (c * plane + j * pitch))",
       "load_again(sums[c][j], out + first + c * plane)"}};
  std::vector<PlannedJob> all;
  for (const Fault& fault : faults) {
    all.push_back(sample({"points", 4, 16, 4, 1, 2, 2, 1},
                         ChangedSources(std::string("stencil/") + fault.file, fault.from, fault.to)));
    all.back().name = fault.from;
  }
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

search::SearchSpace space_of(const StencilJob& job, const std::string& where = "True") {
  search::SpaceDefinition definition = search::restrict_to(
      stencil_space(job, architecture_properties("sm_90")), search::Expr::parse("variant == 'split'"));
  if (where != "True") definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
  return search::SearchSpace(std::move(definition));
}

StencilJob real_job(const char* shape, int radius, int dimensions, ElementType type = ElementType::f32) {
  return small_job(make_stencil(shape, radius, dimensions), {512, dimensions == 2 ? 1 : 512, 512}, type,
                   Boundary::fixed, 1);
}

TEST(StencilSplit, AppliesWhereASweepDoesNotWaitForMemoryAlone) {
  EXPECT_FALSE(split_applies(real_job("star", 4, 3)));
  EXPECT_FALSE(split_applies(real_job("box", 1, 3)));
  EXPECT_TRUE(split_applies(real_job("star", 8, 3)));
  for (const int radius : {2, 3, 4, 8}) EXPECT_TRUE(split_applies(real_job("box", radius, 3)));
  for (const int radius : {4, 8, 16, 32}) EXPECT_TRUE(split_applies(real_job("box", radius, 2)));
  // 15,625 points.
  EXPECT_FALSE(split_applies(real_job("box", 12, 3)));
}

// Wherever it applies there is a configuration, and each keeps to what its parameters promise.
TEST(StencilSplit, ValidConfigurationsUnrollAndFit) {
  std::vector<StencilJob> jobs;
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const int radius : {2, 3, 4, 8}) jobs.push_back(real_job("box", radius, 3, type));
    for (const int radius : {3, 8, 16, 32}) jobs.push_back(real_job("box", radius, 2, type));
    for (const int radius : {8, 32}) jobs.push_back(real_job("star", radius, 3, type));
    jobs.push_back(real_job("star", 32, 2, type));
  }
  for (const StencilJob& job : jobs) {
    const search::SearchSpace space = space_of(job);
    ASSERT_FALSE(space.empty()) << job.stencil.points.size();
    for (const Configuration& configuration : testing::sample_of(space, 100, 3)) {
      const auto value = [&](const char* name) {
        return configuration.has(name) ? configuration[name].as_int() : 1;
      };
      const Division division = division_named(configuration["divide"].as_text());
      const int parts = static_cast<int>(value("parts"));
      ASSERT_LE(parts, max_parts(job.stencil, division));
      const std::int64_t cells = value("vector") * value("cells_y") * value("cells_z");
      ASSERT_LE(largest_part(job.stencil, division, parts) * cells, max_part_terms);
      ASSERT_LE(static_cast<std::int64_t>(job.stencil.points.size()) * cells, max_split_terms);
      ASSERT_LE(value("block_x") * value("block_y") * value("block_z"), 1024);
      EXPECT_EQ(configuration.has("cells_y"), job.dimensions == 3);
      EXPECT_FALSE(configuration.has("unroll_rows") || configuration.has("shuffle"));
    }
  }
}

// Numbers counted by hand: 343 points, 7 planes, 7 rows.
TEST(StencilSplit, HasTheDivisionsThatTheStencilAllows) {
  const StencilJob box = real_job("box", 3, 3);
  EXPECT_TRUE(space_of(box, "divide == 'planes' and parts == 8").empty());
  EXPECT_FALSE(space_of(box, "divide == 'planes' and parts == 6").empty());
  EXPECT_FALSE(space_of(box, "divide == 'points' and parts == 8").empty());
  // 196 points of the larger half in 8 cells are 1568 terms, in 16 cells 3136.
  EXPECT_FALSE(space_of(box, "divide == 'rows' and parts == 2 and vector * cells_y * cells_z == 8").empty());
  EXPECT_TRUE(space_of(box, "divide == 'rows' and parts == 2 and vector * cells_y * cells_z == 16").empty());
  const auto divisions_of = [](const StencilJob& job) {
    std::set<std::string> found;
    for (const search::Parameter& parameter : stencil_space(job, architecture_properties("sm_90")).parameters)
      if (parameter.name == "divide")
        for (const Value& value : parameter.values) found.insert(value.as_text());
    return found;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(divisions_of(box), (Names{"planes", "rows", "points"}));
  EXPECT_EQ(divisions_of(real_job("star", 8, 3)), (Names{"planes", "rows", "points", "axes"}));
  EXPECT_EQ(divisions_of(real_job("box", 8, 2)), (Names{"planes", "points"}));
}

// A macro that no kernel reads would be ignored without a word.
TEST(StencilSplit, KernelsReadEveryMacro) {
  for (const StencilJob& job : {real_job("box", 3, 3), real_job("box", 8, 2), real_job("star", 8, 3)})
    for (const Configuration& configuration : testing::sample_of(space_of(job), 20, 5)) {
      const CompileRequest request = plan_split(job, configuration, EmbeddedSources())->compile;
      for (const auto& [name, value] : request.defines)
        ASSERT_NE(request.source.text.find("#ifndef " + name + "\n"), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace tune::kernels::split_tests
