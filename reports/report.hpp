// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// A form of report. Stateless; equal data give equal text.
class Report {
 public:
  virtual ~Report() = default;
  /// The whole file, in UTF-8.
  virtual std::string render(const ReportData& data) const = 0;
};

/// A line of the table of reports.
struct ReportKind {
  std::string_view name;     ///< `markdown`: what --format takes
  std::string_view suffix;   ///< `.md`: of files that are of this kind
  std::string_view summary;  ///< one line for --help
  std::unique_ptr<Report> (*make)();
};

std::span<const ReportKind> report_kinds();
/// Null where there is none.
const ReportKind* find_report(std::string_view name);
/// The kind that a file's name asks for; null where it says nothing.
const ReportKind* report_for_file(std::string_view file_name);

/// Plain text for a terminal: one block a section.
class TextReport : public Report {
 public:
  std::string render(const ReportData& data) const override;
};

/// The same as the text report, with tables that web pages show.
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
