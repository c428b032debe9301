// SPDX-License-Identifier: Apache-2.0
#include "search/space/packed_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/random.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

using Digits = std::vector<PackedRows::Digit>;

/// Random distinct rows, in order.
std::set<Digits> random_rows(Random& random, const Digits& radices, std::size_t count) {
  std::set<Digits> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Digits row;
    for (const auto radix : radices) row.push_back(static_cast<PackedRows::Digit>(random.below(radix)));
    rows.insert(row);
  }
  return rows;
}

void check_table(Random& random, const Digits& radices) {
  const auto expected = random_rows(random, radices, 200);
  PackedRows rows(radices);
  for (const Digits& row : expected) rows.append(row);
  ASSERT_EQ(rows.size(), expected.size());
  PackedRows::Row number = 0;
  for (const Digits& row : expected) {
    Digits unpacked(radices.size());
    rows.unpack(number, unpacked);
    EXPECT_EQ(unpacked, row);
    EXPECT_EQ(rows.find(row), number);
    // Narrowing by all digits leads to the row.
    auto range = rows.all();
    for (std::size_t column = 0; column < radices.size(); ++column) {
      EXPECT_EQ(rows.digit(number, column), row[column]);
      range = rows.narrow(range, column, row[column]);
      const auto agrees = [&](const Digits& other) {
        return std::equal(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(column) + 1, other.begin());
      };
      ASSERT_EQ(range.end - range.begin, static_cast<std::uint64_t>(std::ranges::count_if(expected, agrees)));
      ASSERT_TRUE(range.begin <= number && number < range.end);
    }
    ++number;
  }
  for (const Digits& row : random_rows(random, radices, 200)) {
    EXPECT_EQ(rows.find(row).has_value(), expected.contains(row));
  }
}

TEST(PackedRows, FindsAndNarrowsInOneWord) {
  Random random(1);
  check_table(random, {3, 1, 4, 2, 5});
  check_table(random, {1});
  check_table(random, {1, 1, 7});
}

TEST(PackedRows, FindsAndNarrowsInSeveralWords) {
  Random random(2);
  check_table(random, Digits(40, 9));                           // 160 bits
  check_table(random, {65'536, 65'536, 65'536, 65'536, 1, 2});  // exactly one word, then one bit
  check_table(random, {4'000'000'000, 4'000'000'000, 3, 4'000'000'000});
}

TEST(PackedRows, HandlesNoRowsAndNoColumns) {
  PackedRows none(Digits{2, 3});
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.find(Digits{0, 0}), std::nullopt);
  EXPECT_TRUE(none.narrow(none.all(), 0, 1).empty());
  PackedRows single{Digits{}};
  single.append(Digits{});
  EXPECT_EQ(single.find(Digits{}), 0U);
}

}  // namespace
}  // namespace tune::search
