// SPDX-License-Identifier: Apache-2.0
#include "tuner/tensor/verifier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tuner/tensor/reference_numbers.hpp"

namespace tune {
namespace {

TensorView view(const std::vector<float>& values, Extents extents) {
  return {ElementType::f32, std::move(extents), std::as_bytes(std::span(values))};
}

HostTensor reference(const std::vector<double>& values, Extents extents) {
  HostTensor tensor(ElementType::f64, std::move(extents));
  std::ranges::copy(values, tensor.as<double>().begin());
  return tensor;
}

/// What a comparison reads only within the same expression.
TensorView against(const std::vector<double>& values, Extents extents) {
  return {ElementType::f64, std::move(extents), std::as_bytes(std::span(values))};
}

TEST(Verifier, EqualTensorsAreRight) {
  const std::vector<float> out = {1, 2, 3};
  const Comparison found = compare(view(out, {3}), against({1, 2, 3}, {3}), {0});
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_EQ(found.worst_error, 0.0);
}

TEST(Verifier, AnErrorOfExactlyTheToleranceIsRight) {
  const std::vector<float> out = {1.5f};
  EXPECT_EQ(compare(view(out, {1}), against({1}, {1}), {0.5}).wrong, 0u);
  EXPECT_EQ(compare(view(out, {1}), against({1}, {1}), {0.49}).wrong, 1u);
}

TEST(Verifier, ElementsHaveLimitsOfTheirOwn) {
  const std::vector<double> right = {1, 10, 100, 0};
  const std::vector<float> out = {1.5f, 11, 101, std::numeric_limits<float>::quiet_NaN()};
  const double none = std::numeric_limits<double>::infinity();
  const Bounds bounds{.absolute = 0.25};
  const ElementLimits limits{reference({0.25, 0.5, 0, none}, {4}), reference({0, 0.05, 0.01, 0}, {4})};
  EXPECT_EQ(limits.counted(4), 3u);
  const Comparison found = compare(view(out, {4}), against(right, {4}), bounds, limits);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.worst_index, 1u);
  EXPECT_EQ(found.total_error, 2.5) << "what does not count is not in the sum";
  EXPECT_EQ(
      wrong_result(found, {4}, bounds, "out", limits).detail,
      "1 of 3 compared elements (of 4) of 'out' differ by more than their tolerance; the worst is (1): 11 "
      "instead of 10, where 0.75 is allowed or 0.05 of the reference");
}

TEST(Verifier, PlacesAlongAnAxisHaveLimitsOfTheirOwn) {
  const std::vector<double> right = {1, 1, 1e-6, 1e-6, 1, 1};
  const Bounds bounds{.absolute = 0.5, .limits_along = {{}, {7, 1e-9, 0.25}}};
  std::vector<float> out = {1, 1.25f, 1e-6f, 1e-6f, 1, 1};
  EXPECT_TRUE(is_right(compare(view(out, {2, 3}), against(right, {2, 3}), bounds), bounds));
  out[2] = 0;
  Comparison found = compare(view(out, {2, 3}), against(right, {2, 3}), bounds);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.worst_index, 2u) << "not the larger error that is allowed";
  EXPECT_NE(wrong_result(found, {2, 3}, bounds, "out").detail.find("differ by more than 1e-09"),
            std::string::npos);
  out[5] = 1.375f;
  found = compare(view(out, {2, 3}), against(right, {2, 3}), bounds);
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(found.worst_index, 5u);
  EXPECT_NEAR(found.total_error, 0.25 + 1e-6 + 0.375, 1e-9);
  using Limits = std::vector<std::vector<double>>;
  for (const Limits& limits : {Limits{{1, 1, 1, 1}}, Limits{{}, {1}}, Limits{{1, 1, 1, 1, 1, 1}, {1}}})
    EXPECT_THROW(compare(view(out, {6}), against(right, {6}), {.limits_along = limits}), std::logic_error);
}

TEST(Verifier, TheSmallestLimitCounts) {
  const Bounds bounds{.absolute = 5, .limits_along = {{1, 9}, {}, {3, 0.5, 7}}};
  EXPECT_TRUE(bounds.limited());
  const Extents extents = {2, 2, 3};
  const std::vector<double> limits = {1, 3, 1, 3, 0.5, 0.5, 0.5, 0.5, 1, 5, 1, 5};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    EXPECT_EQ(bounds.absolute_at(i, extents), limits[i]) << i;
    std::vector<double> out(limits.size());
    const auto wrong_with = [&](double error) {
      out[i] = error;
      const TensorView output{ElementType::f64, extents, std::as_bytes(std::span(out))};
      return compare(output, against(std::vector<double>(limits.size()), extents), bounds).wrong;
    };
    EXPECT_EQ(wrong_with(limits[i]), 0u);
    EXPECT_EQ(wrong_with(std::nextafter(limits[i], 10)), 1u);
  }
  EXPECT_FALSE((Bounds{.absolute = 5, .limits_along = {{}, {}}}.limited()));
  EXPECT_EQ((Bounds{.absolute = 5}.absolute_at(7, extents)), 5);
}

// As a reference kernel leaves an element, in any type.
TEST(Verifier, SaysWhichElementTheReferenceDidNotWrite) {
  const std::vector<float> out = {1, 9.5F};
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::f16, ElementType::bf16}) {
    const std::vector<std::byte> poisoned(2 * element_size(type), std::byte{0xff});
    HostTensor right = as_reference({type, {2}, poisoned});
    right.as<double>()[0] = 1;
    const Comparison found = compare(view(out, {2}), view_of(right), {1e30});
    EXPECT_EQ(wrong_result(found, {2}, {1e30}, "out").detail,
              "element (1) of 'out' is 9.5, but the reference did not write it; 1 of 2 elements are wrong");
  }
  std::vector<float> unwritten = out;
  std::memset(&unwritten[1], 0xff, sizeof(float));
  const Comparison found = compare(view(unwritten, {2}), against({1, poison()}, {2}), {1e30});
  EXPECT_EQ(
      wrong_result(found, {2}, {1e30}, "out").detail,
      "element (1) of 'out' was never written, nor by the reference (if this is intended, give the argument "
      "\"access\": \"both\" and a \"fill\"); 1 of 2 elements are wrong");
}

// Larger than the parts that threads compare: the worst is the first of the largest errors of the wrong
// elements, wherever it is, and of all elements where none is wrong.
TEST(Verifier, AWrongElementIsWorseThanARightOneWithALargerError) {
  const Extents extents = {100, 3000};
  Bounds bounds{.absolute = 10,
                .limits_along = {std::vector<double>(100, 10), std::vector<double>(3000, 10)}};
  bounds.limits_along[0][70] = 1;
  bounds.limits_along[1][2000] = 0.5;
  std::vector<float> out(300'000);
  const std::vector<double> right(out.size());
  const auto found = [&] { return compare(view(out, extents), against(right, extents), bounds); };
  out[299'999] = out[150'000] = 9;
  EXPECT_EQ(found().wrong, 0u);
  EXPECT_EQ(found().worst_index, 150'000u);
  out[200'003] = 0.75f;
  EXPECT_EQ(found().worst_index, 200'003u);
  EXPECT_EQ(found().worst_error, 0.75);
  out[100'070] = out[250'070] = 2;
  EXPECT_EQ(found().wrong, 3u);
  EXPECT_EQ(found().worst_index, 100'070u);
  EXPECT_EQ(found().total_error, 9 + 9 + 0.75 + 2 + 2);
}

TEST(Verifier, LimitsFollowTheValues) {
  Tolerance tolerance{.absolute = 1e-3, .values_along = {{}, {1, 1e-3, 1e-20}}};
  EXPECT_FALSE(tolerance.of("out").limited());
  tolerance.share_of_values = 1e-2;
  const auto limits = tolerance.of("out").limits_along;
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_TRUE(limits[0].empty());
  EXPECT_EQ(limits[1], (std::vector<double>{1e-2, 1e-2 * 1e-3, 1e-2 * 1e-20}));
}

TEST(Verifier, AnOutputThatWasNeverWrittenIsWrong) {
  const std::vector<float> out = {1, std::nanf("")};
  const Comparison found = compare(view(out, {2}), against({1, 2}, {2}), {1e30});
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.worst_index, 1u);
  EXPECT_TRUE(std::isinf(found.worst_error));
}

TEST(Verifier, ANumberInPlaceOfNaNIsWrong) {
  const std::vector<float> out = {1};
  EXPECT_EQ(compare(view(out, {1}), against({std::nan("")}, {1}), {1}).wrong, 1u);
}

// log(0), masked maxima, distances that begin at infinity: such results can be right.
TEST(Verifier, ExpectedInfinitiesAndNaNsAreRight) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<float> out = {-std::numeric_limits<float>::infinity(), std::nanf(""), 2};
  const auto found = [&](const std::vector<double>& right, const Bounds& bounds) {
    return compare(view(out, {3}), against(right, {3}), bounds);
  };
  for (const Bounds& bounds : {Bounds{.absolute = 0}, Bounds{.absolute = 1, .each = 0.1, .sum = 1}}) {
    const Comparison right = found({-infinity, std::nan(""), 2}, bounds);
    EXPECT_TRUE(is_right(right, bounds));
    EXPECT_EQ(right.worst_error, 0);
    EXPECT_EQ(right.total_error, 0);
    EXPECT_FALSE(is_right(found({infinity, std::nan(""), 2}, bounds), bounds));
    EXPECT_FALSE(is_right(found({-infinity, infinity, 2}, bounds), bounds));
    EXPECT_FALSE(is_right(found({-infinity, std::nan(""), infinity}, bounds), bounds));
  }
}

TEST(Verifier, SaysWhichElementWasNeverWritten) {
  std::vector<float> out = {1, 0, 3, 4};
  std::memset(&out[1], 0xff, sizeof(float));
  const Extents extents = {2, 2};
  for (const double right : {7.0, std::nan("")}) {
    const Comparison found = compare(view(out, extents), against({1, right, 3, 4}, extents), {1e30});
    EXPECT_EQ(found.wrong, 1u);
    EXPECT_EQ(wrong_result(found, extents, {1e30}, "out").detail,
              "element (1, 0) of 'out' was never written; 1 of 4 elements are wrong");
  }
}

// Larger than the parts that threads compare, with one wrong element at each place in turn.
TEST(Verifier, FindsOneWrongElementAnywhere) {
  constexpr std::size_t count = 300'000;
  std::vector<float> out(count, 1.0f);
  const HostTensor expected = reference(std::vector<double>(count, 1.0), {count});
  for (const std::size_t place : {std::size_t{0}, count / 3, count / 2, count - 1}) {
    out[place] = 2.0f;
    const Comparison found = compare(view(out, {count}), view_of(expected), {0.5});
    EXPECT_EQ(found.wrong, 1u) << place;
    EXPECT_EQ(found.worst_index, place);
    EXPECT_EQ(found.worst_value, 2.0);
    EXPECT_EQ(found.worst_reference, 1.0);
    out[place] = 1.0f;
  }
}

TEST(Verifier, NamesTheWorstElementByItsCoordinates) {
  const std::vector<float> out = {0, 0, 0, 0, 0, 9};
  const Extents extents = {3, 2};
  const Comparison found = compare(view(out, extents), against({0, 0, 0, 0, 0, 0}, extents), {1});
  const Failure failure = wrong_result(found, extents, {1}, "out");
  EXPECT_EQ(failure.phase, Phase::verify);
  EXPECT_EQ(failure.detail,
            "1 of 6 elements of 'out' differ by more than 1; the worst is (2, 1): 9 instead of 0");
}

TEST(Verifier, OtherExtentsAreAProgrammersError) {
  const std::vector<float> out = {1, 2};
  EXPECT_THROW(compare(view(out, {2}), against({1, 2}, {1, 2}), {0}), std::logic_error);
}

template<class T>
TensorView whole(ElementType type, const std::vector<T>& values) {
  return {type, {values.size()}, std::as_bytes(std::span(values))};
}

// A double has 53 bits: 2^60 and 2^60 + 1 are one number there.
TEST(Verifier, LargeWholeNumbersAreComparedExactly) {
  const std::vector<std::uint64_t> right = {1, std::uint64_t{1} << 60, ~std::uint64_t{0}};
  const HostTensor expected = as_reference(whole(ElementType::u64, right));
  const auto found = [&](const std::vector<std::uint64_t>& out, double absolute = 0) {
    return compare(whole(ElementType::u64, out), view_of(expected), {absolute});
  };
  EXPECT_EQ(found(right).wrong, 0u);
  for (const std::size_t place : {0, 1, 2}) {
    std::vector<std::uint64_t> out = right;
    out[place] ^= 1;
    EXPECT_EQ(found(out).wrong, 1u) << place;
    EXPECT_EQ(found(out).worst_index, place);
    EXPECT_EQ(found(out).worst_error, 1);
    EXPECT_EQ(found(out, 1).wrong, 0u);
  }
  EXPECT_EQ(wrong_result(found({1, (std::uint64_t{1} << 60) + 1, ~std::uint64_t{0}}), {3}, {0}, "out").detail,
            "1 of 3 elements of 'out' differ by more than 0; the worst is (1): 1.1529215e+18 instead of "
            "1.1529215e+18, a difference of 1");
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const HostTensor of_signed = as_reference(whole<std::int64_t>(ElementType::i64, {least, 0}));
  const Comparison farthest =
      compare(whole<std::int64_t>(ElementType::i64, {-(least + 1), 0}), view_of(of_signed), {0});
  EXPECT_EQ(farthest.wrong, 1u);
  EXPECT_EQ(farthest.worst_error, 0x1p64);
}

TEST(AsReference, KeepsWholeNumbersThatADoubleLacks) {
  const std::int64_t limit = std::int64_t{1} << 53;
  const auto type_of = [](ElementType type, std::int64_t value) {
    const std::vector<std::int64_t> values = {0, value};
    return as_reference(whole(type, values)).type();
  };
  for (const std::int64_t large : {limit, -limit, limit + 1})
    EXPECT_EQ(type_of(ElementType::i64, large), ElementType::i64);
  for (const std::int64_t small : {limit - 1, 1 - limit})
    EXPECT_EQ(type_of(ElementType::i64, small), ElementType::f64);
  EXPECT_EQ(type_of(ElementType::u64, -1), ElementType::u64);
  EXPECT_EQ(type_of(ElementType::u64, limit - 1), ElementType::f64);
  EXPECT_EQ(as_reference(whole<std::int32_t>(ElementType::i32, {-1, 7})).as<double>()[0], -1);
}

// numpy's and KTT's relative comparison: by each element's own size.
TEST(Verifier, AShareOfEachElementIsOfThatElement) {
  const std::vector<float> out = {1000.5f, 1.5f, 0.0005f};
  const auto found = [&](const Bounds& bounds) {
    return compare(view(out, {3}), against({1000, 1, 0}, {3}), bounds);
  };
  EXPECT_EQ(found({.absolute = 1e-3, .each = 1e-3}).wrong, 1u);
  EXPECT_EQ(found({.absolute = 1e-3, .each = 1e-3}).worst_index, 1u) << "not the largest difference";
  EXPECT_EQ(found({.absolute = 1e-4, .each = 1e-3}).wrong, 2u);
  EXPECT_EQ(found({.absolute = 0.5, .each = 1e-3}).wrong, 0u);
  EXPECT_EQ(found({.absolute = 1e-3, .each = 1e-4}).wrong, 2u);
  const Bounds bounds{.absolute = 1e-3, .each = 1e-3};
  EXPECT_NE(wrong_result(found(bounds), {3}, bounds, "out").detail.find("1.5 instead of 1"),
            std::string::npos);
}

TEST(Verifier, TheSumOfAllDifferencesMayBeLimited) {
  const std::vector<float> out(1000, 1.25f);
  const std::vector<double> right(1000, 1.0);
  const auto found = compare(view(out, {1000}), against(right, {1000}), {.absolute = 1});
  EXPECT_EQ(found.total_error, 250);
  EXPECT_TRUE(is_right(found, {.absolute = 1}));
  EXPECT_TRUE(is_right(found, {.absolute = 1, .sum = 250}));
  EXPECT_FALSE(is_right(found, {.absolute = 1, .sum = 249}));
  EXPECT_NE(wrong_result(found, {1000}, {.absolute = 1, .sum = 249}, "out").detail.find("sum up to 250"),
            std::string::npos);
}

}  // namespace
}  // namespace tune
