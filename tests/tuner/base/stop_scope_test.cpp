// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/stop_scope.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tuner/base/parallel.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

/// Takes seconds, in steps of a millisecond.
void work_for_long(std::uint64_t, std::uint64_t) {
  for (int i = 0; i < 5'000; ++i) {
    throw_if_stopped();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(StopScope, EndsWorkOfThisThreadAndOfParallelLoops) {
  const std::thread::id asking = std::this_thread::get_id();
  for (const std::uint64_t parts : {1, 64}) {
    const Stopwatch watch;
    const StopScope scope([&] {
      EXPECT_EQ(std::this_thread::get_id(), asking);
      return watch.seconds() > 0.03;
    });
    EXPECT_THROW(parallel_for(parts, 1, work_for_long), Stopped);
    EXPECT_GE(watch.seconds(), 0.03);
    EXPECT_LT(watch.seconds(), 0.3);
  }
}

TEST(StopScope, EndsLoopsWithinLoops) {
  const Stopwatch watch;
  const StopScope scope([&] { return watch.seconds() > 0.03; });
  EXPECT_THROW(parallel_for(8, 1, [](std::uint64_t, std::uint64_t) { parallel_for(8, 1, work_for_long); }),
               Stopped);
  EXPECT_LT(watch.seconds(), 0.3);
}

TEST(StopScope, OnlyTheInnermostCounts) {
  EXPECT_NO_THROW(throw_if_stopped());
  const StopScope outer([] { return true; });
  {
    const StopScope inner({});
    EXPECT_NO_THROW(throw_if_stopped());
  }
  EXPECT_THROW(throw_if_stopped(), Stopped);
}

TEST(StopScope, IsNotThatOfOtherThreads) {
  const StopScope scope([] { return true; });
  std::jthread([] { EXPECT_NO_THROW(throw_if_stopped()); });
}

}  // namespace
}  // namespace tune
