// SPDX-License-Identifier: Apache-2.0
#include "search/ask_tell/visited.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

TEST(Visited, DrawsEachOnceWhateverIsTakenInBetween) {
  for (const ConfigurationId size : {1U, 2U, 63U, 64U, 65U, 1'000U, 4'097U}) {
    Visited visited(size);
    Random random(size);
    std::set<ConfigurationId> seen;
    while (visited.remaining() > 0) {
      const auto id = visited.take_random(random);
      ASSERT_TRUE(id && *id < size && seen.insert(*id).second);
      const ConfigurationId other = random.below(size);
      EXPECT_EQ(visited.take(other), seen.insert(other).second);
      EXPECT_TRUE(visited.seen(other));
      EXPECT_EQ(visited.remaining(), size - seen.size());
    }
    EXPECT_EQ(seen.size(), size);
    EXPECT_FALSE(visited.take_random(random));
  }
}

TEST(Visited, NeverDrawsWhatIsClosed) {
  for (const ConfigurationId size : {100U, 4'097U, 1U << 27}) {
    Visited visited(size);
    Random random(1);
    visited.take(30);
    visited.take(70);
    visited.close(20, 50);
    EXPECT_EQ(visited.remaining(), size - 31);
    visited.close(size - 25, size);
    visited.close(40, 50);  // again
    EXPECT_EQ(visited.remaining(), size - 56);
    EXPECT_TRUE(visited.seen(20) && visited.seen(49) && visited.seen(size - 1));
    EXPECT_FALSE(visited.seen(19) || visited.seen(50) || visited.seen(size - 26));
    EXPECT_FALSE(visited.take(25));
    EXPECT_TRUE(visited.is_closed(25));
    EXPECT_FALSE(visited.is_closed(70));
    for (int draw = 0; draw < 1000; ++draw) {
      const ConfigurationId id = *visited.random_unseen(random);
      ASSERT_TRUE(id < size - 25 && id != 70 && (id < 20 || id >= 50)) << id;
    }
    if (size > 10'000) visited.close(60, size);
    std::set<ConfigurationId> left;
    for (const ConfigurationId id : visited.unseen()) left.insert(id);
    EXPECT_EQ(left.size(), visited.remaining());
    while (const auto id = visited.take_random(random)) EXPECT_EQ(left.erase(*id), 1U);
    EXPECT_TRUE(left.empty());
  }
}

TEST(Visited, ShowsWhatIsUnseenAndTakesNothing) {
  for (const ConfigurationId size : {1U, 64U, 65U, 4'097U}) {
    Visited visited(size);
    Random random(size);
    std::set<ConfigurationId> left;
    for (ConfigurationId id = 0; id < size; ++id) left.insert(id);
    while (!left.empty()) {
      const std::vector<ConfigurationId> unseen = visited.unseen();
      ASSERT_TRUE(std::ranges::equal(unseen, left));
      for (int draw = 0; draw < 3; ++draw) ASSERT_TRUE(left.contains(*visited.random_unseen(random)));
      for (std::size_t i = 0; i < unseen.size(); i += 2) {  // also some that are in its list
        visited.take(unseen[i]);
        left.erase(unseen[i]);
      }
    }
    EXPECT_TRUE(visited.unseen().empty());
    EXPECT_FALSE(visited.random_unseen(random));
  }
}

/// Of 640 configurations only those below 20 and the last of every 64 are unseen.
TEST(Visited, DrawsTheLastFewWithEqualChances) {
  constexpr ConfigurationId space_size = 640;
  std::vector<int> times(space_size);
  Random random(5);
  for (int run = 0; run < 3'000; ++run) {
    Visited visited(space_size);
    for (ConfigurationId id = 20; id < space_size; ++id)
      if (id % 64 != 63) visited.take(id);
    ASSERT_EQ(visited.remaining(), 30U);
    // Below the limit at which the unseen are listed from the eleventh on.
    for (int draw = 0; draw < 15; ++draw) ++times[*visited.take_random(random)];
  }
  for (ConfigurationId id = 0; id < space_size; ++id) {
    if (id < 20 || id % 64 == 63)
      EXPECT_NEAR(times[id], 3'000 * 15 / 30.0, 5 * std::sqrt(3'000 * 0.25)) << id;
    else
      EXPECT_EQ(times[id], 0) << id;
  }
}

TEST(Visited, TheBestIsTheCheapestThatDidNotFail) {
  Visited visited(10);
  EXPECT_FALSE(visited.best());
  visited.tell({4, std::nullopt});
  visited.tell({5, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_FALSE(visited.best());
  visited.tell({6, 2.0});
  visited.tell({7, 1.0});
  visited.tell({8, 1.0});
  EXPECT_EQ(visited.best(), 7U);
  visited.tell({7, 3.0});
  EXPECT_EQ(visited.best(), 8U);
  visited.tell({8, std::nullopt});
  EXPECT_EQ(visited.best(), 6U);
  visited.tell({6, 0.5});
  visited.tell({9, 0.75});
  EXPECT_EQ(visited.best(), 6U);
}

TEST(Visited, RemembersCosts) {
  Visited visited(10);
  visited.tell({4, std::nullopt});
  visited.tell({6, 2.0});
  EXPECT_EQ(visited.cost(4), std::numeric_limits<double>::infinity());
  EXPECT_EQ(visited.cost(6), 2.0);
  EXPECT_FALSE(visited.cost(1));
  EXPECT_TRUE(visited.take(1));
  EXPECT_FALSE(visited.cost(1));
  EXPECT_EQ(visited.told(), 2U);
  EXPECT_EQ(visited.remaining(), 7U);
}

}  // namespace
}  // namespace tune::search
