// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tuner/backends/cuda/plan/execution_graph.hpp"

namespace tune::cuda {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t l2 = 60 * mib;

TEST(Batching, MakesSamplesLongAgainstTheirEvents) {
  EXPECT_EQ(batching(4e-6, mib, l2, 1, false).executions, 100);
  EXPECT_EQ(batching(2e-6, mib, l2, 1, false).executions, 200);
  EXPECT_EQ(batching(1e-7, mib, l2, 1, false).executions, 256) << "no more launches than that";
  EXPECT_EQ(batching(0, mib, l2, 1, false).executions, 256);
  EXPECT_EQ(batching(4e-6, mib, l2, 1, false).copies, 1) << "warm";
}

TEST(Batching, KeepsPipelinesShort) {
  EXPECT_EQ(batching(2e-6, mib, l2, 8, false).executions, 32);
  EXPECT_EQ(batching(2e-6, mib, l2, 1000, false).executions, 2);
}

TEST(Batching, TakesTurnsOnMoreThanTheCacheHolds) {
  for (const std::uint64_t plan : {1 * mib, 5 * mib, 7 * mib, 40 * mib, 500 * mib}) {
    const auto cold = batching(4e-6, plan, l2, 1, true);
    EXPECT_GT(cold.executions, 1);
    const auto between = static_cast<std::uint64_t>(cold.copies - 1) * plan;
    EXPECT_TRUE(between >= 2 * l2 || cold.copies == cold.executions) << plan;
    EXPECT_LE(between, 2 * l2 + plan) << "and not on much more";
  }
}

TEST(Batching, GivesEveryTinyExecutionItsOwnBuffers) {
  const auto tiny = batching(2e-6, 4096, l2, 1, true);
  EXPECT_EQ(tiny.copies, tiny.executions);
}

}  // namespace
}  // namespace tune::cuda
