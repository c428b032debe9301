// SPDX-License-Identifier: Apache-2.0
#include "reports/report.hpp"

#include <array>

#include "reports/html.hpp"

namespace tune::reports {
namespace {

template<class T>
std::unique_ptr<Report> make() {
  return std::make_unique<T>();
}

constexpr std::array kinds = {
    ReportKind{"text", ".txt", "for a terminal", &make<TextReport>},
    ReportKind{"markdown", ".md", "for a page on the web or a discussion", &make<MarkdownReport>},
    ReportKind{"html", ".html", "for a browser: a page with charts, docs/reports.md", &make<HtmlReport>},
    ReportKind{"csv", ".csv", "for a spreadsheet: a row for each evaluation", &make<CsvReport>},
    ReportKind{"json", ".json", "for programs: everything, docs/report-json.md", &make<JsonReport>},
};

}  // namespace

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
