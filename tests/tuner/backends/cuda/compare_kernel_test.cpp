// SPDX-License-Identifier: Apache-2.0
// The kernel that compares outputs on the device, run on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/tensor/tensor.hpp"

// Kept apart from the headers above by the order of inclusion: it defines CUDA's words.
#include "tests/tuner/backends/cuda/kernels_on_cpu.hpp"
#include "tuner/backends/cuda/checks/compare.cu"

namespace tune::cuda {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// An allocation that holds a tensor, with other values wherever it is not.
template<class T>
std::vector<T> laid_out(const std::vector<T>& dense, const Layout& layout) {
  std::vector<T> allocation(layout.allocation);
  if constexpr (std::is_arithmetic_v<T>) std::fill(allocation.begin(), allocation.end(), static_cast<T>(77));
  for (std::uint64_t i = 0; i < dense.size(); ++i) {
    std::uint64_t rest = i;
    std::uint64_t place = layout.offset;
    for (std::size_t d = 0; d < layout.extents.size(); ++d) {
      place += rest % layout.extents[d] * layout.strides[d];
      rest /= layout.extents[d];
    }
    allocation[place] = dense[i];
  }
  return allocation;
}

/// As the device does it, with a reference that is sent in parts of `part` elements, by `blocks` blocks.
template<class T>
Comparison on_cpu(const std::vector<T>& dense, const std::vector<double>& reference, const Layout& layout,
                  const Bounds& bounds, unsigned blocks = 3, std::uint64_t part = ~std::uint64_t{0}) {
  const auto allocation = laid_out(dense, layout);
  const auto placement = placement_of(copy_shape(layout, sizeof(T)), sizeof(T));
  EXPECT_TRUE(placement);
  std::vector<double> sent;
  const auto send = [&](std::uint64_t begin, std::uint64_t count) {
    const auto first = reference.begin() + static_cast<std::ptrdiff_t>(begin);
    sent.assign(first, first + static_cast<std::ptrdiff_t>(count));
    return cudaSuccess;
  };
  auto table = limits_of(bounds, layout.extents);
  EXPECT_TRUE(table);
  table->limits.table = table->table.data();
  const auto compare = [&](std::uint64_t begin, std::uint64_t count) {
    std::vector<checks::Finding> findings(blocks);
    run_on_cpu(blocks, 1, checks::block_threads, [&] {
      checks::compare(allocation.data() + layout.offset, *placement, sent.data(), begin, count,
                      bounds.absolute, bounds.each, table->limits, findings.data());
    });
    return OrStatus<std::vector<checks::Finding>>(findings);
  };
  return *compare_in_parts(dense.size(), part, send, compare);
}

template<class T>
Comparison on_cpu(const std::vector<T>& dense, const std::vector<double>& reference, const Layout& layout,
                  double tolerance, unsigned blocks = 3, std::uint64_t part = ~std::uint64_t{0}) {
  return on_cpu(dense, reference, layout, Bounds{.absolute = tolerance}, blocks, part);
}

template<class T>
Comparison on_host(const std::vector<T>& dense, const std::vector<double>& reference, const Extents& extents,
                   ElementType type, double tolerance) {
  return tune::compare({type, extents, std::as_bytes(std::span(dense))},
                       {ElementType::f64, extents, std::as_bytes(std::span(reference))}, {tolerance});
}

void expect_equal(const Comparison& found, const Comparison& expected) {
  EXPECT_EQ(found.worst_error, expected.worst_error);
  EXPECT_EQ(found.worst_index, expected.worst_index);
  EXPECT_TRUE(found.worst_value == expected.worst_value ||
              (std::isnan(found.worst_value) && std::isnan(expected.worst_value)))
      << found.worst_value << " instead of " << expected.worst_value;
  EXPECT_TRUE(found.worst_reference == expected.worst_reference ||
              (std::isnan(found.worst_reference) && std::isnan(expected.worst_reference)));
  EXPECT_EQ(found.wrong, expected.wrong);
}

const Extents extents{13, 7, 11};
const Layout layouts[] = {
    Layout::dense(extents),
    {extents, {1, 16, 16 * 7}, 3, 16 * 7 * 11 + 3},                  // padded rows
    {extents, {1, 16, 16 * 9}, 16 * 9 + 16 + 1, 16 * 9 * 13},        // ghost cells all around
    {extents, {1, 17, 17 * 7 + 3}, 1, 2000},                         // planes of no whole rows
    {extents, {1, 13, 13 * 8}, 0, 13 * 8 * 11},                      // gaps between planes only
    {{13, 7, 11, 1}, {1, 16, 16 * 7, 16 * 7 * 11}, 0, 16 * 7 * 11},  // one more dimension
};

template<class T>
std::vector<T> values_of(std::mt19937& random, std::uint64_t count) {
  std::uniform_int_distribution<int> number(0, 40);  // few values: many ties
  std::vector<T> values(count);
  for (auto& value : values) value = static_cast<T>(number(random));
  return values;
}

template<class T>
void agrees_for(ElementType type) {
  std::mt19937 random(7);
  const auto count = element_count(extents);
  for (const auto& layout : layouts)
    for (const double tolerance : {0.0, 20.0}) {
      const auto out = values_of<T>(random, count);
      const auto reference = values_of<double>(random, count);
      expect_equal(on_cpu(out, reference, layout, tolerance),
                   on_host(out, reference, extents, type, tolerance));
    }
}

TEST(CompareKernel, AgreesWithTheHostForEveryTypeAndLayout) {
  agrees_for<float>(ElementType::f32);
  agrees_for<double>(ElementType::f64);
  agrees_for<std::int32_t>(ElementType::i32);
  agrees_for<std::uint32_t>(ElementType::u32);
  agrees_for<std::uint8_t>(ElementType::u8);
  agrees_for<std::int8_t>(ElementType::i8);
  agrees_for<std::int16_t>(ElementType::i16);
  agrees_for<std::uint16_t>(ElementType::u16);
  agrees_for<long long>(ElementType::i64);
  agrees_for<unsigned long long>(ElementType::u64);
}

template<class Device, class Host>
void reads_every_pattern(ElementType type) {
  std::vector<Device> out(65'536);
  std::vector<double> reference(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    Host same;
    out[i].bits = same.bits = static_cast<unsigned short>(i);
    reference[i] = static_cast<double>(same);
    EXPECT_TRUE(static_cast<double>(out[i]) == reference[i] || std::isnan(reference[i])) << i;
  }
  const Extents all{out.size()};
  const auto found = on_cpu(out, reference, Layout::dense(all), 0);
  expect_equal(found, on_host(out, reference, all, type, 0));
}

TEST(CompareKernel, KnowsEveryNumberOf16Bits) {
  reads_every_pattern<checks::Half, Float16>(ElementType::f16);
  reads_every_pattern<checks::Bfloat16, BFloat16>(ElementType::bf16);
}

TEST(CompareKernel, AgreesWithTheHostAboutSharesOfEachElement) {
  std::mt19937 random(9);
  const auto count = element_count(extents);
  auto reference = values_of<double>(random, count);
  for (double& value : reference) value -= 20;  // negative ones, and zero
  for (const double each : {0.01, 0.3, 2.0}) {
    auto out = values_of<float>(random, count);
    for (std::size_t i = 0; i < out.size(); i += 2) out[i] = static_cast<float>(reference[i] * 1.2);
    const Bounds bounds{.absolute = 1.5, .each = each};
    const auto expected =
        tune::compare({ElementType::f32, extents, std::as_bytes(std::span(out))},
                      {ElementType::f64, extents, std::as_bytes(std::span(reference))}, bounds);
    const auto found = on_cpu(out, reference, layouts[1], bounds, 5, 333);
    expect_equal(found, expected);
    EXPECT_NEAR(found.total_error, expected.total_error, 1e-9 * expected.total_error);
    EXPECT_GT(found.wrong, 0u);
  }
}

TEST(CompareKernel, DoesNotDependOnGridAndParts) {
  std::mt19937 random(3);
  const auto count = element_count(extents);
  const auto out = values_of<float>(random, count);
  const auto reference = values_of<double>(random, count);
  const auto expected = on_host(out, reference, extents, ElementType::f32, 10);
  for (const unsigned blocks : {1u, 5u})
    for (const std::uint64_t part : {std::uint64_t{333}, count, ~std::uint64_t{0}})
      expect_equal(on_cpu(out, reference, layouts[2], 10, blocks, part), expected);
}

/// Limits along some of the axes, bit by bit, from `least` to 40: few values, as the errors have.
Bounds limits_along(std::mt19937& random, int axes, int least) {
  std::uniform_int_distribution<int> number(least, 40);
  Bounds bounds{.absolute = 35, .limits_along = std::vector<std::vector<double>>(extents.size())};
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    for (std::size_t i = 0; (axes >> axis & 1) != 0 && i < extents[axis]; ++i)
      bounds.limits_along[axis].push_back(number(random));
  return bounds;
}

TEST(CompareKernel, AgreesWithTheHostAboutLimitsAlongAxes) {
  std::mt19937 random(5);
  const auto count = element_count(extents);
  for (int axes = 0; axes < 8; ++axes)
    for (const double each : {0.0, 0.5}) {
      const auto out = values_of<float>(random, count);
      const auto reference = values_of<double>(random, count);
      Bounds bounds = limits_along(random, axes, 0);
      bounds.each = each;
      const auto expected =
          tune::compare({ElementType::f32, extents, std::as_bytes(std::span(out))},
                        {ElementType::f64, extents, std::as_bytes(std::span(reference))}, bounds);
      EXPECT_GT(expected.wrong, 0u);
      EXPECT_LT(expected.wrong, count);
      const auto& layout = layouts[random() % std::size(layouts)];
      expect_equal(on_cpu(out, reference, layout, bounds, 1), expected);
      expect_equal(on_cpu(out, reference, layout, bounds, 3, 333), expected);
    }
}

// Errors up to 1 are right but for a few elements, which are wrong with smaller ones.
TEST(CompareKernel, ReportsAWrongElementBeforeARightOneWithALargerError) {
  std::mt19937 random(11);
  const auto count = element_count(extents);
  std::uniform_real_distribution<float> small(0, 1);
  std::vector<float> out(count);
  for (float& value : out) value = small(random);
  const std::vector<double> reference(count);
  Bounds bounds = limits_along(random, 7, 1);
  for (const double limit : {0.5, 0.01}) {
    const std::size_t axis = random() % extents.size();
    bounds.limits_along[axis][random() % extents[axis]] = limit;
    const auto expected =
        tune::compare({ElementType::f32, extents, std::as_bytes(std::span(out))},
                      {ElementType::f64, extents, std::as_bytes(std::span(reference))}, bounds);
    EXPECT_GT(expected.wrong, 10u);
    EXPECT_LT(expected.worst_error, std::ranges::max(out));
    const auto& layout = layouts[random() % std::size(layouts)];
    expect_equal(on_cpu(out, reference, layout, bounds, 1), expected);  // several elements for each thread
    expect_equal(on_cpu(out, reference, layout, bounds, 3, 333), expected);
  }
}

TEST(CompareKernel, LimitsAlongTooManyAxesAreTheHosts) {
  Extents many(checks::most_loops + 1, 2);
  std::vector<std::vector<double>> limits(many.size());
  EXPECT_EQ(limits_of({.limits_along = limits}, many)->limits.axes, 0);
  limits.back() = {1, 2};
  EXPECT_FALSE(limits_of({.limits_along = limits}, many));
  std::swap(limits.back(), limits.front());
  limits.pop_back();
  EXPECT_TRUE(limits_of({.limits_along = limits}, many));
  EXPECT_THROW(limits_of({.limits_along = {{1, 2, 3}}}, many), std::logic_error);
}

TEST(CompareKernel, NamesTheFirstOfEqualErrors) {
  std::vector<float> out(1001, 0.0f);
  const std::vector<double> reference(1001, 0.0);
  const auto layout = Layout::dense({1001});
  out[1000] = 2;
  out[700] = -2;
  out[256] = out[511] = 1;
  const auto found = on_cpu(out, reference, layout, 1.5);
  EXPECT_EQ(found.worst_error, 2);
  EXPECT_EQ(found.worst_index, 700u);
  EXPECT_EQ(found.worst_value, -2);
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(on_cpu(out, reference, layout, 2).wrong, 0u) << "exactly the tolerance is right";
  EXPECT_EQ(on_cpu(out, reference, layout, 2).worst_error, 2);
}

TEST(CompareKernel, LetsNoNanPass) {
  const auto layout = Layout::dense({600});
  for (const std::size_t place : {std::size_t{0}, std::size_t{299}, std::size_t{599}}) {
    std::vector<float> out(600, 1.0f);
    std::vector<double> reference(600, 1.0);
    out[place] = static_cast<float>(nan);
    auto found = on_cpu(out, reference, layout, 1e300);
    EXPECT_EQ(found.worst_error, infinity);
    EXPECT_EQ(found.worst_index, place);
    EXPECT_EQ(found.wrong, 1u);
    expect_equal(found, on_host(out, reference, {600}, ElementType::f32, 1e300));
    reference[place] = infinity;
    found = on_cpu(out, reference, layout, 1e300);
    EXPECT_EQ(found.worst_error, infinity);
    EXPECT_EQ(found.wrong, 1u);
  }
}

/// The same comparison by the kernel and on the host.
template<class T>
Comparison of_one(T value, double reference, ElementType type, double tolerance) {
  const Comparison found = on_cpu<T>({T{}, value}, {0, reference}, Layout::dense({2}), tolerance);
  const Comparison host = on_host<T>({T{}, value}, {0, reference}, {2}, type, tolerance);
  expect_equal(found, host);
  EXPECT_EQ(found.unwritten, host.unwritten);
  EXPECT_EQ(found.total_error, host.total_error);
  return found;
}

TEST(CompareKernel, ExpectedInfinitiesAndNansAreRight) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto wrong = [](float value, double reference) {
    const auto same = static_cast<double>(value);
    const Comparison in_float = of_one(value, reference, ElementType::f32, 1e300);
    EXPECT_EQ(of_one(same, reference, ElementType::f64, 1e300).wrong, in_float.wrong);
    EXPECT_EQ(in_float.total_error, in_float.wrong != 0 ? infinity : 0);
    return in_float.wrong != 0;
  };
  EXPECT_FALSE(wrong(inf, infinity));
  EXPECT_FALSE(wrong(-inf, -infinity));
  EXPECT_FALSE(wrong(static_cast<float>(nan), nan));
  EXPECT_TRUE(wrong(inf, -infinity));
  EXPECT_TRUE(wrong(1, infinity));
  EXPECT_TRUE(wrong(inf, 1));
  EXPECT_TRUE(wrong(1, nan));
  EXPECT_TRUE(wrong(inf, nan));
  EXPECT_TRUE(wrong(static_cast<float>(nan), infinity));
}

TEST(CompareKernel, KnowsWhatWasNeverWritten) {
  const auto unwritten = []<class T>(T value, ElementType type) {
    std::memset(&value, 0xff, sizeof(value));
    for (const double reference : {1.0, nan}) {
      const Comparison found = of_one(value, reference, type, 1e300);
      EXPECT_EQ(found.wrong, found.unwritten ? 1u : 0u) << reference;
      if (!found.unwritten) return false;
    }
    return true;
  };
  EXPECT_TRUE(unwritten(0.0F, ElementType::f32));
  EXPECT_TRUE(unwritten(0.0, ElementType::f64));
  EXPECT_FALSE(unwritten(0, ElementType::i32)) << "-1 may have been written";
  EXPECT_FALSE(of_one(static_cast<float>(nan), 1, ElementType::f32, 1e300).unwritten);
  std::vector<checks::Half> halves(1);
  std::memset(halves.data(), 0xff, sizeof(checks::Half));
  EXPECT_TRUE(on_cpu(halves, {nan}, Layout::dense({1}), 1e300).unwritten);
}

TEST(CompareKernel, PassesOverAnEmptyTensor) {
  const auto found = combine(std::vector<checks::Finding>(4));
  EXPECT_EQ(found.worst_error, 0);
  EXPECT_EQ(found.wrong, 0u);
}

TEST(CompareKernel, DividesExactly) {
  for (const std::uint64_t by : {2ull, 3ull, 7ull, 512ull, 1000003ull, (1ull << 40) - 1})
    for (const std::uint64_t quotient : {0ull, 1ull, 2ull, 12345ull, (1ull << 53) / by - 1})
      for (const std::uint64_t rest : {std::uint64_t{0}, std::uint64_t{1}, by / 2, by - 1}) {
        const checks::Loop loop{by, 1, 1.0 / static_cast<double>(by)};
        ASSERT_EQ(checks::divide(quotient * by + rest, loop), quotient)
            << quotient << " * " << by << " + " << rest;
      }
}

TEST(Placement, GivesUpBeyondItsLoops) {
  Layout layout;
  std::uint64_t stride = 1;
  for (int i = 0; i < checks::most_loops + 2; ++i) {
    layout.extents.push_back(2);
    layout.strides.push_back(stride);
    stride *= 3;
  }
  layout.allocation = stride;
  EXPECT_FALSE(placement_of(copy_shape(layout, 4), 4));
  layout.extents.pop_back();
  layout.strides.pop_back();
  EXPECT_TRUE(placement_of(copy_shape(layout, 4), 4));
}

}  // namespace
}  // namespace tune::cuda
