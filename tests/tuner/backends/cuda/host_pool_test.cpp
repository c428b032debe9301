// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "tuner/backends/cuda/runtime/memory_pool.hpp"

namespace tune::cuda {
namespace {

// Pinned memory needs a device; what is pageable does not.
constexpr MemoryPlace pageable = MemoryPlace::pageable;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(HostPool, GivesTheSameMemoryAgain) {
  HostMemoryPool pool;
  HostMemory first = pool.take(8 * mebibyte, pageable);
  ASSERT_NE(first.data(), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 4096, 0u);
  std::memset(first.data(), 1, first.size());
  auto* const place = first.data();
  pool.give_back(std::move(first));
  HostMemory second = pool.take(7 * mebibyte, pageable);
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(second.size(), 8 * mebibyte);
}

TEST(HostPool, KeepsLargeMemoryForLargePlans) {
  HostMemoryPool pool;
  HostMemory large = pool.take(64 * mebibyte, pageable);
  auto* const place = large.data();
  pool.give_back(std::move(large));
  const HostMemory small = pool.take(mebibyte, pageable);
  EXPECT_NE(small.data(), place);
  EXPECT_EQ(small.size(), mebibyte);
  EXPECT_EQ(pool.take(60 * mebibyte, pageable).data(), place);
}

TEST(HostPool, TooMuchIsNoMemory) {
  ASSERT_GT(available_host_memory(), 0u);
  HostMemoryPool pool;
  pool.give_back(pool.take(mebibyte, pageable));
  const HostMemory none = pool.take(available_host_memory() + (std::size_t{1} << 30), pageable);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0u);
  pool.give_back(HostMemory{});
}

}  // namespace
}  // namespace tune::cuda
