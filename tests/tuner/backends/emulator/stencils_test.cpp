// SPDX-License-Identifier: Apache-2.0
// Every variant of the stencil family is right, whatever the stencil: all shapes with both boundaries, both
// types and several steps, in two and three dimensions, at sizes that are no multiples of anything, smaller
// than the stencil, or a single cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/sampled.hpp"
#include "tests/tuner/backends/emulator/problem_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {
namespace {

using kernels::testing::StencilCase;

struct Checked {
  const Problem* problem = nullptr;
  Instance instance;
  Configuration configuration;
};

/// The extents are those of the kernels' axes: in two dimensions the array is nx x nz.
Instance sized(const Checked& checked, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  Instance instance = checked.instance;
  // Rows of an unpadded array are whole vectors, and for the copy engine whole pieces of 16 bytes.
  const search::Value* padded = checked.configuration.find("padded");
  const bool aligned = padded == nullptr || padded->as_bool();
  const search::Value* loader = checked.configuration.find("loader");
  const bool boxes = loader != nullptr && loader->as_text() == "tma";
  const std::int64_t vector = aligned ? 1 : boxes ? 4 : checked.configuration["vector"].as_int();
  nx = (nx + vector - 1) / vector * vector;
  if (instance.extents.size() == 2)
    instance.extents = {{"nx", nx}, {"ny", nz}};
  else
    instance.extents = {{"nx", nx}, {"ny", ny}, {"nz", nz}};
  return instance;
}

/// What the problem itself checks, and what is smaller than the stencil.
std::vector<Instance> sizes_of(const Checked& checked) {
  const std::int64_t r = std::max<std::int64_t>(1, checked.instance.setting("radius").as_int());
  std::vector<Instance> sizes =
      testing::small_sizes(*checked.problem, {checked.instance, checked.configuration}, 20'000);
  sizes.push_back(sized(checked, 1, 1, 1));
  sizes.push_back(sized(checked, r, 2 * r + 1, r + 1));
  sizes.push_back(sized(checked, 2 * r + 3, r, 2 * r));
  sizes.push_back(sized(checked, 37, 13, 11));
  return sizes;
}

void expect_clean(std::vector<Checked> every) {
  const std::vector<Checked> all = tune::testing::sampled(
      std::move(every), [](const Checked& one) { return one.configuration["variant"].to_string(); });
  const kernels::EmbeddedSources sources;
  std::map<const Problem*, ProblemJobs> jobs;
  std::size_t too_large = 0;  // grids whose threads wait for each other: the emulator has room for 32,768
  for (const Checked& checked : all) jobs.try_emplace(checked.problem, *checked.problem, sources);
  check(
      all.size(),
      [&](std::size_t number) {
        return jobs.at(all[number].problem).job(all[number].configuration, sizes_of(all[number]));
      },
      CheckOptions{},
      [&](std::size_t number, const CheckVerdict& verdict) {
        const Checked& checked = all[number];
        SCOPED_TRACE(checked.instance.problem + " " + checked.instance.settings_key() + " [" +
                     checked.configuration.to_string() + "]");
        if (verdict.not_emulated.starts_with("a cooperative launch of "))
          ++too_large;
        else
          EXPECT_EQ(verdict.not_emulated, "");
        for (const Finding& finding : verdict.findings) ADD_FAILURE() << finding.text();
        return true;
      });
  EXPECT_LE(too_large * 4, all.size());
}

class StencilsInTheEmulator : public ::testing::Test {
 protected:
  /// `count` configurations of every variant.
  void add(const Problem& problem, const Instance& instance, std::size_t count) {
    for (Configuration& configuration :
         kernels::testing::sample_of_variants(problem, instance, count, ++seed_))
      checked_.push_back({&problem, instance, std::move(configuration)});
  }
  void add(const StencilCase& stencil, std::size_t count) {
    add(stencil.dimensions == 2 ? *flat_ : *cubic_,
        kernels::testing::stencil_instance(stencil, 512, 512, 512), count);
  }

  std::unique_ptr<Problem> flat_ = kernels::make_stencil2d(), cubic_ = kernels::make_stencil3d();
  std::vector<Checked> checked_;
  std::uint64_t seed_ = 0;
};

TEST_F(StencilsInTheEmulator, AreRightForEveryShapeBoundaryAndType) {
  int number = 0, shapes = 0;
  for (const int dimensions : {2, 3})
    for (const kernels::StencilShape& shape : kernels::stencil_shapes()) {
      if (dimensions == 2 ? !shape.in_2d : !shape.in_3d) continue;
      // Every shape with either boundary and either type; all four pairs of the two in the shapes together.
      ++shapes;
      for (const char* boundary : {"held", "zero"}) {
        ++number;
        const char* const type = (number + shapes) % 2 == 0 ? "float" : "double";
        const int radius = shape.radius > 0 ? shape.radius : 1 + number % 4;
        add({type, std::string(shape.name), radius, dimensions, boundary, 1 + number % 3,
             number % 5 == 0 ? "symmetric" : "general"},
            1);
      }
    }
  EXPECT_GT(checked_.size(), 65u);
  expect_clean(checked_);
}

TEST_F(StencilsInTheEmulator, AreRightForLargeStencils) {
  // Each form and number of dimensions with either boundary.
  add({"float", "star", 32, 3, "held", 2}, 1);
  add({"float", "box", 4, 3, "zero", 1}, 1);
  add({"double", "star", 17, 2, "zero", 2}, 1);
  add({"float", "box", 11, 2, "held", 2}, 1);
  expect_clean(checked_);
}

// Points on one side only, without the cell itself, along one axis or off all axes.
TEST_F(StencilsInTheEmulator, AreRightForStencilsOfAnyForm) {
  const kernels::OwnStencil own[] = {
      {"upwind", {3, {{0, 0, -1, 0.125}, {0, -2, 0, 0.25}, {-3, 0, 0, 0.375}, {0, 0, 0, 0.25}}}},
      {"hollow", {3, {{0, 0, -1, 0.5}, {0, -1, 0, -0.25}, {-1, 0, 0, 0.125}, {1, 0, 0, -0.0625}}}},
      {"along_x", {3, {{-5, 0, 0, 0.5}, {2, 0, 0, 0.25}}}},
      {"along_y", {3, {{0, -1, 0, 0.5}, {0, 3, 0, 0.25}}}},
      {"along_z", {3, {{0, 0, -1, 0.5}, {0, 0, 2, 0.25}}}},
      {"itself", {3, {{0, 0, 0, 0.75}}}},
      {"corners", {3, {{-1, -1, -2, 0.5}, {2, 1, 1, 0.25}}}},
      {"plane", {3, {{-1, -1, 0, 0.5}, {2, 1, 0, 0.25}}}},
      {"wall", {3, {{0, -1, -1, 0.5}, {0, 2, 1, 0.25}}}},
      {"diagonal", {2, {{-1, -1, 0, 0.5}, {2, 3, 0, 0.25}}}},
      {"row", {2, {{-2, 0, 0, 0.5}, {1, 0, 0, 0.25}}}},
      {"column", {2, {{0, -2, 0, 0.5}, {0, 1, 0, 0.25}}}},
  };
  std::vector<std::unique_ptr<Problem>> problems;
  for (const kernels::OwnStencil& stencil : own)
    for (const char* boundary : {"held", "zero"}) {
      problems.push_back(
          kernels::make_stencil_problem({stencil.shape, kernels::normalized(stencil.stencil)}));
      const StencilCase settings{
          "float", stencil.shape, stencil.stencil.radius(), stencil.stencil.dimensions, boundary, 2};
      add(*problems.back(), kernels::testing::stencil_instance(settings, 512, 512, 512), 1);
    }
  expect_clean(checked_);
}

}  // namespace
}  // namespace tune::emulator
