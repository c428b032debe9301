// SPDX-License-Identifier: Apache-2.0
// The variant `fft` through the emulator against the steps one by one, right and with planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "kernels/stencil/variants/fft/fft.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/support/sampled.hpp"

namespace tune::kernels::fft_tests {
namespace {

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

struct Choice {
  int fused = 1;
  bool smooth = false, in_place = false, tables = false;
  int chunk = 0;  ///< above 0: nothing is transformed along the last axis

  Configuration configuration(const StencilJob& job) const {
    Configuration made{{"variant", "fft"},
                       {"fused", fused},
                       {"last_axis", chunk > 0 ? "convolve" : "transform"},
                       {"transform", smooth ? "smooth" : "exact"}};
    if (chunk > 0) {
      made.set("chunk", chunk);
      return made;
    }
    made.set("in_place", in_place);
    if (job.stencil.star()) made.set("spectrum", tables ? "tables" : "array");
    return made;
  }
  std::string text() const {
    return std::to_string(fused) + " fused" + (smooth ? " smooth" : "") + (in_place ? " in place" : "") +
           (tables ? " tables" : "") + (chunk > 0 ? " chunks of " + std::to_string(chunk) : "");
  }
};

PlannedJob planned(const StencilJob& job, const Choice& choice) {
  const auto name = std::to_string(job.nx) + "x" + std::to_string(job.ny) + "x" + std::to_string(job.nz) +
                    (job.boundary == Boundary::fixed ? " held " : " zero ") + std::to_string(job.steps) +
                    " steps, " + choice.text();
  return {name, job, *plan_fft(job, choice.configuration(job), EmbeddedSources())};
}

void expect_clean(const std::vector<PlannedJob>& all, Flavour flavour) {
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, flavour);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(complaint(verdicts[i]), "") << all[i].job.stencil.points.size() << " points " << all[i].name;
}

/// Weights of both signs, whose absolute values add up to `sum`.
Stencil signed_stencil(const char* shape, int radius, int dimensions, double sum) {
  Stencil stencil = make_stencil(shape, radius, dimensions);
  const double scale = sum / absolute_weight(stencil);
  double sign = 1;
  for (StencilPoint& point : stencil.points) point.weight *= scale * (sign = -sign);
  return stencil;
}

/// All points to one side of the cell, as far as 3, 1 and 2.
Stencil lopsided() {
  return {3, {{0, 0, 0, 0.25}, {3, 0, 0, 0.5}, {1, 1, 0, -0.125}, {2, 0, 2, 0.0625}}};
}

using Sizes = std::vector<std::array<std::int64_t, 3>>;
const Sizes sizes_3d = {{23, 13, 11}, {16, 12, 10}, {5, 3, 2}, {1, 1, 7}, {7, 1, 1}};
const Sizes sizes_2d = {{37, 1, 29}, {32, 1, 15}, {2, 1, 3}, {1, 1, 5}};

/// A stencil at all sizes, with the choices taking turns at the larger ones.
void add_jobs(std::vector<PlannedJob>& all, const Stencil& stencil, ElementType type, Boundary boundary) {
  const bool star = stencil.star();
  const Sizes& sizes = stencil.dimensions == 2 ? sizes_2d : sizes_3d;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const StencilJob job = small_job(stencil, sizes[i], type, boundary, 5);
    all.push_back(planned(job, {2, true, true, star}));
    const bool smooth_rows = all.size() % 2 == 0;
    for (const int fused : {1, 5}) all.push_back(planned(job, {fused, smooth_rows, false, false, 16}));
    if (i > 1) continue;
    all.push_back(planned(job, {1, !smooth_rows, false, false, 4}));
    for (const bool in_place : {false, true})
      for (const bool smooth : {false, true}) {
        const int fused = std::array{1, 2, 3, 5}[all.size() % 4];
        // Two thirds of the stars by tables: neither goes in step with the other choices.
        all.push_back(planned(job, {fused, smooth, in_place, star && all.size() % 3 != 0}));
      }
  }
}

std::vector<PlannedJob> all_jobs(ElementType type) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 1), type, Boundary::fixed);
  add_jobs(all, make_stencil("star", 2), type, Boundary::zero);
  add_jobs(all, make_stencil("box", 1), type, Boundary::zero);
  add_jobs(all, lopsided(), type, Boundary::fixed);
  add_jobs(all, make_stencil("star", 3, 2), type, Boundary::zero);
  add_jobs(all, make_stencil("box", 2, 2), type, Boundary::fixed);
  return all;
}

TEST(StencilFft, IsRightInDouble) {
  expect_clean(all_jobs(ElementType::f64), Flavour::sanitize);
}

TEST(StencilFft, IsRightInFloat) {
  expect_clean(tune::testing::sampled(all_jobs(ElementType::f32)), Flavour::sanitize);
}

TEST(StencilFft, IsRightInAnyOrderOfThreads) {
  std::vector<PlannedJob> all;
  add_jobs(all, make_stencil("star", 1), ElementType::f32, Boundary::zero);
  expect_clean(all, Flavour::plain);
}

// Taps are of whole passes: a size with a part of one would be computed with those of another number of
// steps.
TEST(StencilFft, IsCheckedWithWholePassesWhereTheLastAxisIsConvolved) {
  for (const char* shape : {"star", "box"})
    for (const int dimensions : {2, 3})
      for (const int fused : {1, 2, 6}) {
        const StencilJob job =
            small_job(make_stencil(shape, 2, dimensions), {131, dimensions == 2 ? 1 : 37, 61},
                      ElementType::f32, Boundary::fixed, 12);
        const Configuration configuration = Choice{fused, false, false, false, 16}.configuration(job);
        const std::vector<CheckSize> sizes = stencil_variants().of(configuration).checked(job, configuration);
        EXPECT_GE(sizes.size(), 3u);
        for (const CheckSize& size : sizes) {
          EXPECT_EQ(size.steps % fused, 0) << shape << dimensions << " " << fused;
          EXPECT_GE(size.steps, fused);
        }
      }
}

// What a transform gets wrong is as large as the largest number that it sees.
TEST(StencilFft, BoundsCoverStencilsThatAmplify) {
  std::vector<PlannedJob> all;
  for (const ElementType type : {ElementType::f32, ElementType::f64})
    for (const char* shape : {"star", "box"})
      for (const bool tables : {false, true}) {
        const Stencil stencil = signed_stencil(shape, 1, 3, 2.5);
        all.push_back(planned(small_job(stencil, {23, 21, 19}, type, Boundary::fixed, 8),
                              {4, false, false, tables && stencil.star()}));
      }
  expect_clean(all, Flavour::plain);
  const StencilJob once =
      small_job(signed_stencil("star", 1, 3, 2.5), {8, 8, 8}, ElementType::f32, Boundary::fixed, 1);
  StencilJob often = once;
  often.steps = 12;
  const FftRounding rounding{{8, 8, 8}, 12, false, false};
  EXPECT_GT(fft_tolerance(often, rounding).absolute,
            std::pow(2.5, 11) * fft_tolerance(once, rounding).absolute);
}

/// A job most of whose cells are the transforms' own.
PlannedJob sample(bool in_place = false, bool tables = false) {
  const StencilJob job =
      small_job(make_stencil("star", 1), {23, 19, 17}, ElementType::f64, Boundary::zero, 5);
  return planned(job, {3, false, in_place, tables});
}

/// The launches of this kernel.
std::vector<Launch*> launches_of(LaunchPlan& plan, const std::string& entry) {
  std::vector<Launch*> found;
  for (auto* steps : {&plan.setup, &plan.launches})
    for (PlanStep& step : *steps)
      if (auto* launch = std::get_if<Launch>(&step); launch != nullptr && launch->entry == entry)
        found.push_back(launch);
  return found;
}

std::int32_t& steps_of(Launch& multiply) {
  return std::get<std::int32_t>(std::get<ScalarArgument>(multiply.arguments[5]));
}

TEST(StencilFft, PassesHaveTheStepsThatAreLeft) {
  PlannedJob one = sample();
  const std::vector<Launch*> products = launches_of(one.plan, "fft_multiply");
  ASSERT_EQ(products.size(), 2u);
  EXPECT_EQ(steps_of(*products[0]), 3);
  EXPECT_EQ(steps_of(*products[1]), 2);
  EXPECT_EQ(launches_of(one.plan, "stencil_rim").size(), 5u);
  EXPECT_EQ(launches_of(one.plan, "fft_clear_around").size(), 0u);
  EXPECT_EQ(one.plan.setup.size(), 2u) << "the filter and its transform";
  EXPECT_EQ(sample(false, true).plan.setup.size(), 1u);
  // Fewer steps than a pass has: one pass, and no array that is not used.
  one = planned(small_job(make_stencil("star", 1), {9, 9, 9}, ElementType::f32, Boundary::fixed, 1), {4});
  EXPECT_EQ(launches_of(one.plan, "fft_multiply").size(), 1u);
  std::vector<std::string> names;
  for (const BufferSpec& buffer : one.plan.buffers) names.push_back(buffer.name);
  EXPECT_EQ(names, (std::vector<std::string>{"in", "out", "modes", "filter"}));
}

// Each would pass unseen if the tolerance were as wide as what it does.
TEST(StencilFft, FaultsAreFound) {
  std::vector<PlannedJob> all;
  const auto add = [&](const char* fault) -> LaunchPlan& {
    all.push_back(sample());
    all.back().name = fault;
    return all.back().plan;
  };
  ++steps_of(*launches_of(add("a step too many"), "fft_multiply")[0]);
  --steps_of(*launches_of(add("a step too few in the last pass"), "fft_multiply")[1]);
  add("no setup").setup.clear();
  add("the filter is not transformed").setup.pop_back();
  auto& arguments = launches_of(add("another scale"), "fft_multiply")[0]->arguments;
  std::get<double>(std::get<ScalarArgument>(arguments.back())) *= 1 + 1e-9;
  add("no rim").launches.pop_back();
  auto& shell = launches_of(add("a thinner rim"), "stencil_rim")[2]->arguments;
  --std::get<std::int32_t>(std::get<ScalarArgument>(shell.back()));
  all.push_back(sample(true));
  all.back().name = "the input is transformed in place";
  all.back().plan.launches.erase(all.back().plan.launches.begin());
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilFft, RoundsExtentsUpToSmallFactors) {
  const auto rounded = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return smooth_extents(
        small_job(make_stencil("star", 1), {x, y, z}, ElementType::f32, Boundary::fixed, 1));
  };
  EXPECT_EQ(rounded(1, 7, 11), (std::array<std::int64_t, 3>{1, 7, 12}));
  EXPECT_EQ(rounded(512, 509, 121), (std::array<std::int64_t, 3>{512, 512, 125}));
}

TEST(StencilFft, TakesStencilsThatNoOtherVariantTakes) {
  const auto applies = [](const Stencil& stencil, ElementType type) {
    return fft_applies(small_job(stencil, {64, 64, 64}, type, Boundary::fixed, 1));
  };
  EXPECT_TRUE(applies(make_stencil("box", 8), ElementType::f64));
  Stencil far{3, {{-127, 0, 0, 0.5}, {0, 127, 127, 0.5}}};
  EXPECT_TRUE(applies(far, ElementType::f32));
  EXPECT_EQ(
      std::ranges::count_if(
          stencil_variants(),
          [&](const StencilVariant& variant) {
            return variant.applies(small_job(far, {512, 512, 512}, ElementType::f32, Boundary::fixed, 4));
          }),
      1);
  far.points[0].dx = -128;
  EXPECT_FALSE(applies(far, ElementType::f32)) << "an offset beyond a byte";
  Stencil large{3, {}};
  for (int dz = -11; dz <= 11; ++dz)
    for (int dy = -11; dy <= 11; ++dy)
      for (int dx = -11; dx <= 11; ++dx) large.points.push_back({dx, dy, dz, 1e-4});
  EXPECT_FALSE(applies(large, ElementType::f32)) << "12167 points of 7 bytes";
}

}  // namespace
}  // namespace tune::kernels::fft_tests
