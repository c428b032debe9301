// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/nearest.hpp"

#include <gtest/gtest.h>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

const std::vector<std::string> known_names{"block_x", "block_y", "loader", "variant", "k"};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("blok_x", known_names), "block_x");
  EXPECT_EQ(nearest_name("blcok_y", known_names), "block_y");
  EXPECT_EQ(nearest_name("Variant", known_names), "variant");
  EXPECT_EQ(nearest_name("VARIANTS", known_names), "variant");
  EXPECT_EQ(nearest_name("reader", known_names), "loader");
  EXPECT_EQ(nearest_name("block", known_names), "block_x");  // the first of equals
  EXPECT_EQ(nearest_name("ko", known_names), "k");
}

TEST(NearestName, FindsNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("radius", known_names), std::nullopt);
  EXPECT_EQ(nearest_name("blxyk_z", known_names), std::nullopt);
  EXPECT_EQ(nearest_name("a", {}), std::nullopt);
  EXPECT_EQ(nearest_name("koo", {"k"}), std::nullopt);
}

TEST(NearestName, CountsASwapOnce) {
  // Two changes of four letters would be too far.
  EXPECT_EQ(nearest_name("tiel", {"tile"}), "tile");
}

TEST(NearestName, TakesTheBeginningOfAName) {
  EXPECT_EQ(nearest_name("budget", {"quiet", "budget-evals", "budget-time"}), "budget-evals");
  EXPECT_EQ(nearest_name("BLOCK", {"lock", "block_size_x"}), "lock");  // the first of equals
  EXPECT_EQ(nearest_name("bl", {"block_size_x"}), std::nullopt);
}

TEST(DidYouMean, IsASuffixForMessages) {
  EXPECT_EQ(did_you_mean("loadr", known_names), " (did you mean 'loader'?)");
  EXPECT_EQ(did_you_mean("radius", known_names), "");
}

}  // namespace
}  // namespace tune::search
