// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/strided_copy.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using Places = std::map<std::size_t, std::size_t>;  // byte of the dense tensor -> byte of the allocation

Places places(const CopyShape& shape) {
  Places map;
  const auto visit = [&](const auto& self, std::size_t loop, std::size_t host, std::size_t device) -> void {
    if (loop == 0) {
      for (std::size_t i = 0; i < shape.width; ++i) EXPECT_TRUE(map.emplace(host + i, device + i).second);
      return;
    }
    const auto& turn = shape.loops[loop - 1];
    for (std::size_t i = 0; i < turn.count; ++i)
      self(self, loop - 1, host + i * turn.host_stride, device + i * turn.device_stride);
  };
  visit(visit, shape.loops.size(), 0, shape.device_offset);
  return map;
}

/// By the definition of a layout, element by element.
Places expected(const Layout& layout, std::size_t size) {
  Places map;
  const auto count = element_count(layout.extents);
  for (std::uint64_t element = 0; element < count; ++element) {
    std::uint64_t rest = element;
    std::uint64_t place = layout.offset;
    for (std::size_t i = 0; i < layout.extents.size(); ++i) {
      place += rest % layout.extents[i] * layout.strides[i];
      rest /= layout.extents[i];
    }
    for (std::size_t byte = 0; byte < size; ++byte) map[element * size + byte] = place * size + byte;
  }
  return map;
}

TEST(CopyShape, FollowsTheLayout) {
  const Layout layouts[] = {
      {{7}, {1}, 0, 7},
      {{7}, {1}, 5, 20},
      {{5, 3}, {1, 5}, 0, 15},
      {{5, 3}, {1, 8}, 2, 30},
      {{5, 3, 4}, {1, 5, 15}, 1, 61},
      {{5, 3, 4}, {1, 8, 24}, 0, 96},   // padded rows
      {{5, 3, 4}, {1, 8, 40}, 9, 200},  // ghost cells around rows and planes
      {{5, 3, 4}, {1, 5, 17}, 0, 70},   // planes that are no whole rows apart
      {{1, 3, 4}, {1, 8, 24}, 0, 96},   // columns
      {{5, 1, 4}, {1, 8, 24}, 0, 96},
      {{2, 3, 2, 3}, {1, 4, 16, 40}, 3, 200},
  };
  for (const auto& layout : layouts)
    for (const std::size_t size : {1, 4, 8})
      EXPECT_EQ(places(copy_shape(layout, size)), expected(layout, size)) << layout.strides.back();
}

TEST(CopyShape, MergesWhatLiesTogether) {
  EXPECT_TRUE(copy_shape(Layout::dense({64, 32, 16}), 4).loops.empty());
  EXPECT_EQ(copy_shape(Layout::dense({64, 32, 16}), 4).width, 64u * 32 * 16 * 4);
  const Layout padded_rows{{5, 3, 4}, {1, 8, 24}, 0, 96};
  EXPECT_EQ(copy_shape(padded_rows, 4).loops, (std::vector<CopyLoop>{{12, 32, 20}}));
}

TEST(CopyShape, OfNothingIsEmpty) {
  EXPECT_EQ(copy_shape(Layout{{0, 4}, {1, 8}, 0, 32}, 4).width, 0u);
}

TEST(CopyShape, RefusesWhatReachesBeyondTheAllocation) {
  EXPECT_NO_THROW(copy_shape(Layout{{5, 3}, {1, 8}, 2, 23}, 4));
  EXPECT_THROW(copy_shape(Layout{{5, 3}, {1, 8}, 2, 22}, 4), Error);
  EXPECT_THROW(copy_shape(Layout{{5, 3}, {1}, 0, 100}, 4), Error);
}

}  // namespace
}  // namespace tune::cuda
