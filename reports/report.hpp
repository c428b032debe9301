// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "reports/data/report_data.hpp"
#include "tuner/base/text_style.hpp"

namespace tune::reports {

/// A line of the table of reports.
struct ReportKind {
  std::string_view name;     ///< for --format: `markdown`
  std::string_view suffix;   ///< the ending of its files: `.md`
  std::string_view summary;  ///< for the help
  /// Writes the whole file, in UTF-8: equal data give equal text.
  void (*write)(const ReportData& data, std::ostream& out);

  /// The same in memory.
  std::string render(const ReportData& data) const;
};

std::span<const ReportKind> report_kinds();
/// Null where there is none.
const ReportKind* find_report(std::string_view name);
/// The kind with the ending of the file's name; null where there is none.
const ReportKind* report_for_file(std::string_view file_name);

/// Plain text, or text in the style of a terminal: a block for each section. A style with a width adds
/// charts.
std::string text_report(const ReportData& data, const TextStyle& style = {});
/// What was found in all sections, a line each; a line for each problem, with medians, where those do not
/// fit the height.
std::string text_summary(const ReportData& data, const TextStyle& style);

/// The text report with tables in Markdown.
std::string markdown_report(const ReportData& data);

/// Comma-separated values (RFC 4180, lines end in LF): a header, then one row for each evaluation of every
/// section. Seconds, bytes and rates without prefixes; a cell is empty where there is no value. Parameters
/// are columns `param_NAME`, those of all sections, in the order in which they appear first.
void write_csv(const ReportData& data, std::ostream& out);

/// Everything in the data as one object; docs/reference/report-json.md describes it.
void write_json(const ReportData& data, std::ostream& out);

}  // namespace tune::reports
