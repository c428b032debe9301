// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// A format of report. Stateless; equal data give equal text.
class Report {
 public:
  virtual ~Report() = default;
  /// The whole file, in UTF-8.
  virtual std::string render(const ReportData& data) const = 0;
};

/// A line of the table of reports.
struct ReportKind {
  std::string_view name;     ///< for --format: `markdown`
  std::string_view suffix;   ///< the ending of its files: `.md`
  std::string_view summary;  ///< for the help
  std::unique_ptr<Report> (*make)();
};

std::span<const ReportKind> report_kinds();
/// Null where there is none.
const ReportKind* find_report(std::string_view name);
/// The kind with the ending of the file's name; null where there is none.
const ReportKind* report_for_file(std::string_view file_name);

/// Plain text for a terminal: a block for each section.
class TextReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

/// The text report with tables in Markdown.
class MarkdownReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

/// Comma-separated values (RFC 4180, lines end in LF): a header, then one row for each evaluation of every
/// section. Seconds, bytes and rates without prefixes; a cell is empty where there is no value. Parameters
/// are columns `param_NAME`, those of all sections, in the order in which they appear first.
class CsvReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

/// Everything in the data as one object; docs/report-json.md describes it.
class JsonReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

}  // namespace tune::reports
