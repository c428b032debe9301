// SPDX-License-Identifier: Apache-2.0
#include "reports/report.hpp"

#include <array>
#include <ostream>
#include <sstream>

#include "reports/html.hpp"

namespace tune::reports {
namespace {

constexpr std::array kinds = {
    ReportKind{"text", ".txt", "for a terminal",
               [](const ReportData& data, std::ostream& out) { out << text_report(data); }},
    ReportKind{"markdown", ".md", "for a page on the web or a discussion",
               [](const ReportData& data, std::ostream& out) { out << markdown_report(data); }},
    ReportKind{"html", ".html", "for a browser: a page with charts, docs/reference/reports.md",
               [](const ReportData& data, std::ostream& out) { out << html_page(page_parts(data)); }},
    ReportKind{"csv", ".csv", "for a spreadsheet: a row for each evaluation", write_csv},
    ReportKind{"json", ".json", "for programs: everything, docs/reference/report-json.md", write_json},
};

}  // namespace

std::string ReportKind::render(const ReportData& data) const {
  std::ostringstream text;
  write(data, text);
  return std::move(text).str();
}

std::span<const ReportKind> report_kinds() {
  return kinds;
}

const ReportKind* find_report(std::string_view name) {
  for (const ReportKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

const ReportKind* report_for_file(std::string_view file_name) {
  for (const ReportKind& kind : kinds)
    if (file_name.ends_with(kind.suffix)) return &kind;
  return nullptr;
}

}  // namespace tune::reports
