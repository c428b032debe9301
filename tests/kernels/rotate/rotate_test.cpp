// SPDX-License-Identifier: Apache-2.0
// rotate: places, reference, spaces and plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/rotate/model/job.hpp"
#include "kernels/rotate/model/reference.hpp"
#include "kernels/rotate/model/variant.hpp"
#include "search/expressions/expr.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/common/devices.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

using TurnSettings = std::vector<std::pair<std::string, Value>>;

Instance rotate_instance(const std::string& size, const TurnSettings& settings) {
  return make_instance(make_rotate()->info(), size, settings);
}

RotateJob turn_job(const std::string& size, const TurnSettings& settings) {
  return rotate_job(rotate_instance(size, settings));
}

/// An image of floats that is repeated, continued or surrounded by zeros, read between its pixels.
double value_between(const RotateJob& job, const std::vector<float>& image, double x, double y) {
  const auto pixel = [&](std::int64_t i, std::int64_t j) -> double {
    if (job.border == RotateJob::Border::wrap) {
      i = (i % job.nx + job.nx) % job.nx;
      j = (j % job.ny + job.ny) % job.ny;
    }
    if (job.border == RotateJob::Border::clamp) {
      i = std::clamp<std::int64_t>(i, 0, job.nx - 1);
      j = std::clamp<std::int64_t>(j, 0, job.ny - 1);
    }
    if (i < 0 || j < 0 || i >= job.nx || j >= job.ny) return 0;
    return image[static_cast<std::size_t>(j * job.nx + i)];
  };
  const double left = std::floor(x), top = std::floor(y), u = x - left, v = y - top;
  const auto i = static_cast<std::int64_t>(left), j = static_cast<std::int64_t>(top);
  return (1 - u) * (1 - v) * pixel(i, j) + u * (1 - v) * pixel(i + 1, j) + (1 - u) * v * pixel(i, j + 1) +
         u * v * pixel(i + 1, j + 1);
}

void expect_rotated(const std::string& size, const TurnSettings& settings) {
  const RotateJob job = turn_job(size, settings);
  const TensorSet inputs = rotate_inputs(job, 3), reference = rotate_reference(job, inputs);
  const auto in = inputs.at("in").as<float>();
  const std::vector<float> image(in.begin(), in.end());
  const auto out = reference.at("out").as<double>();
  const double radians = job.angle * std::numbers::pi / 180;
  const double cx = static_cast<double>(job.nx - 1) / 2, cy = static_cast<double>(job.ny - 1) / 2;
  for (std::int64_t y = 0; y < job.ny; ++y)
    for (std::int64_t x = 0; x < job.nx; ++x) {
      const double dx = static_cast<double>(x) - cx, dy = static_cast<double>(y) - cy;
      const double u = std::cos(radians) * dx - std::sin(radians) * dy + cx;
      const double v = std::sin(radians) * dx + std::cos(radians) * dy + cy;
      ASSERT_NEAR(out[static_cast<std::size_t>(y * job.nx + x)], value_between(job, image, u, v), 1e-6)
          << size << " at " << job.angle << ", pixel " << x << ", " << y;
    }
}

TEST(Rotate, InterpolatesBetweenPixels) {
  for (const char* border : {"zero", "clamp", "wrap"})
    for (const double angle : {0.0, 30.0, 45.0, 137.25, -200.5, 359.9})
      expect_rotated("37x23", {{"type", "float"}, {"border", border}, {"angle", angle}});
  expect_rotated("1x1", {{"type", "float"}});
  expect_rotated("50x1", {{"type", "float"}, {"border", "wrap"}});
}

TEST(Rotate, QuarterTurnsMovePixels) {
  const auto turned = [](int angle) {
    const RotateJob job = turn_job("8x8", {{"angle", angle}, {"type", "uint16"}});
    const TensorSet inputs = rotate_inputs(job, 1), reference = rotate_reference(job, inputs);
    const auto in = inputs.at("in").as<std::uint16_t>();
    const auto out = reference.at("out").as<double>();
    return std::pair(std::vector<double>(in.begin(), in.end()), std::vector<double>(out.begin(), out.end()));
  };
  const auto [in, same] = turned(0);
  EXPECT_EQ(same, in);
  EXPECT_EQ(turned(360).second, in);
  std::vector<double> left(64), half(64);
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 8; ++x) {
      // The right edge comes to the top.
      left[(7 - x) * 8 + y] = in[y * 8 + x];
      half[(7 - y) * 8 + 7 - x] = in[y * 8 + x];
    }
  EXPECT_EQ(turned(90).second, left);
  EXPECT_EQ(turned(180).second, half);
  EXPECT_EQ(turned(-270).second, left);
}

TEST(Rotate, ChannelsAreImagesOfTheirOwn) {
  const RotateJob four = turn_job("19x7", {{"type", "uint8x4"}, {"angle", 20}});
  const TensorSet inputs = rotate_inputs(four, 9), reference = rotate_reference(four, inputs);
  const RotateJob one = turn_job("19x7", {{"type", "uint8"}, {"angle", 20}});
  for (std::size_t channel = 0; channel < 4; ++channel) {
    HostTensor image(ElementType::u8, one.extents());
    for (std::size_t i = 0; i < 19 * 7; ++i)
      image.as<std::uint8_t>()[i] = inputs.at("in").as<std::uint8_t>()[4 * i + channel];
    const TensorSet alone = rotate_reference(one, tensor_set("in", std::move(image)));
    for (std::size_t i = 0; i < 19 * 7; ++i)
      ASSERT_EQ(alone.at("out").as<double>()[i], reference.at("out").as<double>()[4 * i + channel]);
  }
}

TEST(Rotate, TakesAnyAngle) {
  EXPECT_EQ(rotate_instance("", {{"angle", 30.0}}), rotate_instance("", {{"angle", 30}}));
  EXPECT_EQ(rotate_instance("", {{"angle", 12.5}}).setting("angle"), Value(12.5));
  for (const Value& wrong : {Value(360.5), Value(-361), Value(std::nan("")), Value("north"), Value(true)})
    EXPECT_THROW(rotate_instance("", {{"angle", wrong}}), UsageError) << wrong.to_string();
  EXPECT_THROW(turn_job("16777217x1", {}), UsageError);
}

TEST(Rotate, CountsThePixelsThatAreShown) {
  const auto share = [](const std::string& size, const TurnSettings& settings) {
    const RotateJob job = turn_job(size, settings);
    return visible_pixels(job) / job.pixels();
  };
  EXPECT_NEAR(share("100x100", {{"angle", 0}}), 1, 1e-9);
  EXPECT_NEAR(share("100x100", {{"angle", 90}}), 1, 1e-9);
  EXPECT_NEAR(share("100x100", {{"angle", 45}}), 2 * (std::numbers::sqrt2 - 1), 1e-9);
  EXPECT_NEAR(share("200x100", {{"angle", -90}}), 0.5, 1e-9);
  EXPECT_EQ(share("200x100", {{"angle", 90}, {"border", "wrap"}}), 1);
}

/// The values that a parameter has where the variant is `variant`; nothing where no configuration has it.
std::set<std::string> turn_values(const TurnSettings& settings, const std::string& variant,
                                  const std::string& parameter) {
  const search::SearchSpace space(rotate_space(turn_job("", settings), h100()));
  std::set<std::string> found;
  for (std::uint64_t i = 0; i < space.size(); i += 1 + space.size() / 4999) {
    const Configuration configuration = space.at(i);
    if (configuration["variant"].as_text() == variant && configuration.has(parameter))
      found.insert(configuration[parameter].to_string());
  }
  return found;
}

TEST(Rotate, ArraysAreReadByTexturesAlone) {
  EXPECT_THAT(turn_values({}, "tile", "copy"), ::testing::ElementsAre("async", "engine", "threads"));
  EXPECT_THAT(turn_values({{"source", "array"}}, "tile", "copy"), ::testing::IsEmpty());
  EXPECT_THAT(turn_values({{"source", "array"}}, "global", "block"), ::testing::IsEmpty());
  EXPECT_THAT(turn_values({}, "texture_exact", "fetch"), ::testing::ElementsAre("point"));
  EXPECT_THAT(turn_values({{"source", "array"}}, "texture_exact", "fetch"),
              ::testing::ElementsAre("gather", "point"));
  EXPECT_THAT(turn_values({{"source", "array"}, {"border", "wrap"}}, "texture_exact", "fetch"),
              ::testing::ElementsAre("point"));
}

// A box in shared memory holds all that the pixels of any tile are interpolated between.
TEST(Rotate, BoxesHoldWhatTilesNeed) {
  search::Random random(7);
  const auto problem = make_rotate();
  int boxes = 0;
  for (int round = 0; round < 40; ++round) {
    const double angle = static_cast<double>(random.below(7200)) / 10 - 360;
    const char* const type = round % 2 == 0 ? "uint8" : "float";
    const Instance instance = rotate_instance("700x500", {{"angle", angle}, {"type", type}});
    const RotateJob job = rotate_job(instance);
    const search::SearchSpace space(problem->space(instance, h100()));
    const Configuration configuration = space.at(space.sample(random));
    if (configuration["variant"].as_text() != "tile") continue;
    ++boxes;
    const Result<LaunchPlan> plan = problem->plan(instance, configuration, EmbeddedSources());
    ASSERT_TRUE(plan) << plan.error().detail;
    const auto& arguments = std::get<Launch>(plan->launches.front()).arguments;
    const auto& defines = plan->compile.defines;
    const auto box_pitch =
        std::ranges::find(defines, "BOX_PITCH", [](const auto& define) { return define.first; });
    ASSERT_NE(box_pitch, defines.end());
    const std::int64_t pitch = std::stoll(box_pitch->second), piece = 16 / job.pixel_bytes();
    const std::int64_t rows = std::get<std::int32_t>(std::get<ScalarArgument>(arguments.back()));
    const RotateTile tile = rotate_tile(job, configuration);
    for (int place = 0; place < 20; ++place) {
      const auto x0 = static_cast<std::int64_t>(random.below(700)) / tile.x * tile.x;
      const auto y0 = static_cast<std::int64_t>(random.below(500)) / tile.y * tile.y;
      std::int64_t left = INT64_MAX, right = INT64_MIN, top = INT64_MAX, bottom = INT64_MIN;
      for (const std::int64_t x : {x0, x0 + tile.x - 1})
        for (const std::int64_t y : {y0, y0 + tile.y - 1}) {
          const SourcePlace at = source_place(job, x, y);
          left = std::min(left, at.x >> 33);
          right = std::max(right, at.x >> 33);
          top = std::min(top, at.y >> 33);
          bottom = std::max(bottom, at.y >> 33);
        }
      const std::int64_t first = left - ((left % piece + piece) % piece);
      EXPECT_LE(right + 1 - first, pitch - 1) << configuration.key() << " at " << angle;
      EXPECT_LE(bottom + 1 - top, rows - 1) << configuration.key() << " at " << angle;
    }
  }
  EXPECT_GT(boxes, 5);
}

}  // namespace
}  // namespace tune::kernels
