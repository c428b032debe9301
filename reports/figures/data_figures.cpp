// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "reports/data/wording.hpp"
#include "reports/figures/figure.hpp"
#include "reports/page/summary.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

std::string id_text(std::initializer_list<std::string_view> words) {
  std::string id;
  for (const std::string_view word : words)
    if (!word.empty()) add_to_id(id, word);
  return id;
}

bool several_devices(const ReportData& data) {
  return std::ranges::any_of(data.sections, [&](const Section& section) {
    return section.workload.model_key != data.sections.front().workload.model_key;
  });
}

std::string size_text(const db::Workload& workload) {
  const auto& extents = workload.extents;
  const bool equal =
      extents.size() > 1 && extents.size() < 4 && std::ranges::all_of(extents, [&](const auto& extent) {
        return extent.second == extents.front().second;
      });
  if (equal) return format("{}{}", extents.front().second, extents.size() == 2 ? "\u00b2" : "\u00b3");
  std::string text;
  for (const char letter : workload.size)
    text += letter == 'x' ? std::string("\u00d7") : std::string(1, letter);
  return text;
}

/// The settings that not all of these works have in common, texts without their names.
std::string own_settings(const db::Workload& workload, const std::set<std::string>& common) {
  std::string text;
  const Configuration settings = Configuration::parse(workload.settings);
  for (const auto& [name, value] : settings.entries()) {
    const std::string entry = name + "=" + value.to_string();
    if (!common.contains(entry) && entry != "type=float")
      text += (text.empty() ? "" : ", ") + (value.is_text() ? value.to_string() : entry);
  }
  return text;
}

std::set<std::string> common_settings(const std::vector<const Section*>& sections) {
  std::map<std::string, std::size_t> counts;
  for (const Section* section : sections) {
    const Configuration settings = Configuration::parse(section->workload.settings);
    for (const auto& [name, value] : settings.entries()) ++counts[name + "=" + value.to_string()];
  }
  std::set<std::string> common;
  for (const auto& [entry, count] : counts)
    if (count == sections.size()) common.insert(entry);
  return common;
}

std::string row_label(const Section& section, const std::set<std::string>& common, bool one_size) {
  const std::string settings = own_settings(section.workload, common);
  std::string text = one_size && !settings.empty()
                         ? settings
                         : size_text(section.workload) + (settings.empty() ? "" : ", " + settings);
  if (section.workload.origin != Origin::measured) text += format(", {}", to_string(section.workload.origin));
  if (section.workload.cache == CacheState::warm) text += ", warm";
  return text;
}

/// How good the best and the default of a work are.
struct Standing {
  const Section* section;
  double best = 0;
  std::optional<double> standard;
};

Figure best_figure(std::string name, const std::vector<const Section*>& sections) {
  const bool limits = std::ranges::all_of(sections, [](const Section* one) { return one->amount.limit > 0; });
  const bool one_size = std::ranges::all_of(
      sections, [&](const Section* one) { return one->workload.size == sections.front()->workload.size; });
  const std::set<std::string> common = common_settings(sections);
  Series range{"", Series::Kind::range, 0}, best{"best", Series::Kind::line, 0},
      standard{"default", Series::Kind::points, 1};
  std::vector<Series> ranges;
  best.kind = Series::Kind::dots;
  std::vector<std::string> labels;
  std::vector<double> values;
  for (auto one = sections.rbegin(); one != sections.rend(); ++one) {  // the first one is at the top
    const Section& section = **one;
    const double time = *section.winner->time, row = static_cast<double>(labels.size());
    const bool has_default = section.default_value && section.objective == Objective::time;
    const double reached = limits ? 100 * section.amount.limit / time : *gain(section, section.default_value);
    const double before = limits && has_default ? 100 * section.amount.limit / *section.default_value : 1;
    best.points.push_back({reached, row});
    values.push_back(reached);
    if (!limits || has_default) {
      standard.points.push_back({before, row});
      ranges.push_back({"", Series::Kind::range, 0, {{before, row}, {reached, row}}});
    }
    labels.push_back(row_label(section, common, one_size));
  }
  Plot plot;
  plot.series = std::move(ranges);
  if (!standard.points.empty()) plot.series.push_back(std::move(standard));
  plot.series.push_back(std::move(best));
  if (limits) values.push_back(100);
  plot.x =
      linear_axis(limits ? "share of the limit" : "speed-up over the default", limits ? "%" : "", values);
  plot.y = category_axis("", std::move(labels));
  if (limits)
    plot.series.push_back(
        {"limit", Series::Kind::limit, 1, {{100, -0.5}, {100, static_cast<double>(sections.size()) - 0.5}}});
  const std::string shared = joined(common);
  const std::string what =
      limits ? "Share of the limit of the device that the best and the default configuration reach"
             : "Speed-up of the best configuration over the default";
  std::size_t configurations = 0;
  for (const Section* section : sections) configurations += section->measured;
  return {std::move(name),
          format("{}, for {} of {}{}; {} measured. {}.", what, counted(sections.size(), "work"),
                 sections.front()->workload.problem, shared.empty() ? "" : " (" + shared + ")",
                 counted(configurations, "configuration"), conditions_text(sections)),
          std::move(plot)};
}

/// Two significant digits.
double rounded_to_two(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

std::string device_part(const Section& section, bool several) {
  return several ? section.workload.device : "";
}

/// `m = n = k`, where all extents are the same number in all sections; its figure is then that number.
bool equal_extents(const ReportData& data, const Crossover& crossover) {
  return std::ranges::all_of(crossover.sections, [&](std::size_t i) {
    const auto& extents = data.sections[i].workload.extents;
    return std::ranges::all_of(extents,
                               [&](const auto& one) { return one.second == extents.front().second; });
  });
}

/// What the sections differ in: of sizes `m = n = k` or `rows \u00d7 columns`.
std::string varying_name(const Crossover& crossover, const Section& section, bool equal) {
  if (crossover.along != "size") return crossover.along;
  return joined(
      section.workload.extents, [](const auto& one) { return one.first; }, equal ? " = " : " \u00d7 ");
}

/// The work a second, in the same unit in all sections; else the value of the objective.
std::optional<std::string> common_rate(const ReportData& data, const Crossover& crossover) {
  std::set<std::string> units;
  for (const std::size_t i : crossover.sections) {
    const Rate rate = main_rate(data.sections[i]);
    if (!(rate.amount > 0) || data.sections[i].objective != Objective::time) return std::nullopt;
    units.insert(rate.unit);
  }
  return units.size() == 1 ? std::optional(*units.begin()) : std::nullopt;
}

}  // namespace

std::string conditions_text(const std::vector<const Section*>& sections) {
  std::set<std::string> known;
  std::string text;
  for (const Section* section : sections) {
    const db::Workload& workload = section->workload;
    std::string one =
        format("{}, driver {}, {}", workload.device, workload.driver, workload.toolchain.compiler);
    if (workload.origin != Origin::measured) one += format(", {}", to_string(workload.origin));
    one += workload.cache == CacheState::warm ? ", warm caches" : ", cold L2 cache";
    if (known.insert(one).second) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

std::vector<Figure> best_figures(const ReportData& data) {
  std::map<std::pair<std::string, std::string>, std::vector<const Section*>> groups;
  for (const Section& section : data.sections) {
    const bool speed = section.default_value && section.objective == Objective::time;
    if (section.winner && (section.amount.limit > 0 || speed))
      groups[{section.workload.problem, section.workload.model_key + (section.amount.limit > 0 ? "" : " ")}]
          .push_back(&section);
  }
  std::vector<Figure> figures;
  std::set<std::string> names;
  for (const auto& [key, sections] : groups) {
    std::string name = id_text({"best", key.first, device_part(*sections.front(), several_devices(data))});
    if (!names.insert(name).second) name += "-speed-up";
    figures.push_back(best_figure(std::move(name), sections));
  }
  return figures;
}

std::vector<Figure> roofline_figures(const ReportData& data) {
  struct Roof {
    Ceilings top;
    std::vector<const Section*> sections;
  };
  std::map<std::pair<std::string, std::string>, Roof> roofs;
  for (const Section& section : data.sections) {
    if (!section.winner) continue;
    const Ceilings top = ceilings(section);
    if (!(top.bandwidth > 0 && top.flops > 0 && top.intensity > 0)) continue;
    Roof& roof = roofs[{section.workload.model_key, top.units}];
    roof.top = top;
    roof.sections.push_back(&section);
  }
  std::vector<Figure> figures;
  for (const auto& [key, roof] : roofs) {
    const double ridge = roof.top.flops / roof.top.bandwidth;
    std::vector<double> xs = {ridge / 8, ridge * 3}, ys;
    std::map<std::string, Series> problems;
    for (const Section* section : roof.sections) {
      Series& series = problems[section->workload.problem];
      series.points.push_back({ceilings(*section).intensity, section->amount.flops / *section->winner->time});
      xs.push_back(series.points.back().x);
      ys.push_back(series.points.back().y);
    }
    Plot plot;
    plot.x = log_axis("arithmetic intensity", "FLOP/B", xs);
    const auto add_line = [&](const char* name, std::size_t number, double bandwidth) {
      const auto at = [&](double x) { return Point{x, std::min(roof.top.flops, bandwidth * x)}; };
      const double edge = std::clamp(roof.top.flops / bandwidth, plot.x.low, plot.x.high);
      plot.series.push_back({name, Series::Kind::limit, number, {at(plot.x.low), at(edge), at(plot.x.high)}});
      for (const Point& point : plot.series.back().points) ys.push_back(1.15 * point.y);
    };
    if (roof.top.measured && roof.top.datasheet > roof.top.bandwidth)
      add_line("datasheet", 1, roof.top.datasheet);
    add_line("roof", 0, roof.top.bandwidth);
    plot.y = log_axis("performance", "FLOP/s", ys);
    std::size_t number = 0;
    for (auto& [problem, series] : problems) {
      series.name = problem;
      series.kind = Series::Kind::points;
      series.number = number++;
      plot.series.push_back(std::move(series));
    }
    figures.push_back(
        {id_text({"roofline", roofs.size() > 1 ? roof.top.units : "",
                  device_part(*roof.sections.front(), several_devices(data))}),
         format(
             "Roofline of {}: bandwidth {} ({}), peak {} ({}); each point is the best configuration of a work. {}.",
             roof.sections.front()->workload.device, si(roof.top.bandwidth, "B/s"),
             roof.top.measured ? "of a measured copy" : "of the datasheet", si(roof.top.flops, "FLOP/s"),
             roof.top.units, conditions_text(roof.sections)),
         std::move(plot)});
  }
  return figures;
}

std::vector<Figure> crossover_figures(const ReportData& data, const std::vector<Crossover>& crossovers,
                                      const std::vector<std::vector<std::string>>& variants) {
  std::vector<Figure> figures;
  std::map<std::string, int> used;
  for (const Crossover& crossover : crossovers) {
    const Section& first = data.sections[crossover.sections.front()];
    const bool equal = crossover.along == "size" && equal_extents(data, crossover);
    const auto rate = common_rate(data, crossover);
    const auto x_of = [&](std::size_t at) {
      return equal
                 ? static_cast<double>(data.sections[crossover.sections[at]].workload.extents.front().second)
                 : crossover.x[at];
    };
    const auto y_of = [&](std::size_t at, const VariantBest& best) {
      const Section& section = data.sections[crossover.sections[at]];
      return rate ? main_rate(section).amount / best.seconds : section.objective.shown(best.value);
    };
    Plot plot;
    std::vector<double> xs, ys;
    for (std::size_t at = 0; at < crossover.x.size(); ++at) xs.push_back(x_of(at));
    const bool logarithmic = std::ranges::min(xs) > 0;  // an angle may be zero
    for (const VariantLine& line : crossover.lines) {
      const auto& known = variants[crossover.sections.front()];
      const auto number = static_cast<std::size_t>(std::ranges::find(known, line.variant) - known.begin());
      Series series{line.variant == "all" ? "best" : line.variant, Series::Kind::line, number};
      for (std::size_t at = 0; at < line.best.size(); ++at)
        if (line.best[at]) {
          series.points.push_back({x_of(at), y_of(at, *line.best[at])});
          ys.push_back(series.points.back().y);
        }
      plot.series.push_back(std::move(series));
    }
    std::ranges::sort(plot.series, {}, &Series::number);
    Series rings{"change of the best", Series::Kind::ring, 0};
    for (const Crossing& crossing : crossover.crossings) {
      const auto line = std::ranges::find(crossover.lines, crossing.before, &VariantLine::variant);
      const auto between = [&](double a, double b) { return a * std::pow(b / a, crossing.share); };
      const std::size_t at = crossing.at;
      rings.points.push_back(
          {logarithmic ? between(x_of(at), x_of(at + 1)) : std::lerp(x_of(at), x_of(at + 1), crossing.share),
           between(y_of(at, *line->best[at]), y_of(at + 1, *line->best[at + 1]))});
      rings.labels.push_back(tick_text(rounded_to_two(rings.points.back().x)));
    }
    if (!rings.points.empty()) plot.series.push_back(std::move(rings));
    plot.x = logarithmic ? log_axis(varying_name(crossover, first, equal), "", xs)
                         : linear_axis(varying_name(crossover, first, equal), "", xs, false);
    plot.x.values = xs;
    plot.y = rate ? log_axis("rate", *rate, ys)
                  : log_axis("best " + objective_name(first), std::string(first.objective.unit()), ys);
    const std::string alike = crossover.alike;
    std::vector<const Section*> sections;
    std::string winners;
    for (std::size_t at = 0; at < crossover.sections.size(); ++at) {
      sections.push_back(&data.sections[crossover.sections[at]]);
      const VariantLine* best = nullptr;
      for (const VariantLine& line : crossover.lines)
        if (line.best[at] && (best == nullptr || line.best[at]->value < best->best[at]->value)) best = &line;
      winners += format("{}{}: {}", at == 0 ? "" : ", ", tick_text(x_of(at)), best->variant);
    }
    std::string name = id_text({"crossover", crossover.alike.substr(0, crossover.alike.find(' ')),
                                crossover.along, device_part(first, several_devices(data))});
    if (const int times = ++used[name]; times > 1) name += format("-{}", times);
    figures.push_back(
        {std::move(name),
         format("Best {} of each variant by {}, {} ({}). {}.", rate ? "rate" : objective_name(first),
                plot.x.name, alike, winners, conditions_text(sections)),
         std::move(plot)});
  }
  return figures;
}

}  // namespace tune::reports
