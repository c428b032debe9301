// SPDX-License-Identifier: Apache-2.0
#include "search/space/row_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/random.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

using Digits = std::vector<RowGraph::Digit>;

/// Random distinct rows, in order.
std::set<Digits> random_rows(Random& random, const Digits& radices, std::size_t count) {
  std::set<Digits> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Digits row;
    for (const auto radix : radices) row.push_back(static_cast<RowGraph::Digit>(random.below(radix)));
    rows.insert(row);
  }
  return rows;
}

void check_graph(Random& random, const Digits& radices) {
  const auto expected = random_rows(random, radices, 200);
  const RowGraph rows = graph_of(std::vector<Digits>(expected.begin(), expected.end()), radices.size());
  ASSERT_EQ(rows.size(), expected.size());
  RowGraph::Row number = 0;
  for (const Digits& row : expected) {
    Digits unpacked(radices.size());
    rows.unpack(number, unpacked);
    EXPECT_EQ(unpacked, row);
    EXPECT_EQ(rows.find(row), number);
    // Each digit leads to the rows that agree up to there.
    RowGraph::Node node = *rows.root();
    for (std::size_t column = 0; column < radices.size(); ++column) {
      const RowGraph::Edge* edge = rows.edge(node, row[column]);
      ASSERT_NE(edge, nullptr);
      node = edge->child;
      const auto agrees = [&](const Digits& other) {
        return std::equal(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(column) + 1, other.begin());
      };
      ASSERT_EQ(rows.rows(node), static_cast<std::uint64_t>(std::ranges::count_if(expected, agrees)));
    }
    ++number;
  }
  for (const Digits& row : random_rows(random, radices, 200))
    EXPECT_EQ(rows.find(row).has_value(), expected.contains(row));
}

TEST(RowGraph, NumbersRowsInOrder) {
  Random random(1);
  check_graph(random, {3, 1, 4, 2, 5});
  check_graph(random, {1});
  check_graph(random, {1, 1, 7});
  check_graph(random, Digits(40, 9));
  check_graph(random, {4'000'000'000, 4'000'000'000, 3, 4'000'000'000});
}

TEST(RowGraph, HandlesNoRowsAndNoColumns) {
  const RowGraph none = graph_of({}, 2);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.root(), std::nullopt);
  EXPECT_EQ(none.find(Digits{0, 0}), std::nullopt);
  const RowGraph single = graph_of(std::vector<Digits>{{}}, 0);
  EXPECT_EQ(single.size(), 1U);
  EXPECT_EQ(single.find(Digits{}), 0U);
}

TEST(RowGraph, KeepsEqualEndingsOnce) {
  // Sixty columns of two digits: 2^60 rows, one node a column.
  RowGraphBuilder builder(60);
  RowGraph::Node node = RowGraph::end_node;
  for (int column = 0; column < 60; ++column)
    node = *builder.node(std::vector<RowGraphBuilder::Branch>{{0, node}, {1, node}});
  const RowGraph rows = std::move(builder).finish(node);
  EXPECT_EQ(rows.nodes(), 61U);
  EXPECT_EQ(rows.size(), std::uint64_t{1} << 60U);
  Digits digits(60);
  rows.unpack(0x123456789abcdefULL, digits);
  RowGraph::Row number = 0;
  for (const auto digit : digits) number = 2 * number + digit;
  EXPECT_EQ(number, 0x123456789abcdefULL);
  EXPECT_EQ(rows.find(digits), number);
}

TEST(RowGraph, CountsMoreRowsThanNumbers) {
  RowGraphBuilder builder(64);
  RowGraph::Node node = RowGraph::end_node;
  const auto add = [&] { node = *builder.node(std::vector<RowGraphBuilder::Branch>{{0, node}, {1, node}}); };
  for (int column = 0; column < 64; ++column) add();
  try {
    std::move(builder).finish(node);
    FAIL();
  } catch (const TooManyRows& error) {
    EXPECT_EQ(error.rows, "18446744073709551616");  // 2^64
  }
  RowGraphBuilder larger(128);
  node = RowGraph::end_node;
  for (int column = 0; column < 128; ++column)
    node = *larger.node(std::vector<RowGraphBuilder::Branch>{{0, node}, {1, node}});
  try {
    std::move(larger).finish(node);
    FAIL();
  } catch (const TooManyRows& error) {
    EXPECT_EQ(error.rows, "more than 340282366920938463463374607431768211455");
  }
}

TEST(Interned, TellsSequencesApart) {
  Interned known;
  Random random(3);
  std::set<std::vector<std::uint32_t>> all;
  for (int i = 0; i < 5'000; ++i) {
    std::vector<std::uint32_t> words(random.below(4));
    for (auto& word : words) word = static_cast<std::uint32_t>(random.below(16));
    const auto [number, added] = known.intern(words);
    EXPECT_EQ(added, all.insert(words).second);
    EXPECT_LT(number, all.size());
    EXPECT_EQ(known.intern(words).number, number);
  }
  EXPECT_EQ(known.size(), all.size());
}

}  // namespace
}  // namespace tune::search
