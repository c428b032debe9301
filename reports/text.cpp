// SPDX-License-Identifier: Apache-2.0
#include "reports/data/wording.hpp"
#include "reports/report.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

void add_text_table(std::string& text, const std::string& heading, const Grid& grid) {
  if (!grid.empty()) text += format("\n  {}\n{}", heading, grid.text("    "));
}

std::string section_text(const Section& section) {
  std::string text = title(section) + "\n";
  for (const auto& [name, value] : properties(section)) text += format("  {:<15}{}\n", name, value);
  add_text_table(text, "Fastest configurations", top_table(section));
  add_text_table(text, "Failures", failure_table(section));
  add_text_table(text, "Runs", run_table(section));
  return text;
}

}  // namespace

std::string text_report(const ReportData& data) {
  std::string text = format("Results in {}\n", data.database);
  if (data.sections.size() > 1) text += "\n" + overview_table(data).text("  ");
  for (const Section& section : data.sections) text += "\n" + section_text(section);
  return text;
}

namespace {

void add_markdown_table(std::string& text, const std::string& heading, const Grid& grid) {
  if (!grid.empty()) text += format("\n### {}\n\n{}", heading, grid.markdown());
}

std::string section_markdown(const Section& section) {
  std::string text = format("## {}\n\n", markdown_text(title(section)));
  for (const auto& [name, value] : properties(section))
    text += format("- **{}**: {}\n", name, markdown_text(value));
  add_markdown_table(text, "Fastest configurations", top_table(section));
  add_markdown_table(text, "Failures", failure_table(section));
  add_markdown_table(text, "Runs", run_table(section));
  return text;
}

}  // namespace

std::string markdown_report(const ReportData& data) {
  std::string text = format("# Tuning results\n\nFrom {}.\n", markdown_text(data.database));
  if (data.sections.size() > 1) text += "\n" + overview_table(data).markdown();
  for (const Section& section : data.sections) text += "\n" + section_markdown(section);
  return text;
}

}  // namespace tune::reports
