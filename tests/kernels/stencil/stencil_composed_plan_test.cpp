// SPDX-License-Identifier: Apache-2.0
// The variant `composed` through the emulator against the steps one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"

namespace tune::kernels::composed_tests {
namespace {

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::StencilCase;

const std::vector<StencilCase> cases = {{"float", "star", 1, 3, "held", 5, "general"},
                                        {"double", "box", 1, 3, "zero", 5, "general"},
                                        {"float", "star", 2, 2, "zero", 5, "general"},
                                        {"double", "box", 1, 2, "held", 5, "general"}};

/// Random configurations of every case, each at a size with cells far from all faces and at one without.
std::vector<PlannedJob> composed_jobs(std::size_t configurations) {
  std::vector<PlannedJob> all;
  std::uint64_t seed = 1;
  for (const StencilCase& stencil : cases) {
    const auto problem = testing::stencil_problem(stencil);
    const Instance large = testing::stencil_instance(stencil, 512, 512, 512);
    for (const Configuration& configuration :
         testing::sample_of_variant(*problem, large, "composed", configurations, ++seed))
      for (const std::int64_t extent : {33, 3}) {
        const search::Value* loader = configuration.find("loader");
        // The copy engine needs rows of whole 16 bytes.
        const std::int64_t min = loader != nullptr && loader->as_text() == "tma" ? 4 : 1;
        const std::int64_t vector = std::max(configuration["vector"].as_int(), min);
        const Instance small = testing::stencil_instance(stencil, (extent + vector - 1) / vector * vector,
                                                         extent / 2 + 2, extent / 2 + 3);
        const Result<LaunchPlan> plan = problem->plan(small, configuration, EmbeddedSources());
        EXPECT_TRUE(plan) << plan.error().detail;
        if (plan)
          all.push_back({stencil.name() + " " + configuration.to_string(), stencil_job(small), *plan});
      }
  }
  return all;
}

TEST(StencilComposed, IsRight) {
  const std::vector<PlannedJob> all = composed_jobs(3);
  ASSERT_EQ(all.size(), 3 * 2 * cases.size());
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilComposed, MissingRimsAreFound) {
  std::vector<PlannedJob> all = composed_jobs(1);
  for (PlannedJob& one : all)
    std::erase_if(one.plan.launches, [](const PlanStep& step) { return step_name(step) == "stencil_rim"; });
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

// Two steps as one pass of the composed stencil's sums, or of two steps. Five as 2 + 2 + 1: roundings of the
// first ones are spread over many cells by the others, which counts less than their sum.
TEST(StencilComposed, BoundCountsTheRoundingsOfPassesAndRim) {
  StencilJob job =
      testing::small_job(make_stencil("star", 1), {9, 9, 9}, ElementType::f32, Boundary::fixed, 2);
  const double unit = 0x1.0p-24;
  EXPECT_NEAR(composed_tolerance(job, 2, 25).absolute / unit, 25 + 3, 1e-6);
  EXPECT_NEAR(composed_tolerance(job, 2, 4).absolute / unit, 2 * (7 + 3), 1e-6);
  EXPECT_NEAR(step_tolerance(job).absolute / unit, 2 * (7 + 3), 1e-6);
  job.steps = 5;
  EXPECT_LT(composed_tolerance(job, 2, 25).absolute / unit, 2 * (25 + 3) + (7 + 3));
  EXPECT_LT(step_tolerance(job).absolute / unit, 5 * (7 + 3));
  EXPECT_GT(step_tolerance(job).absolute / unit, 4 * (7 + 3));
  StencilJob twice = job;
  for (StencilPoint& point : twice.stencil.points) point.weight *= 2;
  EXPECT_NEAR(composed_tolerance(twice, 2, 25).absolute / composed_tolerance(job, 2, 25).absolute,
              std::pow(2, 5), 1e-3);
}

}  // namespace
}  // namespace tune::kernels::composed_tests
