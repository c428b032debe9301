// SPDX-License-Identifier: Apache-2.0
// Properties of the geometry over random valid configurations and sizes.
#include "kernels/stencil/plan/geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/random.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using search::Random;

/// A configuration at a size, with what the problem made of it.
struct LaidOut {
  Instance instance;
  StencilJob job;
  Configuration configuration;
  LaunchPlan plan;

  /// 1 for the y axis of two dimensions, which has no parameters.
  std::int64_t value(const char* name) const {
    return configuration.has(name) ? configuration[name].as_int() : 1;
  }
  std::unique_ptr<Problem> problem() const {
    return job.dimensions == 2 ? make_stencil2d() : make_stencil3d();
  }
  bool direct() const { return configuration["variant"].as_text() == "direct"; }
  bool padded() const { return configuration["padded"].as_bool(); }
  // The same for all buffers, which one test checks.
  const Layout& layout() const { return plan.buffers.at(0).layout; }
  const Launch& launch() const { return std::get<Launch>(plan.launches.at(0)); }
  std::int64_t stride(std::size_t axis) const { return static_cast<std::int64_t>(layout().strides.at(axis)); }

  // Cells that a block computes along each axis, from the parameters alone.
  std::int64_t tile_x() const { return value("block_x") * value("vector"); }
  std::int64_t tile_y() const { return value("block_y") * value("cells_y"); }
  std::int64_t tile_z() const { return direct() ? value("block_z") * value("cells_z") : value("chunk"); }
  /// The x neighbours in whole vectors.
  std::int64_t aligned_halo() const {
    std::int64_t cells = 0;
    while (cells < job.stencil.radii()[0]) cells += value("vector");
    return cells;
  }
};

class StencilGeometryTest : public ::testing::Test {
 protected:
  /// Calls `check` with configurations at random sizes of at most `max` along each axis: `trials` sizes with
  /// --long, a fifth of them by default.
  template<class Check>
  void for_random(std::size_t trials, std::uint64_t max, std::uint64_t seed, const Check& check) {
    Random random(seed);
    auto cases = testing::all_cases();
    for (const testing::StencilCase& stencil : testing::varied_cases()) cases.push_back(stencil);
    for (std::size_t trial = 0; trial < tune::testing::sampled_count(trials); ++trial) {
      const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(max)); };
      const std::int64_t nx = extent(), ny = extent(), nz = extent();
      const testing::StencilCase& stencil = cases[random.below(cases.size())];
      const auto problem = testing::stencil_problem(stencil);
      const Instance instance = testing::stencil_instance(stencil, nx, ny, nz);
      const search::SearchSpace space =
          testing::stencil_space_on(*problem, instance, "sm_90", testing::sweeps_only);
      // Building the space costs more than anything that is checked.
      for (const Configuration& configuration : testing::sample_of(space, 40, random.below(1 << 20))) {
        SCOPED_TRACE(instance.key() + ": " + configuration.to_string());
        const Result<LaunchPlan> plan = problem->plan(instance, configuration, sources_);
        ASSERT_TRUE(plan) << plan.error().detail;
        check(LaidOut{instance, stencil_job(instance), configuration, *plan});
        if (HasFatalFailure()) return;
      }
    }
  }

  EmbeddedSources sources_;
};

TEST_F(StencilGeometryTest, GivesEveryCellItsOwnPlaceInTheAllocation) {
  for_random(40, 700, 1, [](const LaidOut& at) {
    ASSERT_EQ(at.plan.buffers.size(), at.job.steps == 1 ? 2u : 3u);
    for (const BufferSpec& buffer : at.plan.buffers) ASSERT_EQ(buffer.layout, at.layout());
    ASSERT_EQ(at.layout().extents, at.job.extents());
    ASSERT_EQ(at.stride(0), 1);
    ASSERT_GE(at.stride(1), at.job.nx);
    ASSERT_GE(at.stride(2), at.stride(1) * at.job.ny);
    const std::int64_t last = at.job.nx - 1 + (at.job.ny - 1) * at.stride(1) + (at.job.nz - 1) * at.stride(2);
    ASSERT_LT(at.layout().offset + static_cast<std::uint64_t>(last), at.layout().allocation);
    if (!at.padded()) {
      ASSERT_TRUE(at.layout().is_dense());
    }
  });
}

TEST_F(StencilGeometryTest, AlignsVectors) {
  for_random(40, 700, 2, [](const LaidOut& at) {
    const std::int64_t access = std::min<std::int64_t>(16, at.value("vector") * at.job.element_bytes());
    ASSERT_EQ(at.layout().offset * element_size(at.job.type) % 256, 0u);
    ASSERT_EQ(at.stride(1) * at.job.element_bytes() % access, 0);
    ASSERT_EQ(at.stride(2) * at.job.element_bytes() % access, 0);
    if (at.padded()) {
      ASSERT_EQ(at.stride(1) % 32, 0);
    }
  });
}

// Each block decodes its number as the kernels do; each thread computes whole vectors of whole rows.
TEST_F(StencilGeometryTest, GridCoversEveryCellOnce) {
  for_random(25, 90, 3, [](const LaidOut& at) {
    const Launch& launch = at.launch();
    ASSERT_EQ(launch.block, (Dim3{static_cast<std::uint32_t>(at.value("block_x")),
                                  static_cast<std::uint32_t>(at.value("block_y")),
                                  static_cast<std::uint32_t>(at.direct() ? at.value("block_z") : 1)}));
    ASSERT_EQ(launch.grid.y, 1u);
    ASSERT_EQ(launch.grid.z, 1u);
    const std::int64_t tiles_x = (at.job.nx + at.tile_x() - 1) / at.tile_x();
    const std::int64_t tiles_y = (at.job.ny + at.tile_y() - 1) / at.tile_y();
    std::vector<int> computed(static_cast<std::size_t>(at.job.nx * at.job.ny * at.job.nz));
    for (std::int64_t block = 0; block < launch.grid.x; ++block) {
      const std::int64_t x0 = block % tiles_x * at.tile_x();
      const std::int64_t y0 = block / tiles_x % tiles_y * at.tile_y();
      const std::int64_t z0 = block / tiles_x / tiles_y * at.tile_z();
      ASSERT_LT(z0, at.job.nz) << "a block without work";
      for (std::int64_t z = z0; z < std::min(at.job.nz, z0 + at.tile_z()); ++z)
        for (std::int64_t y = y0; y < std::min(at.job.ny, y0 + at.tile_y()); ++y)
          for (std::int64_t x = x0; x < std::min(at.job.nx, x0 + at.tile_x()); ++x)
            ++computed[static_cast<std::size_t>((z * at.job.ny + y) * at.job.nx + x)];
    }
    ASSERT_EQ(std::ranges::count(computed, 1), std::ssize(computed));
  });
}

// A padded kernel guards nothing: all threads of all tiles load all their neighbours, and store.
TEST_F(StencilGeometryTest, HoldsEveryAddressThatAPaddedKernelTouches) {
  for_random(50, 700, 4, [](const LaidOut& at) {
    if (!at.padded()) return;
    const auto covered = [](std::int64_t extent, std::int64_t tile) {
      std::int64_t cells = 0;
      while (cells < extent) cells += tile;
      return cells;
    };
    const std::int64_t x = covered(at.job.nx, at.tile_x()), y = covered(at.job.ny, at.tile_y());
    // The streaming kernel ends at the last plane, the direct one at the tile's.
    const std::int64_t z = at.direct() ? covered(at.job.nz, at.tile_z()) : at.job.nz;
    const auto [rx, ry, rz] = at.job.stencil.radii();
    ASSERT_GE(at.aligned_halo(), rx);
    const auto address = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<std::int64_t>(at.layout().offset) + i + j * at.stride(1) + k * at.stride(2);
    };
    ASSERT_GE(address(-at.aligned_halo(), -ry, -rz), 0);
    ASSERT_LT(address(x + at.aligned_halo() - 1, y + ry - 1, z + rz - 1),
              static_cast<std::int64_t>(at.layout().allocation));
    // What is stored beside the array is nobody else's cell.
    ASSERT_LE(x, at.stride(1));
    ASSERT_LE(y * at.stride(1), at.stride(2));
  });
}

TEST_F(StencilGeometryTest, SharedMemoryIsWhatTheConstraintSays) {
  constexpr const char* reason = "the planes do not fit the shared memory of a block";
  for_random(10, 700, 5, [&](const LaidOut& at) {
    const std::uint64_t shared = at.launch().dynamic_shared_memory;
    if (at.direct() || at.configuration["loader"].as_text() == "cache") {
      ASSERT_EQ(shared, 0u);
      return;
    }
    std::int64_t plane = (at.tile_x() + 2 * at.aligned_halo()) *
                         (at.tile_y() + 2 * at.job.stencil.radii()[1]) * at.job.element_bytes();
    // Boxes begin at multiples of 128 bytes, and each has a barrier of 8.
    if (takes_boxes(at.configuration)) plane = (plane + 127) / 128 * 128 + 8;
    ASSERT_EQ(shared, static_cast<std::uint64_t>(at.value("stages") * plane));
    const DeviceProperties device = architecture_properties("sm_90");
    ASSERT_LE(shared, static_cast<std::uint64_t>(device.shared_memory_per_block_optin));

    const search::SpaceDefinition definition = at.problem()->space(at.instance, device);
    const auto rule = std::ranges::find(definition.constraints, reason, &search::Constraint::reason);
    ASSERT_NE(rule, definition.constraints.end());
    // `not this variant or demand <= limit`
    ASSERT_EQ(rule->rule.op(), search::Expr::Op::logical_or);
    const search::Expr& fits = rule->rule.operands().at(1);
    ASSERT_EQ(fits.op(), search::Expr::Op::less_equal);
    const Value demand = fits.operands().at(0).evaluate([&](std::string_view name) -> const Value* {
      const auto constant = definition.constants.find(name);
      return constant != definition.constants.end() ? &constant->second : at.configuration.find(name);
    });
    ASSERT_EQ(static_cast<std::uint64_t>(demand.as_int()), shared);
  });
}

// Steps alternate between the output and a scratch buffer, so that the last one writes the output.
TEST_F(StencilGeometryTest, PassesTheBuffersAndTheLayoutToEveryStep) {
  for_random(20, 700, 6, [](const LaidOut& at) {
    ASSERT_EQ(std::ssize(at.plan.launches), at.job.steps);
    std::string source = "in";
    for (const Launch* step : kernel_launches(at.plan)) {
      const Launch& launch = *step;
      const std::vector<KernelArgument>& arguments = launch.arguments;
      ASSERT_EQ(launch.grid, at.launch().grid);
      ASSERT_EQ(arguments.size(), 7u);
      const auto* const map = std::get_if<TensorMapArgument>(&arguments[0]);
      ASSERT_EQ(map != nullptr, takes_boxes(at.configuration));
      const std::string read = map != nullptr ? map->buffer : std::get<BufferArgument>(arguments[0]).buffer;
      ASSERT_EQ(read, source);
      source = std::get<BufferArgument>(arguments[1]).buffer;
      ASSERT_NE(source, "in");
      ASSERT_NE(source, read);
      const auto scalar = [&](std::size_t i) { return std::get<ScalarArgument>(arguments[i]); };
      ASSERT_EQ(std::get<std::int32_t>(scalar(2)), at.job.nx);
      ASSERT_EQ(std::get<std::int32_t>(scalar(3)), at.job.ny);
      ASSERT_EQ(std::get<std::int32_t>(scalar(4)), at.job.nz);
      ASSERT_EQ(std::get<std::int64_t>(scalar(5)), at.stride(1));
      ASSERT_EQ(std::get<std::int64_t>(scalar(6)), at.stride(2));
    }
    ASSERT_EQ(source, "out");
  });
}

std::vector<std::pair<std::string, Value>> without_steps(Instance instance) {
  std::erase_if(instance.settings, [](const auto& setting) { return setting.first == "steps"; });
  return instance.settings;
}

TEST_F(StencilGeometryTest, PlansEveryCheckInstanceWithTheSameCode) {
  std::map<std::string, search::SearchSpace> spaces;  // of the checks: a few sizes a kind of stencil
  for_random(25, 700, 7, [&](const LaidOut& at) {
    const auto problem = at.problem();
    const std::vector<Instance> checks = problem->check_instances(at.instance, at.configuration);
    ASSERT_GE(checks.size(), 2u);
    bool inner = false;
    for (const Instance& check : checks) {
      ASSERT_EQ(without_steps(check), without_steps(at.instance));
      const StencilJob job = stencil_job(check);
      ASSERT_EQ(job.steps > 1, at.job.steps > 1);
      const auto [rx, ry, rz] = job.stencil.radii();
      inner |= job.nx > 2 * rx && job.ny > 2 * ry && job.nz > 2 * rz;
      const std::string key = check.problem + check.key();
      auto space_at = spaces.find(key);
      if (space_at == spaces.end())
        space_at = spaces.emplace(key, testing::stencil_space_on(*problem, check, "sm_90")).first;
      const search::SearchSpace& space = space_at->second;
      ASSERT_TRUE(space.find(at.configuration)) << check.key() << ": " << space.explain(at.configuration);
      const Result<LaunchPlan> plan = problem->plan(check, at.configuration, sources_);
      ASSERT_TRUE(plan) << check.key() << ": " << plan.error().detail;
      // Else what is checked would not be what is measured.
      ASSERT_EQ(content_of(plan->compile), content_of(at.plan.compile));
    }
    ASSERT_TRUE(inner) << "no check has an inner cell";
  });
}

}  // namespace
}  // namespace tune::kernels
