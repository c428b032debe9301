// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/rank_agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tune {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

TEST(RankAgreement, DependsOnTheOrderAlone) {
  const RankAgreement same = rank_agreement(Pairs{{1, 10}, {2, 11}, {3, 5000}, {0.5, 9}});
  EXPECT_EQ(same.pairs, 4u);
  EXPECT_DOUBLE_EQ(same.correlation.value(), 1);
  EXPECT_DOUBLE_EQ(rank_agreement(Pairs{{1, 3}, {2, 2}, {3, 1}}).correlation.value(), -1);
  // Ranks 0 1 2 3 and 0 2 1 3: 1 - 6 (1 + 1) / (4 (16 - 1)).
  EXPECT_DOUBLE_EQ(rank_agreement(Pairs{{1, 1}, {2, 3}, {3, 2}, {4, 4}}).correlation.value(), 0.8);
}

TEST(RankAgreement, EqualValuesShareTheirRank) {
  // Ranks 0.5 0.5 2 and 0 1 2.
  EXPECT_NEAR(rank_agreement(Pairs{{1, 1}, {1, 2}, {2, 3}}).correlation.value(), 1.5 / std::sqrt(1.5 * 2),
              1e-12);
}

TEST(RankAgreement, NeedsThreePairsAndDifferentValues) {
  EXPECT_EQ(rank_agreement({}).pairs, 0u);
  EXPECT_FALSE(rank_agreement(Pairs{{1, 1}, {2, 2}}).correlation);
  EXPECT_EQ(rank_agreement(Pairs{{1, 1}, {2, 2}}).pairs, 2u);
  EXPECT_FALSE(rank_agreement(Pairs{{1, 1}, {1, 2}, {1, 3}}).correlation);
}

}  // namespace
}  // namespace tune
