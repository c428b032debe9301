// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/nearest.hpp"

#include <algorithm>

namespace tune::search {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Edit distance with swaps of neighbours ("optimal string alignment"), three rows of its table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  std::size_t min = 0;
  const auto letters = std::ranges::count_if(wanted, [](char c) { return c != '-'; });
  for (const std::string& name : known) {
    const std::size_t limit = std::max<std::size_t>(1, (std::max(wanted.size(), name.size()) + 1) / 3);
    const bool begins = letters >= 3 && edit_distance(wanted, name.substr(0, wanted.size())) == 0;
    const std::size_t distance =
        begins ? std::min<std::size_t>(name.size() - wanted.size(), 1) : edit_distance(wanted, name);
    if (distance > limit || (nearest != nullptr && distance >= min)) continue;
    nearest = &name;
    min = distance;
  }
  return nearest == nullptr ? std::nullopt : std::optional(*nearest);
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known) {
  const auto nearest = nearest_name(wanted, known);
  return nearest ? " (did you mean '" + *nearest + "'?)" : "";
}

}  // namespace tune::search
