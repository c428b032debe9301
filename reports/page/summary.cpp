// SPDX-License-Identifier: Apache-2.0
#include "reports/page/summary.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/data/wording.hpp"
#include "reports/page/html_text.hpp"
#include "reports/page/why.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

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

/// Versions in the title, and what newer runs differ in.
std::string fresh_html(const Section& section) {
  const db::Workload& workload = section.workload;
  const std::string versions =
      format("driver {}, {}, sources {}", workload.driver, workload.toolchain.compiler,
             workload.toolchain.source_hash.substr(0, 8));
  std::string html = format("<span title=\"{}\">{}</span>", html_text(versions),
                            html_text(section.runs.front().summary.started.substr(0, 10)));
  for (const std::string& phrase : section.outdated)
    html += format(" <strong class=\"stale\" title=\"{}\">stale</strong>", html_text(phrase));
  return html;
}

/// A cell; `sorted` is what its column is sorted by.
void add_cell(std::string& html, const char* label, const std::string& content,
              const std::optional<double>& sorted = {}, const char* kind = "number") {
  html +=
      format("<td data-label=\"{}\"{}{}>{}</td>", label, *kind == '\0' ? "" : format(" class=\"{}\"", kind),
             sorted ? format(" data-value=\"{:.6g}\"", *sorted) : "", content);
}

/// The share with a bar that is as long.
std::string share_html(const std::optional<double>& share) {
  if (!share) return "-";
  return format("<span class=\"bar\" style=\"--share:{:.3f}\"></span>{}", std::clamp(*share, 0.0, 1.0),
                percent_text(*share));
}

std::string work_text(const db::Workload& workload) {
  std::string rest = spaced(workload.settings);
  if (workload.origin == Origin::replayed) rest += rest.empty() ? "replayed" : ", replayed";
  if (workload.cache == CacheState::warm) rest += rest.empty() ? "warm caches" : ", warm caches";
  return rest;
}

std::string summary_row(const Section& section, const std::string& id, std::size_t number) {
  const db::Workload& workload = section.workload;
  const std::string rest = work_text(workload);
  std::string html = format(
      "<tr data-section=\"{}\"><th scope=\"row\"><a href=\"#{}\"><span class=\"of\">{} </span>{}</a>{}</th>",
      number, id, html_text(workload.problem), html_text(workload.size),
      rest.empty() ? "" : format(" <small>{}</small>", html_text(rest)));
  if (!section.winner) {
    add_cell(html, "winner", "none: every configuration failed", {}, "");
    html.replace(html.rfind("<td "), 4, "<td colspan=\"7\" ");
  } else {
    const double time = *section.winner->time;
    const auto share = share_of_limit(section.amount, time);
    const auto over_default = gain(section, section.default_value);
    const auto over_median = gain(section, section.median_value);
    const search::Value* variant = section.winner->configuration.find("variant");
    std::string best = text(value_text(section, value_of(*section.winner)));
    if (section.objective != Objective::time) best += format(" <small>{}</small>", text(si(time, "s")));
    const Rate rate = main_rate(section);
    add_cell(html, "best", best, value_of(*section.winner));
    add_cell(html, "rate", rate.amount > 0 ? text(rate_text(rate, time)) : "-",
             rate.amount > 0 ? std::optional(rate.amount / time) : std::nullopt);
    add_cell(html, "of limit", share_html(share), share, "number share");
    add_cell(html, "over default", factor(over_default), over_default);
    add_cell(html, "over median", factor(over_median), over_median);
    add_cell(html, "variant", variant != nullptr ? html_text(variant->to_string()) : "-", {}, "");
    add_cell(html, "ties", section.winner->rerank ? format("{}", tied_count(section)) : "-",
             section.winner->rerank ? std::optional<double>(static_cast<double>(tied_count(section)))
                                    : std::nullopt);
  }
  add_cell(html, "as of", fresh_html(section), {}, "");
  return html + "</tr>\n";
}

std::string table_head(const Section& section) {
  std::string html = format("<h3>{} <small>{}</small></h3>\n", html_text(section.workload.device),
                            html_text(section.workload.architecture));
  html += "<div class=\"scroll\"><table class=\"summary\"><thead><tr>";
  for (const auto& [name, numeric] : {std::pair("workload", false),
                                      {"best", true},
                                      {"rate", true},
                                      {"of limit", true},
                                      {"over default", true},
                                      {"over median", true},
                                      {"variant", false},
                                      {"ties", true},
                                      {"as of", false}})
    html += format("<th scope=\"col\"{}>{}</th>", numeric ? " class=\"number\"" : "", name);
  return html + "</tr></thead>\n";
}

/// The middle of what is known, as `form` writes it.
template<class Form>
std::string tile(const char* heading, std::vector<double> values, Form form, const char* of) {
  if (values.empty()) return "";
  const double largest = *std::ranges::max_element(values);
  const std::size_t count = values.size();
  return format("<div><dt>{}</dt><dd>{}<small>median of {}{}; best {}</small></dd></div>\n", heading,
                form(median(std::move(values))), counted(count, "workload"), of, form(largest));
}

/// The winner with what a person takes from it: the configuration, and commands for this workload.
std::string winner_html(const Section& section) {
  const db::Workload& workload = section.workload;
  const db::ResultRow& winner = *section.winner;
  const double time = *winner.time;
  std::string html =
      "<div class=\"winner\"><p>" + configuration_html(winner.configuration) + "</p>\n<dl class=\"facts\">";
  const auto fact = [&html](const char* name, const std::string& value) {
    html += format("<div><dt>{}</dt><dd>{}</dd></div>", name, text(value));
  };
  fact("best", value_text(section, value_of(winner)));
  if (section.objective != Objective::time) fact("time", si(time, "s"));
  if (const Rate rate = main_rate(section); rate.amount > 0) fact("rate", rate_text(rate, time));
  if (const auto share = share_of_limit(section.amount, time)) fact("of limit", percent_text(*share));
  if (const auto gained = gain(section, section.default_value)) fact("over default", factor(gained));
  if (const auto& needs = winner.resources; needs && needs->occupancy > 0)
    fact("occupancy", percent_text(needs->occupancy) +
                          (needs->limiter.empty() ? "" : format(", limited by {}", needs->limiter)));
  html += "</dl>\n";
  const std::string work = workload_options(workload);
  const auto copied = [&html](const char* name, const std::string& value) {
    html += format("<div><dt>{}</dt><dd><code>{}</code></dd></div>\n", name, html_text(value));
  };
  html += "<details><summary>Use it, measure it again</summary>\n<dl class=\"copied\">\n";
  copied("configuration", winner.configuration.to_string());
  copied("JSON", json_object(winner.configuration.entries())
                     .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  copied("compiler flags", format("tune best {} --format flags", work));
  copied("C++ header", format("tune best {} --format header", work));
  copied("check it",
         format("tune check {} --config {}", work, shell_quoted(winner.configuration.to_string())));
  copied("tune again", format("tune {}", work));
  return html + "</dl></details></div>\n";
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

void add_to_id(std::string& id, std::string_view words) {
  if (!id.empty()) id += '-';
  for (const char letter : words) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 && byte < 0x80)
      id += static_cast<char>(std::tolower(byte));
    else if (letter == '_')
      id += '_';
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
}

std::vector<std::string> section_ids(const ReportData& data) {
  const bool one_device = std::ranges::all_of(data.sections, [&](const Section& section) {
    return section.workload.model_key == data.sections.front().workload.model_key;
  });
  std::vector<std::string> ids;
  std::map<std::string, int> used;
  for (const Section& section : data.sections) {
    const db::Workload& workload = section.workload;
    std::string id;
    add_to_id(id, workload.problem);
    const auto& extents = workload.extents;
    const bool cube = extents.size() > 1 && std::ranges::all_of(extents, [&](const auto& extent) {
                        return extent.second == extents.front().second;
                      });
    add_to_id(id, cube ? format("{}", extents.front().second) : workload.size);
    const Configuration settings = Configuration::parse(workload.settings);
    for (const auto& [name, value] : settings.entries())
      if (name != "type" || value.to_string() != "float")
        add_to_id(id, value.is_text() ? value.to_string() : name + value.to_string());
    if (!one_device) add_to_id(id, workload.device);
    if (workload.origin != Origin::measured) add_to_id(id, to_string(workload.origin));
    if (workload.cache == CacheState::warm) add_to_id(id, "warm");
    if (id.empty()) id = "work";
    const int times = ++used[id];
    ids.push_back(times == 1 ? id : format("{}--{}", id, times));
  }
  return ids;
}

std::string tiles_html(const ReportData& data) {
  std::vector<std::string> problems, devices;
  std::vector<double> over_default, over_median, shares;
  std::size_t measured = 0;
  for (const Section& section : data.sections) {
    for (auto [list, name] :
         {std::pair(&problems, &section.workload.problem), std::pair(&devices, &section.workload.device)})
      if (std::ranges::find(*list, *name) == list->end()) list->push_back(*name);
    measured += evaluated(section);
    if (!section.winner) continue;
    if (const auto factor = gain(section, section.default_value)) over_default.push_back(*factor);
    if (const auto factor = gain(section, section.median_value)) over_median.push_back(*factor);
    if (const auto share = share_of_limit(section.amount, *section.winner->time)) shares.push_back(*share);
  }
  const auto faster = [](double factor) { return format("{:.2f}x", factor); };
  std::string html = "<dl class=\"tiles\">\n";
  html += format("<div><dt>Tuned</dt><dd>{}<small>{}, {}</small></dd></div>\n",
                 counted(data.sections.size(), "workload"), counted(problems.size(), "problem"),
                 counted(measured, "configuration"));
  html += tile("Speed-up over the default", over_default, faster, "");
  if (over_default.empty()) html += tile("Speed-up over the median", over_median, faster, "");
  html += tile("Share of the limit", shares, percent_text, "");
  html +=
      format("<div><dt>{}</dt><dd class=\"long\">{}<small>{}</small></dd></div>\n",
             devices.size() == 1 ? "Device" : "Devices", html_text(joined(devices, std::identity(), ", ")),
             html_text(data.sections.front().workload.architecture));
  return html + "</dl>\n";
}

std::string summary_html(const ReportData& data) {
  const std::vector<std::string> ids = section_ids(data);
  std::vector<std::string> devices;  // in the order of the sections
  for (const Section& section : data.sections)
    if (std::ranges::find(devices, section.workload.model_key) == devices.end())
      devices.push_back(section.workload.model_key);
  std::string html;
  for (const std::string& device : devices) {
    std::string problem;
    for (std::size_t i = 0; i < data.sections.size(); ++i) {
      const Section& section = data.sections[i];
      if (section.workload.model_key != device) continue;
      if (problem.empty()) html += table_head(section);
      if (problem != section.workload.problem) {
        html += problem.empty() ? "" : "</tbody>\n";
        problem = section.workload.problem;
        html += format("<tbody><tr class=\"group\"><th colspan=\"9\" scope=\"rowgroup\">{}</th></tr>\n",
                       html_text(problem));
      }
      html += summary_row(section, ids[i], i);
    }
    html += "</tbody></table></div>\n";
  }
  return html;
}

std::string section_html(const Section& section, const std::string& id, const ValueTable& table,
                         const std::vector<ParameterEffect>& effects) {
  std::string html =
      format("<article id=\"{0}\" class=\"section\">\n<h2>{1}</h2>\n", id, html_text(spaced(title(section))));
  const std::vector<std::string> reasons = why_it_wins(section, table, effects);
  if (reasons.empty()) {
    html += "<p>No configuration was measured: all failed, as listed below.</p>\n";
  } else {
    html += winner_html(section);
    html += "<h3>Why the winner wins</h3>\n<ul class=\"why\">\n";
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
