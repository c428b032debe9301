// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "reports/data/wording.hpp"
#include "reports/figures/figure.hpp"
#include "reports/page/sampling.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

constexpr std::size_t most_points = 2000;  ///< one by one
constexpr std::size_t most_steps = 300;    ///< of a curve
constexpr std::size_t most_runs = 6;
constexpr std::size_t most_parameters = 12;
constexpr double least_importance = 0.005;

/// The work's figures, one after another.
class Works {
 public:
  explicit Works(const WorkData& work) : work_(work), section_(work.section), table_(work.table) {}

  std::vector<Figure> all() {
    if (table_.rows > 1 && section_.objective.shown(table_.values.front()) > 0) {
      distribution();
      importance();
      by_value();
      scatter();
    }
    progress();
    return std::move(figures_);
  }

 private:
  double shown(double value) const { return section_.objective.shown(value); }
  std::string quantity() const { return objective_name(section_); }
  std::string unit() const { return std::string(section_.objective.unit()); }
  bool maximised() const {
    const MetricObjective* metric = section_.objective.of_metric();
    return metric != nullptr && metric->maximised;
  }

  void add(const char* chart, Plot plot, const std::string& sentence) {
    figures_.push_back({work_.id + "-" + chart,
                        format("{}. {} {}: {} measured; {}. {}.", sentence, section_.workload.problem,
                               work_text(), of_space(), result_text(), conditions_text({&section_})),
                        std::move(plot)});
  }
  std::string work_text() const {
    const db::Workload& workload = section_.workload;
    return workload.size + (workload.settings.empty() ? "" : " (" + workload.settings + ")");
  }
  std::string result_text() const {
    if (!section_.winner) return "nothing was measured";
    std::string text = "best " + value_text(section_, value_of(*section_.winner));
    if (section_.winner->samples > 1) text += format(", the median of {} samples", section_.winner->samples);
    return text;
  }
  std::string of_space() const {
    return section_.space_size > 0 ? format("{} of {} configurations", table_.rows, section_.space_size)
                                   : counted(table_.rows, "configuration");
  }

  /// The number of the row's variant in the problem.
  std::size_t number_of(std::size_t row) const {
    if (!table_.group) return 0;
    const int level = table_.level(*table_.group, row);
    if (level < 0) return work_.variants.size();
    const std::string name =
        table_.parameters[*table_.group].values[static_cast<std::size_t>(level)].to_string();
    return static_cast<std::size_t>(std::ranges::find(work_.variants, name) - work_.variants.begin());
  }
  std::string variant_name(std::size_t number) const {
    if (!table_.group) return "";
    return number < work_.variants.size() ? work_.variants[number] : "other";
  }
  /// A series for each variant that has rows, of the points of those rows.
  template<class PointOf>
  std::vector<Series> by_variant(const std::vector<std::size_t>& rows, Series::Kind kind,
                                 const PointOf& point_of) const {
    std::vector<Series> all(work_.variants.size() + 1);
    for (const std::size_t row : rows) all[number_of(row)].points.push_back(point_of(row));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].name = variant_name(i);
      all[i].kind = kind;
      all[i].number = i;
    }
    std::erase_if(all, [](const Series& series) { return series.points.empty(); });
    return all;
  }

  static Series across(std::string name, std::size_t number, Point from, Point to) {
    return {std::move(name), Series::Kind::limit, number, {from, to}};
  }

  void distribution() {
    std::vector<std::size_t> rows(table_.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::stable_sort(
        rows, {}, [&](std::size_t row) { return table_.values[row]; });  // ties of the winner may be faster
    std::vector<double> values;
    for (std::size_t row = 0; row < table_.rows; ++row) values.push_back(shown(table_.values[row]));
    Plot plot;
    plot.series = by_variant(rows, Series::Kind::step, [&](std::size_t row) {
      return Point{values[row], 0};
    });
    for (Series& series : plot.series) {
      const double count = static_cast<double>(series.points.size());
      std::vector<Point> steps = {{series.points.front().x, 0}};
      const std::size_t every = series.points.size() / most_steps + 1;
      for (std::size_t i = 0; i < series.points.size(); ++i)
        if (i % every == 0 || i + 1 == series.points.size())
          steps.push_back({series.points[i].x, 100 * static_cast<double>(i + 1) / count});
      series.points = std::move(steps);
      if (!series.name.empty()) series.name += format(" ({})", static_cast<std::size_t>(count));
    }
    const bool by_time = section_.objective == Objective::time;
    const double limit = section_.amount.limit;
    if (by_time && limit > 0 && limit > values.front() / 2) values.push_back(limit);
    if (section_.default_value) values.push_back(shown(*section_.default_value));
    plot.x = log_axis(quantity(), unit(), values);
    plot.y =
        linear_axis(maximised() ? "share with this or more" : "share with this or less", "%", {100 / 1.05});
    if (by_time) plot.y.name = "share this fast or faster";
    if (by_time && limit > values.front() / 2)
      plot.series.push_back(across("limit", 1, {limit, 0}, {limit, 100}));
    if (section_.default_value) {
      const double value = shown(*section_.default_value);
      plot.series.push_back(across("default", 2, {value, 0}, {value, 100}));
    }
    add("distribution", std::move(plot),
        format("Cumulative distribution of the {}{}", by_time ? "times" : "values",
               table_.group ? " by " + table_.parameters[*table_.group].name : ""));
  }

  void progress() {
    std::vector<const RunReport*> runs;
    for (const RunReport& run : section_.runs)
      if (!run.improvements.empty() && runs.size() < most_runs) runs.push_back(&run);
    if (runs.empty()) return;
    Plot plot;
    std::vector<double> xs, ys;
    for (std::size_t i = runs.size(); i-- > 0;) {
      const RunReport& run = *runs[i];
      Series series{format("{}, run {}", run.summary.strategy, run.summary.run), Series::Kind::step,
                    runs.size() - 1 - i};
      for (const Improvement& point : run.improvements)
        series.points.push_back({static_cast<double>(point.sequence + 1), shown(*point.best)});
      const double end = static_cast<double>(run.summary.evaluations);
      if (end > series.points.back().x) series.points.push_back({end, series.points.back().y});
      for (const Point& point : series.points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
      }
      plot.series.push_back(std::move(series));
    }
    if (std::ranges::max(xs) < 2) return;  // nothing to see of one evaluation
    const double limit = section_.amount.limit;
    const bool shows_limit = section_.objective == Objective::time && limit > std::ranges::min(ys) / 2;
    if (shows_limit) ys.push_back(limit);
    plot.x = log_axis("evaluations", "", xs);
    plot.y = log_axis("best " + quantity(), unit(), ys);
    if (shows_limit) plot.series.push_back(across("limit", 1, {plot.x.low, limit}, {plot.x.high, limit}));
    add("progress", std::move(plot),
        format("Best {} so far of {} by evaluations", quantity(), counted(runs.size(), "run")));
  }

  /// Less for parameters that few configurations have.
  double weight(std::size_t parameter) const {
    const ParameterEffect& effect = work_.effects[parameter];
    return effect.importance.value_or(0) * static_cast<double>(effect.count) /
           static_cast<double>(table_.rows);
  }

  void importance() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < table_.parameters.size(); ++i)
      if (work_.effects[i].importance.value_or(0) >= least_importance) order.push_back(i);
    if (order.empty()) return;
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return weight(i); });
    order.resize(std::min(order.size(), most_parameters));
    std::ranges::reverse(order);
    Series bars{"", Series::Kind::bars, 0};
    std::vector<std::string> names;
    std::vector<double> shares;
    for (const std::size_t i : order) {
      const ParameterEffect& effect = work_.effects[i];
      shares.push_back(100 * *effect.importance);
      bars.points.push_back({shares.back(), static_cast<double>(names.size())});
      bars.labels.push_back(percent_text(*effect.importance) +
                            (effect.count < table_.rows ? format(" in {}", effect.count) : ""));
      names.push_back(table_.parameters[i].name);
    }
    Plot plot{linear_axis("share of the variance of log " + quantity(), "%", shares),
              category_axis("", std::move(names)),
              {std::move(bars)}};
    for (double share = 0; share <= std::min(100.0, plot.x.high); share += plot.x.high > 40 ? 20 : 5)
      plot.x.values.push_back(share);
    add("importance", std::move(plot),
        format(
            "Share of the variance of log {} that each parameter alone explains (analysis of variance; in N: of "
            "the N configurations that have the parameter)",
            quantity()));
  }

  /// The most important number, else the most important parameter.
  std::optional<std::size_t> favourite() const {
    std::optional<std::size_t> best;
    const auto rank = [&](std::size_t i) { return std::pair(table_.parameters[i].numeric, weight(i)); };
    for (std::size_t i = 0; i < table_.parameters.size(); ++i)
      if (i != table_.group && table_.parameters[i].values.size() > 1 && (!best || rank(i) > rank(*best)))
        best = i;
    return best;
  }

  void by_value() {
    const auto parameter = favourite();
    if (!parameter) return;
    const MeasuredParameter& known = table_.parameters[*parameter];
    std::vector<std::size_t> rows;  // of each pair of variant and value, the first
    std::set<std::pair<std::size_t, int>> pairs;
    std::vector<double> values;
    for (std::size_t row = 0; row < table_.rows; ++row) {
      const int level = table_.level(*parameter, row);
      if (level < 0 || !pairs.emplace(number_of(row), level).second) continue;
      rows.push_back(row);
      values.push_back(shown(table_.values[row]));
    }
    Plot plot;
    plot.series =
        by_variant(rows, known.numeric ? Series::Kind::line : Series::Kind::points, [&](std::size_t row) {
          return Point{static_cast<double>(table_.level(*parameter, row)), shown(table_.values[row])};
        });
    for (Series& series : plot.series) std::ranges::sort(series.points, {}, &Point::x);
    std::vector<std::string> names;
    for (const search::Value& value : known.values) names.push_back(value.to_string());
    plot.x = category_axis(known.name, std::move(names));
    plot.y = log_axis("best " + quantity(), unit(), values);
    add("values", std::move(plot),
        format("Best {} with each value of {}, whatever the other parameters are", quantity(), known.name));
  }

  struct Need {
    std::string name, unit;
    bool logarithmic = false;
    std::function<std::optional<double>(std::size_t row)> at;
  };
  /// The largest error where errors differ, else what kernels need and differ in most.
  std::optional<Need> need() const {
    const auto resources = [&](auto figure) {
      return [this, figure](std::size_t row) -> std::optional<double> {
        const auto& needs = table_.resources[row];
        if (!needs) return std::nullopt;
        return static_cast<double>(figure(*needs));
      };
    };
    const std::vector<Need> needs = {{"largest error", "", true,
                                      [this](std::size_t row) {
                                        return table_.errors[row] > 0 ? std::optional(table_.errors[row])
                                                                      : std::nullopt;
                                      }},
                                     {"registers per thread", "", false,
                                      resources([](const ShownResources& one) { return one.registers; })},
                                     {"shared memory per block", "B", false,
                                      resources([](const ShownResources& one) { return one.shared_bytes; })}};
    for (const Need& one : needs) {
      std::set<double> found;
      for (std::size_t row = 0; row < table_.rows && found.size() < 3; ++row)
        if (const auto value = one.at(row)) found.insert(*value);
      if (found.size() > 2) return one;
    }
    return std::nullopt;
  }

  /// Both quantities of a front, and the line that joins its members.
  void front_scatter() {
    const auto& [first, second] = *section_.objective.of_front();
    const auto point_of = [&, &a = first, &b = second](const FrontValues& both) {
      return Point{a.shown(both.front()), b.shown(both.back())};
    };
    std::vector<std::size_t> rows = shown_rows(table_, most_points).rows;
    std::vector<double> xs, ys;
    for (const std::size_t row : rows) {
      xs.push_back(point_of(table_.both[row]).x);
      ys.push_back(point_of(table_.both[row]).y);
    }
    Plot plot;
    plot.series =
        by_variant(rows, Series::Kind::points, [&](std::size_t row) { return point_of(table_.both[row]); });
    Series front{"not beaten in both", Series::Kind::limit, 0};
    for (const FrontMember& member : section_.front) front.points.push_back(point_of(member.values));
    if (front.points.size() > 1) plot.series.push_back(std::move(front));
    plot.x = log_axis(name_of(first), std::string(first.unit()), xs);
    plot.y = log_axis(name_of(second), std::string(second.unit()), ys);
    add("scatter", std::move(plot),
        format("{} against {}; the line joins the Pareto front", name_of(second), name_of(first)));
  }

  void scatter() {
    if (section_.objective.of_front() != nullptr) return front_scatter();
    const auto chosen = need();
    if (!chosen) return;
    std::vector<std::size_t> rows;
    std::vector<double> xs, ys;
    std::vector<std::size_t> some = shown_rows(table_, most_points).rows;
    std::ranges::stable_sort(some, {}, [&](std::size_t row) { return table_.values[row]; });
    for (const std::size_t row : some) {
      const auto x = chosen->at(row);
      if (!x) continue;
      rows.push_back(row);
      xs.push_back(*x);
      ys.push_back(shown(table_.values[row]));
    }
    if (rows.size() < 2) return;
    const auto point_of = [&](std::size_t row) { return Point{*chosen->at(row), shown(table_.values[row])}; };
    Plot plot;
    plot.series = by_variant(rows, Series::Kind::points, point_of);
    Series front{"not beaten in both", Series::Kind::limit, 0};
    double least = INFINITY;
    for (const std::size_t row : rows)  // the best first
      if (const Point point = point_of(row); point.x < least) {
        least = point.x;
        front.points.push_back(point);
      }
    if (front.points.size() > 1) plot.series.push_back(std::move(front));
    plot.x = chosen->logarithmic ? log_axis(chosen->name, chosen->unit, xs)
                                 : linear_axis(chosen->name, chosen->unit, xs, false);
    plot.y = log_axis(quantity(), unit(), ys);
    add("scatter", std::move(plot),
        format("{} against {}; the line joins the configurations that no other beats in both",
               section_.objective == Objective::time ? "Time" : quantity(), chosen->name));
  }

  const WorkData& work_;
  const Section& section_;
  const ValueTable& table_;
  std::vector<Figure> figures_;
};

}  // namespace

std::vector<Figure> figures_of_work(const WorkData& work) {
  return Works(work).all();
}

}  // namespace tune::reports
