// SPDX-License-Identifier: Apache-2.0
#include "reports/data/wording.hpp"
#include "reports/page/text_charts.hpp"
#include "reports/report.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

constexpr std::size_t label_width = 17;

void add_text_table(std::string& text, const std::string& heading, const Grid& grid, const TextStyle& style) {
  if (!grid.empty()) text += format("\n  {}\n{}", style.bold(heading), grid.text("    ", style));
}

std::string section_text(const Section& section, const TextStyle& style) {
  std::string text =
      style.bold(style.width > 0 ? wrapped(title(section), 0, style.width) : title(section)) + "\n";
  for (const auto& [name, value] : properties(section))
    text += format("  {:<15}{}\n", name, style.width > 0 ? wrapped(value, label_width, style.width) : value);
  if (style.width > 0) text += text_charts(section, style);
  add_text_table(text, "Fastest configurations", top_table(section), style);
  add_text_table(text, "Pareto front", front_table(section), style);
  add_text_table(text, "Failures", failure_table(section), style);
  add_text_table(text, "Runs", run_table(section), style);
  return text;
}

}  // namespace

std::string text_report(const ReportData& data, const TextStyle& style) {
  std::string text = format("Results in {}\n", data.database);
  if (data.sections.size() > 1) text += "\n" + overview_table(data).text("  ", style);
  for (const Section& section : data.sections) text += "\n" + section_text(section, style);
  return text;
}

std::string text_summary(const ReportData& data, const TextStyle& style) {
  constexpr std::size_t other_lines = 10;  // headings, and what follows the table
  const bool fits = style.height == 0 || data.sections.size() + other_lines <= style.height;
  const Grid table = fits ? overview_table(data) : problem_table(data);
  return format("Results in {}\n\n{}", data.database, table.text("", style));
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
  add_markdown_table(text, "Pareto front", front_table(section));
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
