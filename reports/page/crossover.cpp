// SPDX-License-Identifier: Apache-2.0
#include "reports/page/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

constexpr std::size_t least_sections = 3;

/// A number of a section that may be the one that varies.
struct Varying {
  std::string name;
  bool is_extent = false;
  double x = 0;
  std::string rest;  ///< what else tells the section from others of its kind
};

std::string conditions(const Section& section) {
  const db::Workload& workload = section.workload;
  return format("{} {} {} {} {}", workload.problem, workload.model_key, to_string(workload.origin),
                to_string(workload.cache), to_string(section.objective));
}

std::string extents_text(const db::Workload& workload, const std::string& without) {
  std::string text;
  for (const auto& [name, extent] : workload.extents)
    if (name != without) text += format("{}{}={}", text.empty() ? "" : ",", name, extent);
  return text;
}

std::string settings_text(const Configuration& settings, const std::string& without) {
  std::string text;
  for (const auto& [name, value] : settings.entries())
    if (name != without) text += format("{}{}={}", text.empty() ? "" : ",", name, value.to_string());
  return text;
}

/// `counts`: the numeric settings of the problem; one that a section leaves out has its default, 1.
std::vector<Varying> varying_numbers(const Section& section, const std::set<std::string>& counts) {
  const db::Workload& workload = section.workload;
  const Configuration settings = Configuration::parse(workload.settings);
  const auto joint = [](const std::string& one, const std::string& two) {
    return one.empty() || two.empty() ? one + two : one + " " + two;
  };
  std::vector<Varying> numbers;
  for (const std::string& name : counts) {
    const search::Value* value = settings.find(name);
    if (value != nullptr && !value->is_number()) continue;
    const double x = value == nullptr ? 1 : value->as_real();
    numbers.push_back({name, false, x, joint(workload.size, settings_text(settings, name))});
  }
  const std::string all_settings = settings_text(settings, "");
  double product = 1;
  for (const auto& [name, extent] : workload.extents) {
    product *= static_cast<double>(extent);
    numbers.push_back(
        {name, true, static_cast<double>(extent), joint(extents_text(workload, name), all_settings)});
  }
  if (workload.extents.size() > 1) numbers.push_back({"size", true, product, all_settings});
  return numbers;
}

std::set<std::string> numeric_settings(const ReportData& data, const std::string& problem) {
  std::set<std::string> names;
  for (const Section& section : data.sections) {
    if (section.workload.problem != problem) continue;
    const Configuration settings = Configuration::parse(section.workload.settings);
    for (const auto& [name, value] : settings.entries())
      if (value.is_int() || value.is_real()) names.insert(name);
  }
  return names;
}

/// The lines of the variants at the sections, which are in the order of x.
std::vector<VariantLine> lines_of(const std::vector<std::size_t>& sections,
                                  const std::vector<std::vector<VariantBest>>& bests) {
  std::vector<VariantLine> lines;
  for (std::size_t at = 0; at < sections.size(); ++at)
    for (const VariantBest& best : bests[sections[at]]) {
      auto found = std::ranges::find(lines, best.variant, &VariantLine::variant);
      if (found == lines.end()) {
        lines.push_back({best.variant, std::vector<std::optional<VariantBest>>(sections.size())});
        found = lines.end() - 1;
      }
      found->best[at] = best;
    }
  return lines;
}

const VariantLine* best_line(const std::vector<VariantLine>& lines, std::size_t at) {
  const VariantLine* best = nullptr;
  for (const VariantLine& line : lines)
    if (line.best[at] && (best == nullptr || line.best[at]->value < best->best[at]->value)) best = &line;
  return best;
}

std::vector<Crossing> crossings_of(const Crossover& crossover) {
  std::vector<Crossing> found;
  for (std::size_t at = 0; at + 1 < crossover.x.size(); ++at) {
    const VariantLine* const before = best_line(crossover.lines, at);
    const VariantLine* const after = best_line(crossover.lines, at + 1);
    if (before == nullptr || after == nullptr || before == after) continue;
    if (!after->best[at] || !before->best[at + 1]) continue;  // one of the two was not measured on both sides
    const auto gap = [&](std::size_t k) { return std::log(after->best[k]->value / before->best[k]->value); };
    const double first = gap(at), second = gap(at + 1);
    if (!(first > second)) continue;  // equal on both sides
    found.push_back({before->variant, after->variant, at, first / (first - second)});
  }
  return found;
}

}  // namespace

std::vector<VariantBest> variant_bests(const ValueTable& table) {
  std::vector<VariantBest> bests;
  std::set<int> known;
  for (std::size_t row = 0; row < table.rows; ++row) {  // the best first
    const int level = table.group ? table.level(*table.group, row) : 0;
    if (level < 0 || !known.insert(level).second) continue;
    bests.push_back({table.group
                         ? table.parameters[*table.group].values[static_cast<std::size_t>(level)].to_string()
                         : "all",
                     table.values[row], table.seconds[row]});
  }
  return bests;
}

std::vector<Crossover> crossovers(const ReportData& data,
                                  const std::vector<std::vector<VariantBest>>& bests) {
  // By conditions, the varying number and what else the sections have: by x, the newest versions, which come
  // last.
  std::map<std::tuple<std::string, std::string, std::string>,
           std::pair<Varying, std::map<double, std::size_t>>>
      alike;
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    if (bests[i].empty()) continue;
    const Section& section = data.sections[i];
    for (Varying& one : varying_numbers(section, numeric_settings(data, section.workload.problem))) {
      const double x = one.x;
      auto& group = alike[{conditions(section), one.name, one.rest}];
      group.first = std::move(one);
      group.second[x] = i;
    }
  }
  std::vector<Crossover> result;
  std::set<std::vector<std::size_t>> known;
  for (const auto& [key, group] : alike) {
    const auto& [varying, by_x] = group;
    if (by_x.size() < least_sections) continue;
    Crossover crossover;
    crossover.along = varying.name;
    crossover.is_extent = varying.is_extent;
    for (const auto& [x, section] : by_x) {
      crossover.x.push_back(x);
      crossover.sections.push_back(section);
    }
    if (!known.insert(crossover.sections).second) continue;  // one extent and the size are the same numbers
    crossover.alike = data.sections[crossover.sections.front()].workload.problem +
                      (varying.rest.empty() ? "" : " " + varying.rest);
    crossover.lines = lines_of(crossover.sections, bests);
    crossover.crossings = crossings_of(crossover);
    result.push_back(std::move(crossover));
  }
  // Those where the best variant changes, then the longer ones, come first within a problem.
  std::ranges::stable_sort(result, [&](const Crossover& a, const Crossover& b) {
    const std::string &p = data.sections[a.sections.front()].workload.problem,
                      &q = data.sections[b.sections.front()].workload.problem;
    return std::tuple(p, b.crossings.size(), b.x.size()) < std::tuple(q, a.crossings.size(), a.x.size());
  });
  return result;
}

}  // namespace tune::reports
