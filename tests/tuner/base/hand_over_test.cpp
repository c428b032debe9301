// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/hand_over.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tune {
namespace {

using Give = std::function<void(int)>;

TEST(HandOver, KeepsTheOrderAndTheRoom) {
  std::atomic<int> ahead = 0;
  int most = 0;
  std::vector<int> taken;
  hand_over<int>(
      [&](const Give& give) {
        for (int i = 0; i < 1000; ++i) {
          give(i);
          ++ahead;
        }
      },
      [&](int value) {
        most = std::max(most, ahead.load());
        --ahead;
        taken.push_back(value);
      },
      4);
  ASSERT_EQ(taken.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)], i);
  EXPECT_LE(most, 9) << "four that wait, four that are taken, one that is just given";
}

TEST(HandOver, NothingIsGiven) {
  hand_over<int>([](const Give&) {}, [](int) { FAIL(); }, 1);
}

TEST(HandOver, AnErrorOfTheProducerComesBehindWhatItGave) {
  int taken = 0;
  EXPECT_THROW(hand_over<int>(
                   [](const Give& give) {
                     give(1);
                     give(2);
                     throw std::runtime_error("cut off");
                   },
                   [&](int) { ++taken; }, 8),
               std::runtime_error);
  EXPECT_EQ(taken, 2);
}

TEST(HandOver, AnErrorOfTheTakerEndsTheProducer) {
  std::atomic<int> given = 0;
  EXPECT_THROW(hand_over<int>(
                   [&](const Give& give) {
                     for (int i = 0;; ++i, ++given) give(i);
                   },
                   [](int value) {
                     if (value == 3) throw std::invalid_argument("no room");
                   },
                   2),
               std::invalid_argument);
  EXPECT_LT(given, 12);
}

}  // namespace
}  // namespace tune
