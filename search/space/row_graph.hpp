// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tune::search {

/// Holds each sequence of words once, numbered from 0 in the order of arrival. Equal hashes alone do not make
/// sequences equal.
class Interned {
 public:
  struct Found {
    std::uint32_t number;
    bool added;  ///< false where it was there before
  };

  Interned() : begins_{0}, slots_(64) {}

  Found intern(std::span<const std::uint32_t> words);
  std::size_t size() const { return begins_.size() - 1; }

 private:
  std::span<const std::uint32_t> sequence(std::uint32_t number) const {
    return std::span(words_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  void grow();

  std::vector<std::uint32_t> words_;   ///< all sequences, one behind the other
  std::vector<std::uint64_t> begins_;  ///< of each, and the end of the last
  std::vector<std::uint64_t> hashes_;  ///< of each
  std::vector<std::uint32_t> slots_;   ///< open addressing: number + 1, 0 where free; a power of two
};

/// A number of rows that cannot be numbered. The largest stands for itself and all beyond.
__extension__ using WideCount = unsigned __int128;

/// Thrown where there are more rows than RowGraph::max_rows.
struct TooManyRows : std::length_error {
  explicit TooManyRows(WideCount rows);

  std::string rows;  ///< how many, in decimal digits
};

/// A set of rows of small numbers ("digits"), one row a configuration and one column a parameter, numbered in
/// increasing lexical order. A graph with one level a column: an edge is a digit, a path from the root to the
/// end is a row, and where the same endings follow different beginnings they are kept once (a decision
/// diagram). So there can be far more rows than the memory holds: a node stores the number of rows before
/// each of its edges, which is enough to count them, to find a row's number and a number's row.
class RowGraph {
 public:
  using Digit = std::uint32_t;
  using Row = std::uint64_t;
  using Node = std::uint32_t;

  /// More rows could not be numbered.
  static constexpr Row max_rows = static_cast<Row>(INT64_MAX);
  /// The node below the last column: one row, without digits.
  static constexpr Node end_node = 0;

  struct Edge {
    Digit digit;
    Node child;
    Row before;  ///< rows of the node with smaller digits
  };

  /// Makes a graph without rows.
  explicit RowGraph(std::size_t columns = 0) : columns_(columns) {}

  std::size_t columns() const { return columns_; }
  Row size() const { return root_ ? rows(*root_) : 0; }
  /// Returns the node at which all rows begin, or nothing where there are none.
  std::optional<Node> root() const { return root_; }
  /// Returns the number of nodes, the end included. Children have smaller numbers.
  std::size_t nodes() const { return counts_.size(); }

  /// Returns the node's digits, increasing; none at the end.
  std::span<const Edge> edges(Node node) const {
    return std::span(edges_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }
  /// Returns the number of rows from this node on.
  Row rows(Node node) const { return counts_[node]; }
  /// Returns null where no row goes on with this digit.
  const Edge* edge(Node node, Digit digit) const;

  /// `row` < size(), one digit a column.
  void unpack(Row row, std::span<Digit> digits) const;
  /// O(columns * log digits).
  std::optional<Row> find(std::span<const Digit> digits) const;

 private:
  friend class RowGraphBuilder;

  std::size_t columns_;
  std::optional<Node> root_;
  std::vector<Row> counts_ = {1};
  std::vector<std::size_t> begins_ = {0, 0};  ///< of each node's edges, and the end of the last
  std::vector<Edge> edges_;
};

/// Makes a graph from its end to its root.
class RowGraphBuilder {
 public:
  using Digit = RowGraph::Digit;
  using Node = RowGraph::Node;
  struct Branch {
    Digit digit;
    Node child;
  };

  explicit RowGraphBuilder(std::size_t columns) : graph_(columns) {}

  /// Returns the node with these branches, whose digits increase: the same node for the same branches,
  /// nothing without any.
  std::optional<Node> node(std::span<const Branch> branches);
  /// Throws TooManyRows.
  RowGraph finish(std::optional<Node> root) &&;

 private:
  RowGraph graph_;
  std::vector<WideCount> rows_ = {1};  ///< of each node, which the graph has in 63 bits
  Interned known_;                     ///< number + 1 is the node
  std::vector<std::uint32_t> words_;
};

/// Makes the graph of these rows, which are in increasing order without repetition.
RowGraph graph_of(std::span<const std::vector<RowGraph::Digit>> rows, std::size_t columns);

/// The digits that a column of a completion may hold.
struct ProposedDigit {
  RowGraph::Digit digit = 0;  ///< wanted, or preferred where `free`
  bool free = false;          ///< whether another digit will do
  bool optional = false;  ///< whether digit 0 means that the parameter does not exist, which is always fine
};

/// The row that a walk found; `gave_up` where it ran out of steps before it was certain.
struct Completion {
  std::optional<RowGraph::Row> row;
  bool gave_up = false;
};

/// A node with the way to it: the number of its first row.
struct GraphPosition {
  RowGraph::Node node = RowGraph::end_node;
  RowGraph::Row before = 0;
};

/// Finds the row from `place` on, a node of `column`, that has all digits that are not free and differs from
/// the preferred digits in the fewest free columns; the first of these. The walk takes at most `steps`
/// branches; nothing is evaluated again.
Completion nearest_completion(const RowGraph& rows, GraphPosition place, std::size_t column,
                              const std::vector<ProposedDigit>& proposed, std::size_t steps);

/// Does the same over all rows and without a limit, where all digits are free: looks at each edge once.
/// Returns nothing where there are no rows.
std::optional<RowGraph::Row> nearest_row(const RowGraph& rows, const std::vector<ProposedDigit>& proposed);

}  // namespace tune::search
