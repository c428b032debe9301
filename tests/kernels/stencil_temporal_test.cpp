// SPDX-License-Identifier: Apache-2.0
// `temporal` with the planes of all tiles divided evenly among the blocks, through the emulator against the
// steps one by one, right and with planted faults.
#include <gtest/gtest.h>

#include "kernels/sources.hpp"
#include "kernels/stencil/shapes.hpp"
#include "kernels/stencil/temporal.hpp"
#include "tests/kernels/emulated_plans.hpp"

namespace tune::kernels {
namespace {

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

struct Choice {
  int shares, fused, cells_x, cells_y, threads, vector, ahead = 1, unroll = 1;
};

PlannedJob planned(const StencilJob& job, const Choice& choice,
                   const KernelSources& sources = EmbeddedSources()) {
  Configuration made{{"variant", "temporal"},
                     {"fused", choice.fused},
                     {"vector", choice.vector},
                     {"cells_x", choice.cells_x},
                     {"threads", choice.threads},
                     {"ahead", choice.ahead},
                     {"shares", choice.shares},
                     {"unroll", choice.unroll},
                     {"padded", job.nx % choice.vector != 0},
                     {"store", "plain"},
                     {"min_blocks", 1}};
  if (job.dimensions == 3) made.set("cells_y", choice.cells_y);
  const auto name = std::to_string(job.nx) + "x" + std::to_string(job.ny) + "x" + std::to_string(job.nz) +
                    (job.boundary == Boundary::held ? " held " : " zero ") + made.to_string();
  return {name, job, *plan_temporal(job, made, sources)};
}

std::vector<std::uint32_t> blocks_of(const PlannedJob& one) {
  std::vector<std::uint32_t> blocks;
  for (const PlanStep& step : one.plan.launches) blocks.push_back(std::get<Launch>(step).grid.x);
  return blocks;
}

const Choice in_3d = {5, 2, 1, 2, 128, 1};
const Choice in_2d = {3, 2, 2, 1, 64, 2, 2, 2};

StencilJob job_3d(Boundary boundary) {
  return small_job(make_stencil("star", 1), {61, 13, 23}, ElementType::f64, boundary, 5);
}

TEST(StencilTemporal, SharesAreRight) {
  std::vector<PlannedJob> all;
  for (const Boundary boundary : {Boundary::held, Boundary::zero}) {
    for (const int shares : {1, 2, 3, 5, 7}) {
      Choice choice = in_3d;
      choice.shares = shares;
      all.push_back(planned(job_3d(boundary), choice));
      all.push_back(
          planned(small_job(make_stencil("box", 1), {37, 17, 19}, ElementType::f32, boundary, 3), choice));
      choice = in_2d;
      choice.shares = shares;
      all.push_back(planned(
          small_job(make_stencil("star", 2, 2), {150, 1, 90}, ElementType::f64, boundary, 5), choice));
    }
    for (const std::array<std::int64_t, 3>& size :
         std::vector<std::array<std::int64_t, 3>>{{5, 3, 2}, {1, 1, 7}, {70, 1, 1}, {1, 1, 1}})
      all.push_back(planned(small_job(make_stencil("star", 1), size, ElementType::f32, boundary, 5), in_3d));
  }
  const std::vector<emulator::Verdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << all[i].name;
}

// Tiles of 32 x 8 cells of which two steps spoil two on either side: 3 x 3 columns of 23 planes, at least 16
// a share. The last launch is of one step: 2 x 2 columns.
TEST(StencilTemporal, SmallArraysHaveFewerShares) {
  EXPECT_EQ(blocks_of(planned(job_3d(Boundary::held), in_3d)), (std::vector<std::uint32_t>{5, 5, 5}));
  Choice many = in_3d;
  many.shares = 132;
  EXPECT_EQ(blocks_of(planned(job_3d(Boundary::held), many)), (std::vector<std::uint32_t>{12, 12, 5}));
}

/// The program's sources with one place changed.
class Changed : public KernelSources {
 public:
  Changed(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}

  std::string text(std::string_view name) const override {
    std::string text = EmbeddedSources().text(name);
    if (name != "stencil/temporal_levels.cuh") return text;
    const std::size_t at = text.find(from_);
    if (at == std::string::npos) throw std::runtime_error(from_ + " is not there");
    return text.replace(at, from_.size(), to_);
  }

 private:
  std::string from_, to_;
};

TEST(StencilTemporal, WrongSharesAreFound) {
  const std::vector<std::pair<const char*, const char*>> faults = {
      {"from += end - begin;", "from += end - begin + 1;"},
      {"all * (unit + 1) / units", "all * (unit + 1) / units - 1"},
      {"from = all * unit / units", "from = all * unit / units + 1"},
      {"static_cast<unsigned>(from / nz)", "0u"}};
  std::vector<PlannedJob> all;
  for (const auto& [from, to] : faults) {
    all.push_back(planned(job_3d(Boundary::zero), in_3d, Changed(from, to)));
    all.back().name = from;
  }
  const std::vector<emulator::Verdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

}  // namespace
}  // namespace tune::kernels
