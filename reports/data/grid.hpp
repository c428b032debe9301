// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/base/text_style.hpp"

namespace tune::reports {

/// A table as rows of cells; the first row is the header, and all rows have as many cells.
class Grid {
 public:
  explicit Grid(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> cells);
  /// A row whose last cell is the text of this configuration; all rows of a table are, or none.
  void add(std::vector<std::string> cells, const search::Configuration& configuration);
  /// Names the columns that a narrow terminal leaves out, those first that tell least.
  void leave_out(std::vector<std::string> columns) { least_telling_ = std::move(columns); }
  /// Names the column whose texts are broken into lines where they are too long, instead of cut.
  void wrap(std::string column) { wrapped_ = std::move(column); }
  /// The first row is the best one.
  void rank() { ranked_ = true; }
  /// Shows these columns and parameters alone, in this order, in every width; does nothing for an empty list.
  /// A name may have `_` for a blank. Throws UsageError for an unknown one.
  void show_only(const std::vector<std::string>& names);
  bool empty() const { return rows_.size() == 1; }
  /// The header first.
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// Columns as wide as their widest cell, with two spaces between, every line after `indent`. Within a
  /// width, cells that are the same in all rows go into a line above the table; configurations become a
  /// column for each parameter that varies; then columns are left out and texts cut until no row is too long.
  std::string text(const std::string& indent, const TextStyle& style = {}) const;
  /// A table in Markdown.
  std::string markdown() const;

 private:
  std::string fitted(const std::string& indent, const TextStyle& style) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<search::Configuration> configurations_;  ///< of each row but the header, or empty
  std::vector<std::string> least_telling_;
  std::string wrapped_;
  bool ranked_ = false, is_chosen_ = false;
};

/// Escapes the characters that have a meaning in Markdown.
std::string markdown_text(const std::string& text);

}  // namespace tune::reports
