// SPDX-License-Identifier: Apache-2.0
#include "search/space/row_graph.hpp"

#include <algorithm>
#include <limits>

namespace tune::search {
namespace {

std::uint64_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

Interned::Found Interned::intern(std::span<const std::uint32_t> words) {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t hash = hash_of(words);
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && std::ranges::equal(sequence(number), words)) return {number, false};
  }
  const auto number = static_cast<std::uint32_t>(size());
  words_.insert(words_.end(), words.begin(), words.end());
  begins_.push_back(words_.size());
  hashes_.push_back(hash);
  slots_[slot] = number + 1;
  if (2 * size() > slots_.size()) grow();
  return {number, true};
}

void Interned::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

const RowGraph::Edge* RowGraph::edge(Node node, Digit digit) const {
  const auto all = edges(node);
  // Most nodes have all digits of a parameter.
  if (digit < all.size() && all[digit].digit == digit) return &all[digit];
  const auto found = std::ranges::lower_bound(all, digit, {}, &Edge::digit);
  return found == all.end() || found->digit != digit ? nullptr : &*found;
}

void RowGraph::unpack(Row row, std::span<Digit> digits) const {
  Node node = *root_;
  for (Digit& digit : digits) {
    const auto all = edges(node);
    const auto next = std::ranges::upper_bound(all, row, {}, &Edge::before) - 1;
    digit = next->digit;
    row -= next->before;
    node = next->child;
  }
}

std::optional<RowGraph::Row> RowGraph::find(std::span<const Digit> digits) const {
  if (!root_) return std::nullopt;
  Node node = *root_;
  Row row = 0;
  for (const Digit digit : digits) {
    const Edge* next = edge(node, digit);
    if (next == nullptr) return std::nullopt;
    row += next->before;
    node = next->child;
  }
  return row;
}

namespace {

RowGraph::Row in_numbers(WideCount rows) {
  return static_cast<RowGraph::Row>(std::min<WideCount>(rows, RowGraph::max_rows));
}

std::string text_of(WideCount rows) {
  std::string text = rows == ~WideCount{0} ? "more than " : "";
  const std::size_t begin = text.size();
  for (; rows > 0; rows /= 10)
    text.insert(text.begin() + static_cast<std::ptrdiff_t>(begin),
                static_cast<char>('0' + static_cast<int>(rows % 10)));
  return text;
}

}  // namespace

TooManyRows::TooManyRows(WideCount count)
    : std::length_error(
          text_of(count) +
          " configurations are valid, more than can be numbered (9.2e18); fix a parameter or add a constraint"),
      rows(text_of(count)) {}

std::optional<RowGraph::Node> RowGraphBuilder::node(std::span<const Branch> branches) {
  if (branches.empty()) return std::nullopt;
  words_.clear();
  for (const Branch& branch : branches) {
    words_.push_back(branch.digit);
    words_.push_back(branch.child);
  }
  const auto [number, added] = known_.intern(words_);
  if (!added) return number + 1;
  WideCount rows = 0;
  for (const Branch& branch : branches) {
    graph_.edges_.push_back({branch.digit, branch.child, in_numbers(rows)});
    if (__builtin_add_overflow(rows, rows_[branch.child], &rows)) rows = ~WideCount{0};
  }
  rows_.push_back(rows);
  graph_.counts_.push_back(in_numbers(rows));
  graph_.begins_.push_back(graph_.edges_.size());
  return number + 1;
}

RowGraph RowGraphBuilder::finish(std::optional<Node> root) && {
  if (root && rows_[*root] > RowGraph::max_rows) throw TooManyRows(rows_[*root]);
  graph_.root_ = root;
  graph_.edges_.shrink_to_fit();
  return std::move(graph_);
}

namespace {

using Rows = std::span<const std::vector<RowGraph::Digit>>;

/// `rows` agree in the columns before `column`.
RowGraph::Node from_rows(Rows rows, std::size_t column, std::size_t columns, RowGraphBuilder& builder) {
  if (column == columns) return RowGraph::end_node;
  std::vector<RowGraphBuilder::Branch> branches;
  while (!rows.empty()) {
    const RowGraph::Digit digit = rows.front()[column];
    std::size_t same = 1;
    while (same < rows.size() && rows[same][column] == digit) ++same;
    branches.push_back({digit, from_rows(rows.first(same), column + 1, columns, builder)});
    rows = rows.subspan(same);
  }
  return *builder.node(branches);
}

}  // namespace

RowGraph graph_of(Rows rows, std::size_t columns) {
  RowGraphBuilder builder(columns);
  if (rows.empty()) return std::move(builder).finish(std::nullopt);
  const RowGraph::Node root = from_rows(rows, 0, columns, builder);
  return std::move(builder).finish(root);
}

namespace {

class Walk {
 public:
  using Row = RowGraph::Row;

  Walk(const RowGraph& rows, const std::vector<ProposedDigit>& proposed, std::size_t steps)
      : rows_(rows), proposed_(proposed), steps_(steps) {}

  bool gave_up() const { return steps_ == 0; }

  /// Finds the first row with at most `deviations` free columns that are not as preferred.
  std::optional<Row> first(GraphPosition place, std::size_t column, std::size_t deviations) {
    for (; column < rows_.columns(); ++column) {
      const ProposedDigit& proposal = proposed_[column];
      const RowGraph::Edge* edge = &rows_.edges(place.node).front();
      // A parameter exists in all rows of a node or in none: the columns before decide it.
      if (!proposal.optional || edge->digit != 0) {
        if (proposal.free && deviations > 0) return any_digit(place, column, deviations);
        if (!step()) return std::nullopt;
        edge = rows_.edge(place.node, proposal.digit);
        if (edge == nullptr) return std::nullopt;
      }
      place = {edge->child, place.before + edge->before};
    }
    return place.before;
  }

 private:
  std::optional<Row> any_digit(GraphPosition place, std::size_t column, std::size_t deviations) {
    for (const RowGraph::Edge& edge : rows_.edges(place.node)) {
      if (!step()) return std::nullopt;
      const bool deviates = edge.digit != proposed_[column].digit;
      const GraphPosition next{edge.child, place.before + edge.before};
      if (const auto row = first(next, column + 1, deviations - (deviates ? 1 : 0))) return row;
    }
    return std::nullopt;
  }

  bool step() {
    if (steps_ > 0) --steps_;
    return steps_ > 0;
  }

  const RowGraph& rows_;
  const std::vector<ProposedDigit>& proposed_;
  std::size_t steps_;
};

}  // namespace

Completion nearest_completion(const RowGraph& rows, GraphPosition place, std::size_t column,
                              const std::vector<ProposedDigit>& proposed, std::size_t steps) {
  Walk walk(rows, proposed, steps);
  const auto free = static_cast<std::size_t>(std::ranges::count(proposed, true, &ProposedDigit::free));
  for (std::size_t deviations = 0; deviations <= free; ++deviations) {
    if (const auto row = walk.first(place, column, deviations)) return {row, false};
    if (walk.gave_up()) return {std::nullopt, true};
  }
  return {};
}

std::optional<RowGraph::Row> nearest_row(const RowGraph& rows, const std::vector<ProposedDigit>& proposed) {
  if (!rows.root()) return std::nullopt;
  // A node belongs to one column, which is not stored: its depth below the root.
  constexpr auto unknown = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> fewest(rows.nodes(), unknown);
  const auto deviates = [&](const RowGraph::Edge& edge, std::size_t column) -> std::uint32_t {
    if (proposed[column].optional && edge.digit == 0) return 0;
    return edge.digit == proposed[column].digit ? 0 : 1;
  };
  const auto count = [&](const auto& self, RowGraph::Node node, std::size_t column) -> std::uint32_t {
    if (column == rows.columns()) return 0;
    if (fewest[node] != unknown) return fewest[node];
    std::uint32_t min = unknown;
    for (const RowGraph::Edge& edge : rows.edges(node))
      min = std::min(min, deviates(edge, column) + self(self, edge.child, column + 1));
    return fewest[node] = min;
  };
  count(count, *rows.root(), 0);
  GraphPosition place{*rows.root(), 0};
  for (std::size_t column = 0; column < rows.columns(); ++column) {
    const auto edges = rows.edges(place.node);
    const auto best = std::ranges::find_if(edges, [&](const RowGraph::Edge& edge) {
      return deviates(edge, column) + count(count, edge.child, column + 1) == fewest[place.node];
    });
    place = {best->child, place.before + best->before};
  }
  return place.before;
}

}  // namespace tune::search
