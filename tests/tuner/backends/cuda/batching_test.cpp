// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tuner/backends/cuda/plan/execution_graph.hpp"

namespace tune::cuda {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t memory = 4096 * mib;

TEST(Batching, MakesSamplesLongAgainstTheirEvents) {
  EXPECT_EQ(batching(4e-6, mib, memory, 1, false).executions, 100);
  EXPECT_EQ(batching(2e-6, mib, memory, 1, false).executions, 200);
  EXPECT_EQ(batching(1e-7, mib, memory, 1, false).executions, 256) << "no more launches than that";
  EXPECT_EQ(batching(0, mib, memory, 1, false).executions, 256);
  EXPECT_EQ(batching(4e-6, mib, memory, 1, false).copies, 1) << "warm";
}

TEST(Batching, KeepsPipelinesShort) {
  EXPECT_EQ(batching(2e-6, mib, memory, 8, false).executions, 32);
  EXPECT_EQ(batching(2e-6, mib, memory, 1000, false).executions, 2);
}

TEST(Batching, GivesEveryColdExecutionItsOwnBuffers) {
  for (const std::uint64_t plan : {std::uint64_t{4096}, 1 * mib, 7 * mib, 40 * mib, 500 * mib}) {
    const auto cold = batching(4e-6, plan, memory, 1, true);
    EXPECT_GT(cold.executions, 1);
    EXPECT_EQ(cold.copies, cold.executions) << plan;
    EXPECT_LE(static_cast<std::uint64_t>(cold.copies - 1) * plan, memory);
  }
  EXPECT_EQ(batching(4e-6, 2 * memory, memory, 1, true), (Batching{1, 1})) << "no room for a second one";
}

}  // namespace
}  // namespace tune::cuda
