// SPDX-License-Identifier: Apache-2.0
#include "search/space/completion.hpp"

#include <algorithm>

namespace tune::search {

namespace {

class Walk {
 public:
  using Row = PackedRows::Row;
  using Range = PackedRows::Range;

  Walk(const PackedRows& rows, const std::vector<Wish>& wishes, std::size_t steps)
      : rows_(rows), wishes_(wishes), steps_(steps) {}

  bool gave_up() const { return steps_ == 0; }

  /// The first row with at most `deviations` free columns that are not as preferred.
  std::optional<Row> first(Range range, std::size_t column, std::size_t deviations) {
    for (; !range.empty() && column < rows_.columns(); ++column) {
      const Wish& wish = wishes_[column];
      // A parameter exists in all rows of the range or in none: the columns before decide it.
      if (wish.optional && rows_.digit(range.begin, column) == 0) continue;
      if (wish.free && deviations > 0) return any_digit(range, column, deviations);
      range = narrow(range, column, wish.digit);
    }
    if (range.empty()) return std::nullopt;
    return range.begin;
  }

 private:
  std::optional<Row> any_digit(Range range, std::size_t column, std::size_t deviations) {
    while (!range.empty()) {
      const PackedRows::Digit digit = rows_.digit(range.begin, column);
      const Range same = narrow(range, column, digit);
      if (same.empty()) return std::nullopt;  // out of steps
      const bool deviates = digit != wishes_[column].digit;
      if (const auto row = first(same, column + 1, deviations - (deviates ? 1 : 0))) return row;
      range.begin = same.end;
    }
    return std::nullopt;
  }

  Range narrow(Range range, std::size_t column, PackedRows::Digit digit) {
    if (steps_ == 0) return {};
    --steps_;
    return rows_.narrow(range, column, digit);
  }

  const PackedRows& rows_;
  const std::vector<Wish>& wishes_;
  std::size_t steps_;
};

}  // namespace

Completion nearest_completion(const PackedRows& rows, PackedRows::Range range, std::size_t column,
                              const std::vector<Wish>& wishes, std::size_t steps) {
  Walk walk(rows, wishes, steps);
  const auto free = static_cast<std::size_t>(std::ranges::count(wishes, true, &Wish::free));
  for (std::size_t deviations = 0; deviations <= free; ++deviations) {
    if (const auto row = walk.first(range, column, deviations)) return {row, false};
    if (walk.gave_up()) return {std::nullopt, true};
  }
  return {};
}

}  // namespace tune::search
