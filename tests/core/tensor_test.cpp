// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/tensor.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(ElementCount, IsTheProduct) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({3, 4, 5}), 60u);
  EXPECT_EQ(element_count({3, 0, 5}), 0u);
  EXPECT_THROW(element_count({1ull << 32, 1ull << 32}), std::overflow_error);
}

TEST(Layout, DenseHasNoGaps) {
  const Layout layout = Layout::dense({3, 4, 5});
  EXPECT_EQ(layout.strides, (Extents{1, 3, 12}));
  EXPECT_EQ(layout.allocation, 60u);
  EXPECT_TRUE(layout.is_dense());
  Layout padded = layout;
  padded.strides[1] = 4;
  EXPECT_FALSE(padded.is_dense());
}

TEST(HostTensor, IsReadAsItsOwnTypeOnly) {
  HostTensor tensor(ElementType::f32, {2, 3});
  EXPECT_EQ(tensor.as<float>().size(), 6u);
  EXPECT_EQ(tensor.bytes().size(), 24u);
  EXPECT_THROW(tensor.as<double>(), std::logic_error);
  EXPECT_THROW(tensor.as<std::int32_t>(), std::logic_error);
}

}  // namespace
}  // namespace tune
