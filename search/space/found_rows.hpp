// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/space/construction.hpp"
#include "search/space/row_graph.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// Valid configurations of a space that cannot be counted, beside those that were drawn from it: each gets a
/// number when it is first found. A row has one digit a parameter, in declaration order (see build_graph).
/// Several threads at a time.
class FoundRows {
 public:
  using Digit = RowGraph::Digit;
  using Row = std::vector<Digit>;

  explicit FoundRows(const SpaceDefinition& definition)
      : definition_(definition), construction_(definition_) {}

  /// Returns the row's number, from 0 on, or nothing where it is not valid.
  std::optional<std::size_t> find(const Row& row);
  std::size_t size() const;
  Row row(std::size_t number) const;
  /// Returns the row with other values of some parameters. Of the others those that come to exist take their
  /// defaults. Nothing where it is not valid.
  std::optional<Row> changed(const Row& row, std::span<const std::pair<std::size_t, Digit>> changes);

 private:
  bool construct(Row& row, bool complete);

  const SpaceDefinition definition_;
  Construction construction_;
  mutable std::mutex mutex_;  ///< for everything below, and the construction
  std::vector<Row> rows_;
  std::map<Row, std::size_t> numbers_;
};

}  // namespace tune::search
