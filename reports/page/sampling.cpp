// SPDX-License-Identifier: Apache-2.0
#include "reports/page/sampling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reports/page/effects.hpp"

namespace tune::reports {
namespace {

/// The chosen rows of a section.
class Choice {
 public:
  explicit Choice(std::size_t rows) : chosen_(rows, false) {}
  void add(std::size_t row) {
    if (!chosen_[row]) ++count_;
    chosen_[row] = true;
  }
  bool has(std::size_t row) const { return chosen_[row]; }
  std::size_t count() const { return count_; }

 private:
  std::vector<bool> chosen_;
  std::size_t count_ = 0;
};

/// The first row of every combination of values of two parameters (or of one: a == b).
void add_best_of_values(const ValueTable& table, std::size_t a, std::size_t b, Choice& choice) {
  const std::size_t width = table.parameters[b].values.size();
  std::vector<bool> seen(table.parameters[a].values.size() * width, false);
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (table.level(a, row) < 0 || table.level(b, row) < 0) continue;
    const auto cell =
        static_cast<std::size_t>(table.level(a, row)) * width + static_cast<std::size_t>(table.level(b, row));
    if (seen[cell]) continue;
    seen[cell] = true;
    choice.add(row);
  }
}

void add_best_of_pairs(const ValueTable& table, std::size_t max_count, Choice& choice) {
  for (std::size_t a = 0; a < table.parameters.size(); ++a) {
    for (std::size_t b = a; b < table.parameters.size(); ++b) {
      if (table.parameters[a].values.size() > max_pair_values ||
          table.parameters[b].values.size() > max_pair_values)
        continue;
      if (choice.count() >= max_count) return;
      add_best_of_values(table, a, b, choice);
    }
  }
}

/// Those with a smaller error than all that are faster.
void add_front(const ValueTable& table, Choice& choice) {
  std::vector<std::size_t> order(table.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return table.values[row]; });
  double min = std::numeric_limits<double>::infinity();
  for (const std::size_t row : order) {
    if (table.errors[row] >= min) continue;
    min = table.errors[row];
    choice.add(row);
  }
}

}  // namespace

ShownRows shown_rows(const ValueTable& table, std::size_t max_count) {
  ShownRows shown;
  if (table.rows <= max_count) {
    shown.rows.resize(table.rows);
    std::iota(shown.rows.begin(), shown.rows.end(), std::size_t{0});
    shown.even.assign(table.rows, true);
    return shown;
  }
  Choice choice(table.rows), even(table.rows);
  for (std::size_t row = 0; row < max_count / 4; ++row) choice.add(row);
  for (const std::size_t row : neighbours_of_winner(table)) choice.add(row);
  add_front(table, choice);
  add_best_of_pairs(table, max_count / 2, choice);
  const std::size_t rest = std::max(max_count / 4, max_count - std::min(max_count, choice.count()));
  for (std::size_t i = 0; i < rest; ++i) {
    const std::size_t row = (2 * i + 1) * table.rows / (2 * rest);
    choice.add(row);
    even.add(row);
  }
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!choice.has(row)) continue;
    shown.rows.push_back(row);
    shown.even.push_back(even.has(row));
  }
  return shown;
}

std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& rows, std::size_t max_count) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i]; });
  std::vector<std::size_t> shares(rows.size());
  std::size_t left = max_count;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t share = left / (order.size() - i);
    shares[order[i]] = std::min(rows[order[i]], share);
    left -= shares[order[i]];
  }
  return shares;
}

}  // namespace tune::reports
