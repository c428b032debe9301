// SPDX-License-Identifier: Apache-2.0
#include "tuner/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(HostTensor, BeginsAsZerosAndIsCopiedAsItIs) {
  for (const std::uint64_t count : {std::uint64_t{7}, std::uint64_t{1} << 20}) {
    {
      HostTensor dirty(ElementType::f32, {count});  // memory that the next one may be given
      std::ranges::fill(dirty.as<float>(), 3.0F);
    }
    HostTensor tensor(ElementType::f32, {count});
    EXPECT_TRUE(std::ranges::all_of(tensor.as<float>(), [](float value) { return value == 0; }));
    tensor.as<float>().back() = 5;
    const HostTensor copy = tensor;
    EXPECT_TRUE(std::ranges::equal(copy.bytes(), tensor.bytes()));
    EXPECT_EQ(copy.as<float>().back(), 5);
  }
}

TEST(HostTensor, IsMovedToOtherMemoryAndItsCopiesLieOnTheHeap) {
  HostTensor tensor(ElementType::i32, {2, 3});
  tensor.as<std::int32_t>()[5] = 7;
  const auto memory = std::make_shared<std::vector<std::byte>>(tensor.bytes().size());
  tensor.move_to(*memory, memory);
  EXPECT_EQ(tensor.bytes().data(), memory->data());
  EXPECT_EQ(tensor.as<std::int32_t>()[5], 7);
  HostTensor copy = tensor;
  EXPECT_NE(copy.bytes().data(), memory->data());
  copy.as<std::int32_t>()[5] = 8;
  EXPECT_EQ(tensor.as<std::int32_t>()[5], 7);
  const HostTensor moved = std::move(tensor);
  EXPECT_EQ(moved.bytes().data(), memory->data());
  EXPECT_EQ(memory.use_count(), 2);
  EXPECT_THROW(copy.move_to(std::span(*memory).first(4), memory), std::logic_error);
}

TEST(HostTensor, IsReadAsItsOwnTypeOnly) {
  HostTensor tensor(ElementType::f32, {2, 3});
  EXPECT_EQ(tensor.as<float>().size(), 6u);
  EXPECT_EQ(tensor.bytes().size(), 24u);
  EXPECT_THROW(tensor.as<double>(), std::logic_error);
  EXPECT_THROW(tensor.as<std::int32_t>(), std::logic_error);
}

TEST(SmallFloat, ReadsAndWritesEveryPattern) {
  const auto survives = []<class T>(T) {
    for (unsigned bits = 0; bits <= 0xffffU; ++bits) {
      T number;
      number.bits = static_cast<std::uint16_t>(bits);
      const auto value = static_cast<double>(number);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(static_cast<double>(T(value))));
      else
        EXPECT_EQ(T(value).bits, bits) << value;
    }
  };
  survives(Float16{});
  survives(BFloat16{});
}

TEST(SmallFloat, RoundsToTheNearestTiesToEven) {
  const auto half = [](double value) { return static_cast<double>(Float16(value)); };
  EXPECT_EQ(half(1 + 0x1p-11), 1.0);
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);  // rounding to float first would lose that
  EXPECT_EQ(half(1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(half(65504), 65504.0);
  EXPECT_EQ(half(65519.9), 65504.0);
  EXPECT_TRUE(std::isinf(half(65520)));
  EXPECT_TRUE(std::isinf(half(1e300)));
  EXPECT_EQ(half(0x1p-24), 0x1p-24);
  EXPECT_EQ(half(0x1p-25), 0.0);
  EXPECT_EQ(half(0x1.8p-25), 0x1p-24);
  EXPECT_EQ(half(0x1.ff8p-15), 0x1.ff8p-15);  // the largest that is not normal, and what rounds up to normal
  EXPECT_EQ(half(0x1.fffp-15), 0x1p-14);
  EXPECT_EQ(half(-2.5), -2.5);
  EXPECT_EQ(Float16(1).bits, 0x3c00);
  EXPECT_EQ(BFloat16(1).bits, 0x3f80);
  EXPECT_EQ(BFloat16(-3.140625).bits, 0xc049);
  EXPECT_TRUE(std::isinf(static_cast<double>(BFloat16(3.4e38 * 2))));
}

TEST(InDouble, KeepsTheNumbersOfEveryType) {
  for (int type = 0; type <= static_cast<int>(ElementType::u64); ++type) {
    HostTensor tensor(static_cast<ElementType>(type), {5});
    with_element(tensor.type(), [&]<class T>(T) {
      ASSERT_EQ(sizeof(T), element_size(tensor.type()));
      ASSERT_EQ(is_floating<T>, is_floating_point(tensor.type()));
      for (std::size_t i = 0; i < 5; ++i) tensor.as<T>()[i] = static_cast<T>(static_cast<double>(i * 25));
    });
    const HostTensor wide = in_double(view_of(tensor));
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(wide.as<double>()[i], static_cast<double>(i * 25)) << to_string(tensor.type());
  }
}

}  // namespace
}  // namespace tune
