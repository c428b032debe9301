// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "search/space/packed_rows.hpp"

namespace tune::search {

/// What a column of a completion may hold.
struct Wish {
  PackedRows::Digit digit = 0;  ///< wanted, or preferred where `free`
  bool free = false;            ///< whether another digit will do
  bool optional = false;  ///< whether digit 0 means that the parameter does not exist, which is always fine
};

/// What a walk found; `gave_up` where it ran out of steps before it could say.
struct Completion {
  std::optional<PackedRows::Row> row;
  bool gave_up = false;
};

/// The row among `range` that grants all wishes that are not free and differs from the preferred digits in
/// the fewest free columns; the first of these. `range` agrees in the columns before `column`. The walk
/// narrows ranges of rows, at most `steps` times, so that nothing is evaluated again.
Completion nearest_completion(const PackedRows& rows, PackedRows::Range range, std::size_t column,
                              const std::vector<Wish>& wishes, std::size_t steps);

}  // namespace tune::search
