// SPDX-License-Identifier: Apache-2.0
#include "search/space/completion.hpp"

#include <algorithm>
#include <limits>

namespace tune::search {

namespace {

class Walk {
 public:
  using Row = RowGraph::Row;

  Walk(const RowGraph& rows, const std::vector<ProposedDigit>& proposed, std::size_t steps)
      : rows_(rows), proposed_(proposed), steps_(steps) {}

  bool gave_up() const { return steps_ == 0; }

  /// The first row with at most `deviations` free columns that are not as preferred.
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
  // A node belongs to one column, which is not kept: from the root on, the columns are those of its depth.
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
