// SPDX-License-Identifier: Apache-2.0
// Sizes at the limits of 31-bit indices: a plan is sound, or there is a failure that says why.
#include <gtest/gtest.h>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/job.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/sampled.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t largest = 2147483647;

// Beyond 63 bits, in which the code under test computes.
__extension__ using Wide = __int128;

Wide tiles(std::int64_t extent, std::int64_t tile) {
  return (Wide{extent} + tile - 1) / tile;
}

std::int64_t tile_of(const Configuration& configuration, std::size_t axis) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  if (axis == 0) return value("block_x") * value("vector");
  if (axis == 1) return value("block_y") * value("cells_y");
  return configuration["variant"].as_text() == "direct" ? value("block_z") * value("cells_z")
                                                        : value("chunk");
}

void expect_sound(const LaunchPlan& plan, const StencilJob& job, const Configuration& configuration) {
  const Layout& layout = plan.buffers.at(0).layout;
  const std::int64_t extents[] = {job.nx, job.ny, job.nz};
  Wide blocks = 1;
  Wide strides[] = {1, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t tile = tile_of(configuration, axis);
    blocks *= tiles(extents[axis], tile);
    // The kernels add a tile, the reach and a vector to an index.
    ASSERT_LE(Wide{extents[axis]} + tile + job.stencil.radii()[axis] + 4, Wide{largest});
    Wide covered = extents[axis];
    if (configuration["padded"].as_bool()) covered = tiles(extents[axis], tile) * tile;
    if (configuration["padded"].as_bool() && axis == 0) covered = (covered + 31) / 32 * 32;
    if (axis < 2) strides[axis + 1] = strides[axis] * covered;
    ASSERT_EQ(Wide{layout.strides[axis]}, strides[axis]);
  }
  ASSERT_EQ(Wide{std::get<Launch>(plan.launches.at(0)).grid.x}, blocks);
  ASSERT_LE(blocks, Wide{largest});
  ASSERT_LE(Wide{layout.strides[1]}, Wide{largest}) << "the kernels keep the pitch in 32 bits";
  ASSERT_GE(Wide{layout.allocation}, Wide{layout.offset} + strides[2] * job.nz);
  ASSERT_EQ(Wide{plan.memory()}, 2 * Wide{layout.allocation} * job.element_bytes());
}

class StencilOverflow : public ::testing::Test {
 protected:
  struct Count {
    int plans = 0, failures = 0;
  };

  Count plan_all(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    Count count;
    for (const int radius : {1, 8})
      for (const testing::StencilCase& stencil : testing::cases_of_radius(radius)) {
        const Instance instance = testing::stencil_instance(stencil, nx, ny, nz);
        const search::SearchSpace space =
            testing::stencil_space_on(*problem_, instance, "sm_90", testing::sweeps_only);
        for (const Configuration& configuration :
             testing::sample_of(space, tune::testing::sampled_count(1000), 1)) {
          SCOPED_TRACE(instance.key() + ": " + configuration.to_string());
          const Result<LaunchPlan> plan = problem_->plan(instance, configuration, sources_);
          ++(plan ? count.plans : count.failures);
          if (plan) {
            expect_sound(*plan, stencil_job(instance), configuration);
            if (HasFatalFailure()) return count;
          } else {
            EXPECT_EQ(plan.error().phase, Phase::constraint);
            EXPECT_FALSE(plan.error().detail.empty());
          }
        }
      }
    return count;
  }

  std::unique_ptr<Problem> problem_ = make_stencil3d();
  EmbeddedSources sources_;
};

TEST_F(StencilOverflow, NoPlanWhereAnIndexLeaves31Bits) {
  EXPECT_EQ(plan_all(largest, 1, 1).plans, 0);
  EXPECT_EQ(plan_all(1, largest, 1).plans, 0);
  EXPECT_EQ(plan_all(1, 1, largest).plans, 0);
  EXPECT_EQ(plan_all(largest - 64, 1, 1).plans, 0);
  EXPECT_EQ(plan_all(largest, largest, largest).plans, 0);
}

TEST_F(StencilOverflow, NoPlanWhereTheGridLeaves31Bits) {
  EXPECT_EQ(plan_all(1000000, 1000000, 1000000).plans, 0);
}

TEST_F(StencilOverflow, PlansOfArraysBeyond32BitsAreSound) {
  EXPECT_GT(plan_all(2000, 2000, 2000).plans, 0);
  EXPECT_GT(plan_all(46341, 46341, 8).plans, 0);  // a plane of more than 2^31 cells
  EXPECT_GT(plan_all(46341, 46341, 46341).failures, 0);
  EXPECT_GT(plan_all(65536, 65536, 65536).failures, 0);
  EXPECT_GT(plan_all(2000000000, 1, 1).plans, 0);
  EXPECT_GT(plan_all(3, 2000000000, 3).plans, 0);
  EXPECT_GT(plan_all(3, 3, 2000000000).plans, 0);
}

}  // namespace
}  // namespace tune::kernels
