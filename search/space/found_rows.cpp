// SPDX-License-Identifier: Apache-2.0
#include "search/space/found_rows.hpp"

#include <algorithm>

#include "search/expressions/expr.hpp"

namespace tune::search {

std::optional<std::size_t> FoundRows::find(const Row& row) {
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(row); known != numbers_.end()) return known->second;
  Row same = row;
  if (!construct(same, false)) return std::nullopt;
  rows_.push_back(row);
  return numbers_[row] = rows_.size() - 1;
}

std::size_t FoundRows::size() const {
  const std::lock_guard lock(mutex_);
  return rows_.size();
}

FoundRows::Row FoundRows::row(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  return rows_.at(number);
}

std::optional<FoundRows::Row> FoundRows::changed(const Row& row,
                                                 std::span<const std::pair<std::size_t, Digit>> changes) {
  const std::lock_guard lock(mutex_);
  Row other = row;
  for (const auto& [parameter, digit] : changes) other[parameter] = digit;
  return construct(other, true) ? std::optional(std::move(other)) : std::nullopt;
}

/// `complete`: parameters that exist without a value take their defaults, and the values of others are
/// dropped.
bool FoundRows::construct(Row& row, bool complete) {
  try {
    if (!construction_.accepts(0)) return false;
    for (std::size_t p = 0; p < row.size(); ++p) {
      const Parameter& parameter = definition_.parameters[p];
      const Digit first = parameter.exists_if ? 1 : 0;
      const bool exists = construction_.exists(p);
      if (complete && !exists) row[p] = 0;
      if (complete && exists && row[p] < first)
        row[p] = first + static_cast<Digit>(std::ranges::find(parameter.values, parameter.default_value) -
                                            parameter.values.begin());
      if (exists != (row[p] >= first)) return false;
      if (exists)
        construction_.assign(p, row[p] - first);
      else
        construction_.pass_over(p);
      if (!construction_.accepts(p + 1)) return false;
    }
    return true;
  } catch (const ExprError&) {
    return false;  // a constraint that cannot be computed
  }
}

}  // namespace tune::search
