// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/nearest.hpp"

#include <gtest/gtest.h>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

const std::vector<std::string> kNames{"block_x", "block_y", "loader", "variant", "k"};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("blok_x", kNames), "block_x");
  EXPECT_EQ(nearest_name("blcok_y", kNames), "block_y");
  EXPECT_EQ(nearest_name("Variant", kNames), "variant");
  EXPECT_EQ(nearest_name("VARIANTS", kNames), "variant");
  EXPECT_EQ(nearest_name("reader", kNames), "loader");
  EXPECT_EQ(nearest_name("block", kNames), "block_x");  // the first of equals
  EXPECT_EQ(nearest_name("ko", kNames), "k");
}

TEST(NearestName, FindsNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("radius", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("blxyk_z", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("a", {}), std::nullopt);
  EXPECT_EQ(nearest_name("koo", {"k"}), std::nullopt);
}

TEST(NearestName, CountsASwapOnce) {
  // Two changes of four letters would be too far.
  EXPECT_EQ(nearest_name("tiel", {"tile"}), "tile");
}

TEST(DidYouMean, IsASuffixForMessages) {
  EXPECT_EQ(did_you_mean("loadr", kNames), " (did you mean 'loader'?)");
  EXPECT_EQ(did_you_mean("radius", kNames), "");
}

}  // namespace
}  // namespace tune::search
