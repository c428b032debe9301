// SPDX-License-Identifier: Apache-2.0
// conv2d_separable: formula, taps, reference, tolerance, work and space.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/convolution/model/job.hpp"
#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/convolution/convolution_cases.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using testing::convolution_instance;

ConvolutionJob job_of(int radius, std::int64_t nx, std::int64_t ny, ElementType type = ElementType::f32) {
  ConvolutionJob job;
  job.nx = nx;
  job.ny = ny;
  job.radius = radius;
  job.type = type;
  return job;
}

std::vector<double> numbers(const HostTensor& tensor) {
  const HostTensor doubles = in_double(view_of(tensor));
  const auto all = doubles.as<double>();
  return {all.begin(), all.end()};
}

/// The formula as it stands, both sums at once.
std::vector<double> naive(const ConvolutionJob& job, const std::vector<double>& in,
                          const std::vector<double>& rows, const std::vector<double>& columns) {
  std::vector<double> out(in.size(), 0.0);
  for (std::int64_t y = 0; y < job.ny; ++y)
    for (std::int64_t x = 0; x < job.nx; ++x)
      for (int j = -job.radius; j <= job.radius; ++j)
        for (int i = -job.radius; i <= job.radius; ++i) {
          if (x + i < 0 || x + i >= job.nx || y + j < 0 || y + j >= job.ny) continue;
          out[static_cast<std::size_t>(y * job.nx + x)] +=
              columns[static_cast<std::size_t>(j + job.radius)] *
              rows[static_cast<std::size_t>(i + job.radius)] *
              in[static_cast<std::size_t>((y + j) * job.nx + x + i)];
        }
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(ConvolutionTaps, AreExactInFloatDifferAndAddUpToAboutOne) {
  for (const int radius : {1, 2, 8, 31, 64, 256}) {
    const ConvolutionJob job = job_of(radius, 1, 1);
    const std::vector<double> rows = convolution_taps(job, TapAxis::rows);
    const std::vector<double> columns = convolution_taps(job, TapAxis::columns);
    for (const std::vector<double>& taps : {rows, columns}) {
      ASSERT_EQ(taps.size(), static_cast<std::size_t>(2 * radius + 1));
      for (const double tap : taps) {
        EXPECT_EQ(static_cast<double>(static_cast<float>(tap)), tap);
        EXPECT_GT(tap, 0);
      }
      EXPECT_EQ(std::set<double>(taps.begin(), taps.end()).size(), taps.size()) << radius;
      EXPECT_NEAR(std::accumulate(taps.begin(), taps.end(), 0.0), 1, 0.5);
    }
    EXPECT_NE(rows, columns);
  }
}

// A double is no float with zeros behind it: a kernel that keeps its taps in float must be found.
TEST(ConvolutionTaps, OfDoublesHaveAllBits) {
  const ConvolutionJob job = job_of(31, 1, 1, ElementType::f64);
  for (const TapAxis axis : {TapAxis::rows, TapAxis::columns})
    for (const double tap : convolution_taps(job, axis))
      EXPECT_NE(static_cast<double>(static_cast<float>(tap)), tap);
}

TEST(ConvolutionReference, IsTheFormula) {
  for (const ElementType type : {ElementType::f32, ElementType::f64})
    for (const ConvolutionJob& job :
         {job_of(1, 1, 1, type), job_of(1, 7, 5, type), job_of(3, 2, 9, type), job_of(5, 70, 3, type),
          job_of(12, 9, 4, type), job_of(2, 131, 67, type), job_of(20, 1, 33, type)}) {
      const HostTensor in = convolution_input(job, 5);
      const std::vector<double> expected = naive(job, numbers(in), convolution_taps(job, TapAxis::rows),
                                                 convolution_taps(job, TapAxis::columns));
      EXPECT_LT(largest_difference(numbers(convolution_reference(job, in)), expected), 1e-14)
          << job.radius << " " << job.nx << "x" << job.ny;
    }
}

// Tiles of the reference meet at 64 columns and 4096 rows.
TEST(ConvolutionReference, KnowsNoTiles) {
  const ConvolutionJob job = job_of(2, 66, 4099);
  const HostTensor in = convolution_input(job, 5);
  EXPECT_LT(largest_difference(numbers(convolution_reference(job, in)),
                               naive(job, numbers(in), convolution_taps(job, TapAxis::rows),
                                     convolution_taps(job, TapAxis::columns))),
            1e-14);
}

TEST(ConvolutionInput, FollowsTheSeed) {
  const ConvolutionJob job = job_of(1, 50, 40);
  EXPECT_EQ(numbers(convolution_input(job, 3)), numbers(convolution_input(job, 3)));
  EXPECT_NE(numbers(convolution_input(job, 3)), numbers(convolution_input(job, 4)));
  const std::vector<double> all = numbers(convolution_input(job, 3));
  EXPECT_LT(*std::ranges::max_element(all), 1);
  EXPECT_GE(*std::ranges::min_element(all), -1);
  EXPECT_GT(std::set<double>(all.begin(), all.end()).size(), all.size() - 10);
}

// One tap that is missing, or two that are exchanged, are far beyond what rounding may do: for sums and for
// the longest transforms.
TEST(ConvolutionTolerance, FindsOneWrongTap) {
  for (const int radius : {1, 4, 16, 48}) {
    const ConvolutionJob job = job_of(radius, 2 * radius + 9, 2 * radius + 7);
    const std::vector<double> in = numbers(convolution_input(job, 1));
    const std::vector<double> rows = convolution_taps(job, TapAxis::rows);
    const std::vector<double> columns = convolution_taps(job, TapAxis::columns);
    const std::vector<double> right = naive(job, in, rows, columns);
    std::vector<double> missing = rows, exchanged = columns;
    missing.back() = 0;
    std::swap(exchanged[0], exchanged[1]);
    const double max = std::max({sums_tolerance(job).absolute, transforms_tolerance(job, 8192, 8192).absolute,
                                 products_tolerance(job, false).absolute});
    EXPECT_GT(largest_difference(right, naive(job, in, missing, columns)), 10 * max) << radius;
    EXPECT_GT(largest_difference(right, naive(job, in, rows, exchanged)), 10 * max) << radius;
  }
}

// Sums in float stay below it, but not by so much that it would say nothing.
TEST(ConvolutionTolerance, IsNearTheRoundingOfSums) {
  for (const int radius : {1, 8, 64}) {
    const ConvolutionJob job = job_of(radius, 300, 200);
    const HostTensor in = convolution_input(job, 1);
    const auto pixels = in.as<float>();
    const std::vector<double> right = numbers(convolution_reference(job, in));
    const std::vector<double> rows = convolution_taps(job, TapAxis::rows);
    const std::vector<double> columns = convolution_taps(job, TapAxis::columns);
    const auto filter = [&](const std::vector<float>& from, const std::vector<double>& taps,
                            std::int64_t stride, auto position) {
      std::vector<float> to(from.size());
      for (std::int64_t n = 0; n < static_cast<std::int64_t>(from.size()); ++n) {
        float sum = 0;
        for (int k = -radius; k <= radius; ++k) {
          const auto [at, extent] = position(n);
          if (at + k >= 0 && at + k < extent)
            sum += static_cast<float>(taps[static_cast<std::size_t>(k + radius)]) *
                   from[static_cast<std::size_t>(n + k * stride)];
        }
        to[static_cast<std::size_t>(n)] = sum;
      }
      return to;
    };
    std::vector<float> out = filter({pixels.begin(), pixels.end()}, rows, 1,
                                    [&](std::int64_t n) { return std::pair(n % job.nx, job.nx); });
    out = filter(out, columns, job.nx, [&](std::int64_t n) { return std::pair(n / job.nx, job.ny); });
    const double error = largest_difference({out.begin(), out.end()}, right);
    EXPECT_LT(error, 0.6 * sums_tolerance(job).absolute) << radius;
    EXPECT_GT(error, 0.03 * sums_tolerance(job).absolute) << radius;
  }
}

TEST(ConvolutionWork, IsTheLesserOfSumsAndTransforms) {
  const auto problem = make_conv2d_separable();
  const auto cost = [&](int radius, const char* type) {
    return problem->cost(convolution_instance({radius, type}, 1024, 512));
  };
  constexpr double pixels = 1024.0 * 512.0;
  EXPECT_EQ(cost(2, "float").items, pixels);
  EXPECT_EQ(cost(2, "float").bytes, 8 * pixels);
  EXPECT_EQ(cost(2, "double").bytes, 16 * pixels);
  EXPECT_EQ(cost(2, "float").flops, 2 * 9 * pixels);
  EXPECT_EQ(cost(256, "float").flops, (5 * 19 + 3) * pixels);
}

TEST(ConvolutionSpace, HasEveryVariantWithItsOwnParameters) {
  for (const int radius : {1, 8, 64, 256}) {
    for (const ConvolutionVariant& variant : convolution_variants()) {
      if (!variant.applies(job_of(radius, 8192, 8192))) continue;
      const search::SearchSpace space = testing::convolution_space_on(
          {radius, "float"}, "sm_90", "variant == '" + std::string(variant.name) + "'");
      EXPECT_FALSE(space.empty()) << variant.name << " radius " << radius;
    }
  }
  const search::SearchSpace tiles =
      testing::convolution_space_on({64, "float"}, "sm_90", "variant == 'fft_tile'");
  const Configuration first = tiles.at(0);
  EXPECT_TRUE(first.has("row_length"));
  EXPECT_FALSE(first.has("taps"));
  EXPECT_FALSE(first.has("chunk"));
}

// What no rule may let through, told once more without the rules' own words.
TEST(ConvolutionSpace, HasOnlyWhatADeviceCanRun) {
  const auto problem = make_conv2d_separable();
  const DeviceProperties device = architecture_properties("sm_90");
  for (const testing::ConvolutionCase& what :
       {testing::ConvolutionCase{1, "float"}, {16, "double"}, {64, "float"}, {256, "double"}}) {
    const Instance instance = convolution_instance(what, 8191, 8192);
    const search::SearchSpace space(problem->space(instance, device));
    search::Random random(3);
    for (int i = 0; i < 400; ++i) {
      const Configuration configuration = space.at(space.sample(random));
      const Result<LaunchPlan> plan = problem->plan(instance, configuration, EmbeddedSources());
      ASSERT_TRUE(plan) << configuration.to_string();
      for (const Launch* launch : kernel_launches(*plan)) {
        EXPECT_LE(launch->block.count(), 1024u) << configuration.to_string();
        EXPECT_LE(launch->dynamic_shared_memory,
                  static_cast<std::uint64_t>(device.shared_memory_per_block_optin))
            << configuration.to_string();
      }
      EXPECT_TRUE(configuration["padded"].as_bool() || configuration["vector"].as_int() == 1);
    }
  }
}

// Every macro of a plan has a default in its kernel's file, and every default is a macro of some plan.
TEST(ConvolutionDefaults, NameTheParametersOfTheVariant) {
  const auto problem = make_conv2d_separable();
  const EmbeddedSources sources;
  for (const ConvolutionVariant& variant : convolution_variants()) {
    std::set<std::string> defined, known;
    const std::string where = "variant == '" + std::string(variant.name) + "'";
    for (const Configuration& configuration : testing::covering_sample({3, "float"}, "sm_90", where, 60, 1)) {
      const CompileRequest request =
          problem->plan(convolution_instance({3, "float"}, 512, 512), configuration, sources)->compile;
      for (const auto& [name, value] : request.defines) defined.insert(name);
      const std::string& text = request.source.text;
      const std::string start = "\n#ifndef ";
      for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
        const std::size_t begin = at + start.size();
        known.insert(text.substr(begin, text.find('\n', begin) - begin));
      }
    }
    EXPECT_EQ(defined, known) << variant.name;
  }
}

}  // namespace
}  // namespace tune::kernels
