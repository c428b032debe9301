// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/guards.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace tune {
namespace {

BufferSpec spec_of(Layout layout, ElementType type = ElementType::f32) {
  return {"in", type, std::move(layout), BufferRole::input};
}

constexpr std::uint64_t kib = 1024;

TEST(GuardBytes, ReachOverAStepOfTheSlowestDimension) {
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({512, 512, 512}))), 1024 * kib) << "a plane";
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({500, 500, 500}))), 1024 * kib) << "rounded up to 64 KiB";
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({512, 512, 512}), ElementType::f64)), 2048 * kib);
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({100'000, 100}))), 448 * kib) << "a row";
}

TEST(GuardBytes, AreNeitherTooFewNorTooMany) {
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({1}))), 64 * kib);
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({1'000'000'000}))), 64 * kib);
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({1'000'000'000, 2}))), 16 * 1024 * kib);
  EXPECT_EQ(guard_bytes(spec_of(Layout::dense({64, 1'000'000'000, 1}))), 64 * kib)
      << "no step along one plane";
  for (const std::uint64_t nx : {1u, 77u, 1000u, 3333u})
    EXPECT_EQ(guard_bytes(spec_of(Layout::dense({nx, nx, 5}), ElementType::u8)) % (64 * kib), 0u);
}

/// A zone as it was filled, `misalignment` bytes into a word.
std::vector<std::byte> red_zone(std::size_t size, std::size_t misalignment = 0) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(guard_word >> (8 * ((i + misalignment) % 4)));
  return bytes;
}

void put(std::vector<std::byte>& bytes, std::size_t place, float value) {
  std::memcpy(bytes.data() + place, &value, sizeof(value));
}

TEST(OutOfBounds, NamesThePlace) {
  auto after = red_zone(1000);
  put(after, 128, 1.5f);
  const auto failure = out_of_bounds("out", Side::after, after, 0);
  EXPECT_EQ(failure.phase, Phase::verify);
  EXPECT_EQ(failure.reason, "out of bounds");
  EXPECT_EQ(failure.detail, "buffer `out`: 4 bytes written 128 bytes after its end");

  auto next = red_zone(1000);
  put(next, 0, 1.5f);
  EXPECT_EQ(out_of_bounds("out", Side::after, next, 0).detail,
            "buffer `out`: 4 bytes written right after its end");

  auto before = red_zone(1000);
  put(before, 1000 - 128, 1.5f);
  EXPECT_EQ(out_of_bounds("out", Side::before, before, 0).detail,
            "buffer `out`: 4 bytes written 128 bytes before its start");
}

TEST(OutOfBounds, NamesTheNearestOfSeveralPlaces) {
  auto bytes = red_zone(1000);
  for (const std::size_t place : {100u, 104u, 500u}) put(bytes, place, 1.5f);
  EXPECT_EQ(out_of_bounds("out", Side::after, bytes, 0).detail,
            "buffer `out`: 12 bytes written, the nearest 100 bytes after its end");
  EXPECT_EQ(out_of_bounds("out", Side::before, bytes, 0).detail,
            "buffer `out`: 12 bytes written, the nearest 500 bytes before its start");
}

TEST(OutOfBounds, KnowsWhereInAWordAZoneBegins) {
  for (std::size_t misalignment = 0; misalignment < 4; ++misalignment) {
    auto bytes = red_zone(100, misalignment);
    bytes[17] ^= std::byte{1};
    EXPECT_EQ(out_of_bounds("out", Side::after, bytes, misalignment).detail,
              "buffer `out`: 1 bytes written 17 bytes after its end");
    bytes[17] ^= std::byte{1};
    EXPECT_THROW(out_of_bounds("out", Side::after, bytes, misalignment), std::logic_error);
  }
}

std::vector<std::byte> bytes_of(float a, float b) {
  std::vector<std::byte> bytes(8);
  put(bytes, 0, a);
  put(bytes, 4, b);
  return bytes;
}

TEST(ChangedInput, NamesTheElement) {
  const Layout layout{{5, 3, 4}, {1, 8, 40}, 9, 200};
  const std::uint64_t element = 9 + 3 + 2 * 8 + 1 * 40;  // (3, 2, 1)
  const auto was = bytes_of(1.5f, 2.5f);
  const auto is = bytes_of(1.5f, -1);
  const auto failure = changed_input(spec_of(layout), 4 * element + 2, 4 * element - 4, was, is);
  EXPECT_EQ(failure.phase, Phase::verify);
  EXPECT_EQ(failure.reason, "changed input");
  EXPECT_EQ(failure.detail,
            "input `in`: a kernel changed element (3, 2, 1) from 2.5 to -1, and none before it");
}

TEST(ChangedInput, TellsPaddingFromElements) {
  const Layout layout{{5, 3, 4}, {1, 8, 40}, 9, 200};
  const auto none = bytes_of(0, 0);
  int elements = 0;
  for (std::uint64_t i = 0; i < layout.allocation; ++i) {
    const auto detail = changed_input(spec_of(layout), 4 * i, 4 * i, none, none).detail;
    if (detail.find("padding") == std::string::npos) ++elements;
  }
  EXPECT_EQ(elements, 5 * 3 * 4);
  EXPECT_EQ(
      changed_input(spec_of(layout), 4 * 14, 4 * 14, none, none).detail,
      "input `in`: the padding was written to, first at element 14 of its allocation (the tensor begins "
      "at 9)");
  // The first row reaches from 9 to 13, the last element is (4, 2, 3).
  EXPECT_NE(changed_input(spec_of(layout), 4 * 13, 4 * 13, none, none).detail.find("(4, 0, 0)"),
            std::string::npos);
  EXPECT_NE(changed_input(spec_of(layout), 4 * (9 + 4 + 16 + 120), 4 * (9 + 4 + 16 + 120), none, none)
                .detail.find("(4, 2, 3)"),
            std::string::npos);
}

TEST(ChangedInput, KnowsSizesOfElements) {
  std::vector<std::byte> was(8, std::byte{3});
  auto is = was;
  is[5] = std::byte{200};
  EXPECT_EQ(changed_input(spec_of(Layout::dense({100}), ElementType::u8), 21, 16, was, is).detail,
            "input `in`: a kernel changed element (21) from 3 to 200, and none before it");
  EXPECT_EQ(changed_input(spec_of(Layout::dense({100})), 262144, 1000).detail,
            "input `in`: a kernel changed bytes 262144 to 263143 of the allocation");
}

}  // namespace
}  // namespace tune
