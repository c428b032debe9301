// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tune::reports {

/// A table as rows of cells; the first row is the header and says how many cells a row has.
class Grid {
 public:
  explicit Grid(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }
  /// The header first.
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// Columns as wide as their widest cell, two spaces between, every line behind `indent`.
  std::string text(const std::string& indent) const;
  /// A table of Markdown (GitHub's and most others').
  std::string markdown() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// With what Markdown would read as something else made plain.
std::string markdown_text(const std::string& text);

}  // namespace tune::reports
