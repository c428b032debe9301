// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/table.hpp"

#include <algorithm>

namespace tune::cli {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row.at(i).size());
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += row[i];
      // No spaces at the end of a line: they make a terminal wrap.
      if (i + 1 < widths.size()) text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace tune::cli
