// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/data/report_data.hpp"
#include "reports/data/result.hpp"

/// The words and tables that the reports for people share.
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

/// `stencil3d 512x512x512 radius=1,type=float on NVIDIA H200`.
std::string title(const Section& section);
/// The winner of a section that has one.
ShownResult winner_of(const Section& section);
/// How many others tie with the winner.
std::uint64_t tied_count(const Section& section);
/// The same in words: `none`, `2 other configurations`.
std::string tied_text(const Section& section);
/// What is known of a section in a line each: a short name and its text.
std::vector<std::pair<std::string, std::string>> properties(const Section& section);

/// The fastest configurations.
Grid top_table(const Section& section);
Grid failure_table(const Section& section);
Grid run_table(const Section& section);
/// One line a section; worth showing where there are several.
Grid overview_table(const ReportData& data);

}  // namespace tune::reports
