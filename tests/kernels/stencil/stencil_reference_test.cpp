// SPDX-License-Identifier: Apache-2.0
// What a device computes the reference by, where a host takes long: through the emulator against the host's.
#include <gtest/gtest.h>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "tests/kernels/emulated_plans.hpp"

namespace tune::kernels::reference_plans_tests {
namespace {

using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

PlannedJob planned(const Stencil& stencil, std::array<std::int64_t, 3> size, ElementType type,
                   Boundary boundary, std::int64_t steps) {
  StencilJob job = small_job(stencil, size, type, boundary, steps);
  LaunchPlan plan = *plan_stencil_reference(job, EmbeddedSources());
  // Sums of doubles in another order.
  plan.tolerance = Tolerance{1e-14 * static_cast<double>(steps), "rounding of doubles"};
  return {std::to_string(stencil.points.size()) +
              (boundary == Boundary::fixed ? " points held " : " points zero ") + std::to_string(steps),
          std::move(job), std::move(plan)};
}

TEST(StencilReferencePlan, ComputesWhatTheHostComputes) {
  std::vector<PlannedJob> all;
  std::int64_t steps = 1;
  for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (const char* shape : {"star", "box", "flux", "poisson"})
        all.push_back(planned(make_stencil(shape, shape == std::string("poisson") ? 1 : 2), {19, 9, 7}, type,
                              boundary, 1 + steps++ % 3));
      all.push_back(planned(make_stencil("star", 2, 2), {300, 1, 11}, type, boundary, 2));
      all.push_back(planned(make_stencil("box", 3), {5, 3, 2}, type, boundary, 2));  // smaller than the reach
    }
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, emulator::Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilReferencePlan, ServesWhereAHostTakesLong) {
  const auto problem = make_problem("stencil3d");
  const auto long_at = [&](const char* size, const char* steps) {
    const std::vector<std::pair<std::string, Value>> settings = {{"steps", std::int64_t{std::atoi(steps)}}};
    const Instance instance = make_instance(problem->info(), size, settings);
    const bool planned = problem->reference_plan(instance, EmbeddedSources()).has_value();
    EXPECT_EQ(problem->plan_replaces_reference(instance), planned) << size << " " << steps;
    return planned;
  };
  EXPECT_TRUE(long_at("512x512x512", "48"));
  EXPECT_FALSE(long_at("512x512x512", "1"));
  EXPECT_FALSE(long_at("67x37x29", "48"));
}

}  // namespace
}  // namespace tune::kernels::reference_plans_tests
