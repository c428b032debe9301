// SPDX-License-Identifier: Apache-2.0
#include "reports/page/summary.hpp"

#include <algorithm>

#include "reports/data/wording.hpp"
#include "reports/page/html_text.hpp"
#include "reports/page/why.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

std::string text(const std::string& words) {
  return html_text(typeset(words));
}

/// The variant in bold, then the other parameters in small print.
std::string configuration_html(const Configuration& configuration) {
  const search::Value* variant = configuration.find("variant");
  std::string html;
  if (variant != nullptr) html = format("<strong>{}</strong> ", html_text(variant->to_string()));
  html += "<span class=\"configuration\">";
  for (const auto& [name, value] : configuration.entries())
    if (variant == nullptr || name != "variant")
      html += format("<span>{}={}</span> ", html_text(name), html_text(value.to_string()));
  if (html.back() == ' ') html.pop_back();
  return html + "</span>";
}

std::string factor(const std::optional<double>& gain) {
  return gain ? format("{:.2f}x", *gain) : "-";
}

/// Adds blanks after commas, where a line may break.
std::string spaced(const std::string& list) {
  std::string result;
  for (const char letter : list) {
    result += letter;
    if (letter == ',') result += ' ';
  }
  return result;
}

std::string found_html(const Section& section) {
  std::string html = format("{} of ", evaluated(section));
  html += section.space_size > 0 ? format("{} evaluated", section.space_size) : "? evaluated";
  double seconds = 0;
  for (const RunReport& run : section.runs) seconds += run.seconds;
  html += format(" in {} run{}, {}", section.runs.size(), section.runs.size() == 1 ? "" : "s",
                 duration_text(seconds));
  if (section.found)
    html = format("<strong>{}</strong>, evaluation {}, after {}<br><small>{}</small>",
                  html_text(section.found->strategy), section.found->sequence + 1,
                  text(duration_text(section.found->elapsed)), text(html));
  return html;
}

std::string fresh_html(const Section& section) {
  const db::Workload& workload = section.workload;
  const std::string& started = section.runs.front().summary.started;
  std::string html = format("{}<br><small title=\"sources {}\">driver {}, {}, sources {}</small>",
                            html_text(started.substr(0, 10)), html_text(workload.toolchain.source_hash),
                            html_text(workload.driver), html_text(workload.toolchain.compiler),
                            html_text(workload.toolchain.source_hash.substr(0, 8)));
  for (const std::string& phrase : section.outdated)
    html += format("<br><span title=\"{}\"><strong class=\"stale\">stale</strong> <small>{}</small></span>",
                   html_text(phrase), html_text(phrase.substr(0, phrase.find(" ("))));
  return html;
}

void add_cell(std::string& html, const char* label, const std::string& content, const char* kind = "") {
  html += format("<td data-label=\"{}\"{}><div>{}</div></td>", label, kind, content);
}

std::string summary_row(const Section& section, std::size_t number) {
  const db::Workload& workload = section.workload;
  std::string name = format("{} {}", workload.problem, workload.size);
  std::string rest = spaced(workload.settings);
  if (workload.origin == Origin::replayed) rest += rest.empty() ? "replayed" : ", replayed";
  if (workload.cache == CacheState::warm) rest += rest.empty() ? "warm caches" : ", warm caches";
  std::string html = format(
      "<tr data-section=\"{0}\"><th scope=\"row\"><a "
      "href=\"#section-{0}\">{1}</a><br><small>{2}</small></th>",
      number, html_text(name), html_text(rest));
  if (!section.winner) {
    add_cell(html, "winner", "none: every configuration failed", " colspan=\"6\"");
  } else {
    const double time = *section.winner->time;
    const auto share = share_of_limit(section.amount, time);
    std::string best = text(value_text(section, value_of(*section.winner)));
    if (section.objective != Objective::time) best += format("<br><small>{}</small>", text(si(time, "s")));
    add_cell(html, "winner", configuration_html(section.winner->configuration));
    add_cell(html, "best", best, " class=\"number\"");
    add_cell(html, "of limit", share ? percent_text(*share) : "-", " class=\"number\"");
    add_cell(html, "over default", factor(gain(section, section.default_value)), " class=\"number\"");
    add_cell(html, "over median", factor(gain(section, section.median_value)), " class=\"number\"");
    add_cell(html, "ties with it",
             section.winner->rerank ? format("{}", tied_count(section)) : "not re-ranked",
             " class=\"number\"");
  }
  add_cell(html, "found by", found_html(section));
  add_cell(html, "as of", fresh_html(section));
  return html + "</tr>\n";
}

std::string device_heading(const Section& section) {
  return format("<h3>{} <small>{}</small></h3>\n", html_text(section.workload.device),
                html_text(section.workload.architecture)) +
         "<div class=\"scroll\"><table class=\"summary\"><thead><tr><th scope=\"col\">problem</th>"
         "<th scope=\"col\">winner</th><th scope=\"col\" class=\"number\">best</th>"
         "<th scope=\"col\" class=\"number\">of limit</th><th scope=\"col\" class=\"number\">over default</th>"
         "<th scope=\"col\" class=\"number\">over median</th><th scope=\"col\" class=\"number\">ties</th>"
         "<th scope=\"col\">found by</th><th scope=\"col\">as of</th></tr></thead>\n<tbody>\n";
}

std::string properties_html(const Section& section) {
  std::string html = "<dl>";
  for (const auto& [name, words] : properties(section))
    html += format("<dt>{}</dt><dd>{}</dd>", html_text(name), text(words));
  return html + "</dl>\n";
}

/// A table that is folded at first; empty where it has no rows.
std::string table_html(const char* heading, const Grid& grid) {
  if (grid.empty()) return "";
  std::string html = format("<details><summary>{}</summary><div class=\"scroll\"><table>\n", heading);
  bool header = true;
  for (const std::vector<std::string>& row : grid.rows()) {
    html += header ? "<thead><tr>" : "<tr>";
    for (const std::string& cell : row)
      html +=
          header ? format("<th scope=\"col\">{}</th>", html_text(cell)) : format("<td>{}</td>", text(cell));
    html += header ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
    header = false;
  }
  return html + "</tbody></table></div></details>\n";
}

}  // namespace

std::string summary_html(const ReportData& data) {
  std::vector<std::string> devices;  // in the order of the sections
  for (const Section& section : data.sections)
    if (std::ranges::find(devices, section.workload.model_key) == devices.end())
      devices.push_back(section.workload.model_key);
  std::string html;
  for (const std::string& device : devices) {
    bool first = true;
    for (std::size_t i = 0; i < data.sections.size(); ++i) {
      const Section& section = data.sections[i];
      if (section.workload.model_key != device) continue;
      if (first) html += device_heading(section);
      first = false;
      html += summary_row(section, i);
    }
    html += "</tbody></table></div>\n";
  }
  return html;
}

std::string section_html(const Section& section, std::size_t number, const ValueTable& table,
                         const std::vector<ParameterEffect>& effects) {
  std::string html =
      format("<article id=\"section-{0}\" class=\"section\" data-section=\"{0}\">\n<h2>{1}</h2>\n", number,
             html_text(spaced(title(section))));
  const std::vector<std::string> reasons = why_it_wins(section, table, effects);
  if (reasons.empty()) {
    html += "<p>No configuration was measured: all failed. The failures are below.</p>\n";
  } else {
    html += format("<p class=\"winner\">{}</p>\n<h3>Why the winner wins</h3>\n<ul class=\"why\">\n",
                   configuration_html(section.winner->configuration));
    for (const std::string& reason : reasons) html += format("<li>{}</li>\n", text(reason));
    html += "</ul>\n";
  }
  html += "<details><summary>All properties</summary>\n" + properties_html(section) + "</details>\n";
  html += table_html("Fastest configurations", top_table(section));
  html += table_html("Runs", run_table(section));
  html += table_html("Failures", failure_table(section));
  return html + "</article>\n";
}

}  // namespace tune::reports
