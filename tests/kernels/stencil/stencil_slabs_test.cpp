// SPDX-License-Identifier: Apache-2.0
// Stencils over several GPUs: every variant on slabs through the emulator against the steps one by one, each
// way of exchanging ghost planes, and the order of the steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/stencil/plan/slabs.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tuner/base/error.hpp"
#include "tuner/plan/step_order.hpp"
#include "tuner/plan/tensor_part.hpp"

namespace tune::kernels::slab_tests {
namespace {

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::StencilCase;

struct Exchange {
  std::int64_t gpus = 2, every = 1, steps = 5;
  const char* by = "copy";
  bool overlap = false;
};

Instance instance_of(StencilCase stencil, std::array<std::int64_t, 3> extents, const Exchange& exchange) {
  stencil.steps = exchange.steps;
  Instance instance = testing::stencil_instance(stencil, extents[0], extents[1], extents[2]);
  instance.settings.emplace_back("gpus", exchange.gpus);
  return instance;
}

/// The first valid configuration of a random order, exchanging as asked.
PlannedJob planned(const StencilCase& stencil, std::array<std::int64_t, 3> extents, const std::string& where,
                   const Exchange& exchange) {
  const auto problem = testing::stencil_problem(stencil);
  const Instance instance = instance_of(stencil, extents, exchange);
  Configuration made =
      testing::sample_of(testing::stencil_space_on(*problem, instance, "sm_90", where), 1, 7).at(0);
  made.set("exchange_every", exchange.every);
  made.set("exchange", exchange.by);
  if (std::string(exchange.by) != "host") made.set("overlap", exchange.overlap);
  const Result<LaunchPlan> plan = problem->plan(instance, made, EmbeddedSources());
  const std::string name = instance.key() + " " + made.to_string();
  if (!plan) {
    ADD_FAILURE() << name << ": " << plan.error().detail;
    return {};
  }
  return {name, stencil_job(instance), *plan};
}

constexpr const char* direct =
    "variant == 'direct' and block_x == 16 and block_y == 4 and vector == 2 and padded";

/// Jobs of one configuration of `direct`: their code is compiled once.
std::vector<PlannedJob> exchanges(const StencilCase& stencil, std::array<std::int64_t, 3> extents) {
  std::vector<PlannedJob> all;
  for (const Exchange& exchange : {Exchange{2, 1, 5}, Exchange{2, 2, 7}, Exchange{3, 3, 8},
                                   Exchange{3, 1, 4, "host"}, Exchange{2, 2, 6, "host"}, Exchange{2, 4, 3}})
    all.push_back(planned(stencil, extents, direct, exchange));
  return all;
}

/// Slabs whose passes are split, and one that is too thin for that.
std::vector<PlannedJob> overlapping() {
  const std::string bricks =
      "variant == 'direct' and block_x == 16 and block_y == 4 and vector == 2 and not padded and cells_z <= 2";
  std::vector<PlannedJob> all;
  for (const Exchange& exchange : {Exchange{2, 1, 5, "copy", true}, Exchange{3, 1, 4, "kernel", true}})
    all.push_back(planned({"float", "star", 1}, {36, 9, 41}, bricks, exchange));
  all.push_back(planned({"float", "star", 2, 3, "zero"}, {36, 9, 77},
                        "variant == 'streaming' and loader == 'async' and block_x == 16 and block_y == 4 and "
                        "chunk == 16 and not padded",
                        {3, 1, 5, "copy", true}));
  all.push_back(
      planned({"double", "star", 1}, {44, 21, 61},
              "variant == 'temporal' and fused == 3 and threads <= 96 and chunk == 16 and not padded",
              {2, 1, 11, "kernel", true}));
  all.push_back(
      planned({"double", "box", 2}, {34, 7, 33},
              "variant == 'split' and parts == 2 and block_x == 16 and block_y == 2 and cells_z == 1 "
              "and not padded",
              {2, 1, 3, "copy", true}));
  all.push_back(planned({"float", "star", 4}, {36, 9, 27}, bricks, {3, 1, 4, "copy", true}));
  return all;
}

std::vector<PlannedJob> all_jobs() {
  std::vector<PlannedJob> all = exchanges({"float", "star", 1}, {37, 9, 29});
  const auto add = [&](const StencilCase& stencil, std::array<std::int64_t, 3> extents, const char* where,
                       const Exchange& exchange) {
    all.push_back(planned(stencil, extents, where, exchange));
  };
  add({"double", "box", 2, 3, "zero"}, {34, 7, 26},
      "variant == 'direct' and block_x == 16 and block_y == 2 and vector == 2 and not padded",
      {3, 2, 5, "kernel"});
  add({"float", "star", 4, 2, "zero"}, {53, 1, 41},
      "variant == 'direct' and block_x == 32 and vector == 1 and block_z <= 2", {2, 3, 8, "kernel"});
  add({"float", "star", 2}, {37, 9, 29},
      "variant == 'streaming' and loader == 'tma' and block_x == 16 and block_y == 4 and chunk == 16",
      {2, 2, 5});
  add({"float", "star", 1}, {45, 21, 29},
      "variant == 'temporal' and fused == 3 and threads <= 96 and chunk == 16", {2, 2, 11});
  add({"double", "star", 1, 2}, {45, 1, 31},
      "variant == 'composed' and fused == 2 and sweep == 'direct' and block_x == 64 and block_z == 1",
      {2, 2, 7});
  add({"float", "star", 1, 2, "zero"}, {45, 1, 31},
      "variant == 'persistent' and kept == 'l2' and block_x == 32 and blocks <= 66", {3, 3, 7, "kernel"});
  add({"double", "box", 2}, {34, 7, 25},
      "variant == 'split' and parts == 2 and block_x == 16 and block_y == 2 and cells_z == 1", {2, 2, 4});
  for (PlannedJob& one : overlapping()) all.push_back(std::move(one));
  return all;
}

TEST(StencilSlabs, AreRight) {
  const std::vector<PlannedJob> all = all_jobs();
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilSlabs, WrongExchangesAreFound) {
  std::vector<PlannedJob> all;
  const auto add = [&](const char* fault) -> Copy& {
    all.push_back(planned({"float", "star", 1}, {37, 9, 29}, direct, {2, 2, 7}));
    all.back().name = fault;
    const auto is_copy = [](const PlanStep& step) { return std::holds_alternative<Copy>(step); };
    return std::get<Copy>(*std::ranges::find_if(all.back().plan.launches, is_copy));
  };
  const auto plane = [&] { return all.back().plan.buffers.front().layout.strides[2]; };
  Copy& thin = add("a ghost plane is missing");
  thin.width -= plane();
  Copy& wrong = add("the neighbour's wrong planes");
  wrong.from.offset += plane();
  add("the results begin a plane too late");
  for (BufferSpec& buffer : all.back().plan.buffers)
    if (buffer.name == "out_1") --buffer.part.begin;
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

// Without any one of them, a GPU could read planes that another one still writes, or the other way round.
TEST(StencilSlabs, EveryDependencyBetweenGpusIsNeeded) {
  std::vector<PlannedJob> all = overlapping();
  for (PlannedJob& one : exchanges({"float", "star", 1}, {37, 9, 29})) all.push_back(std::move(one));
  for (const PlannedJob& one : all) {
    check_steps(one.plan);
    EXPECT_TRUE(conflicts(one.plan).empty()) << one.name << ": " << conflicts(one.plan)[0].text(one.plan);
    for (std::size_t step = 0; step < one.plan.launches.size(); ++step)
      for (std::size_t i = 0; i < order_of(one.plan.launches[step]).after.size(); ++i) {
        LaunchPlan less = one.plan;
        std::visit(
            [&](auto& known) { known.order.after.erase(known.order.after.begin() + static_cast<long>(i)); },
            less.launches[step]);
        EXPECT_FALSE(conflicts(less).empty()) << one.name << ", step " << step << ", dependency " << i;
      }
  }
}

TEST(StencilSlabs, SlabsCoverTheArrayAndOverlapByGhostPlanes) {
  StencilJob job =
      testing::small_job(make_stencil("star", 1), {8, 8, 31}, ElementType::f32, Boundary::fixed, 1);
  job.gpus = 4;
  std::int64_t end = 0;
  for (const Slab& slab : slabs_of(job, 3)) {
    EXPECT_EQ(slab.own_begin, end);
    EXPECT_EQ(slab.begin, slab.low_cut() ? end - 3 : 0);
    end = slab.own_end;
    EXPECT_EQ(slab.end, slab.high_cut() ? end + 3 : 31);
  }
  EXPECT_EQ(end, 31);
}

TEST(StencilSlabs, AThinSlabIsRefused) {
  const StencilCase star{"float", "star", 4};
  const auto problem = testing::stencil_problem(star);
  const auto space = [&](std::int64_t nz) {
    return problem->space(instance_of(star, {32, 8, nz}, {3, 1, 1}), architecture_properties("sm_90"));
  };
  space(12);
  try {
    space(11);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("gpus=3: a slab of 3 planes, and the stencil reaches 4"),
              std::string::npos)
        << error.what();
  }
}

TEST(StencilSlabs, PartsOfATensorAreThoseOfTheirPlanes) {
  BufferSpec out{"out_1", ElementType::f32, {{2, 3, 5}, {1, 4, 12}, 7, 100}, BufferRole::output};
  out.part = {"out", 4, 1, 4};
  HostTensor whole(ElementType::f32, {2, 3, 9});
  for (std::size_t i = 0; i < whole.size(); ++i) whole.as<float>()[i] = static_cast<float>(i);
  const TensorView reference = reference_part(out, view_of(whole));
  EXPECT_EQ(reference.extents, (Extents{2, 3, 3}));
  EXPECT_EQ(reference.bytes.data(), whole.bytes().data() + 4 * 6 * 5);
  EXPECT_EQ(filling(out, view_of(whole)).bytes.size(), 4u * 6 * 5);
  EXPECT_EQ(results_layout(out).offset, 19u);
  EXPECT_EQ(in_tensor(out, Comparison{.worst_index = 3}).worst_index, 33u);
  Bounds bounds{.limits_along = {{}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
  EXPECT_EQ(bounds_of_part(out, bounds).limits_along[2], (std::vector<double>{5, 6, 7}));
  out.part.first = 5;
  EXPECT_THROW(filling(out, view_of(whole)), Error);
}

}  // namespace
}  // namespace tune::kernels::slab_tests
