// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/space/row_graph.hpp"

namespace tune::search {

/// What a column of a completion may hold.
struct ProposedDigit {
  RowGraph::Digit digit = 0;  ///< wanted, or preferred where `free`
  bool free = false;          ///< whether another digit will do
  bool optional = false;  ///< whether digit 0 means that the parameter does not exist, which is always fine
};

/// What a walk found; `gave_up` where it ran out of steps before it could say.
struct Completion {
  std::optional<RowGraph::Row> row;
  bool gave_up = false;
};

/// A node with the way to it: the number of its first row.
struct GraphPosition {
  RowGraph::Node node = RowGraph::end_node;
  RowGraph::Row before = 0;
};

/// The row from `place` on, a node of `column`, that grants all wishes that are not free and differs from the
/// preferred digits in the fewest free columns; the first of these. The walk takes at most `steps` branches;
/// nothing is evaluated again.
Completion nearest_completion(const RowGraph& rows, GraphPosition place, std::size_t column,
                              const std::vector<ProposedDigit>& proposed, std::size_t steps);

/// The same over all rows and without a limit, where all wishes are free: looks at each edge once. Nothing
/// where there are no rows.
std::optional<RowGraph::Row> nearest_row(const RowGraph& rows, const std::vector<ProposedDigit>& proposed);

}  // namespace tune::search
