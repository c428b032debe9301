// SPDX-License-Identifier: Apache-2.0
#include "reports/figures/figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "reports/data/csv_lines.hpp"
#include "reports/data/grid.hpp"
#include "reports/figures/figure.hpp"
#include "reports/page/summary.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

void add_coordinate(CsvLines& line, const Axis& axis, double value) {
  axis.kind == Axis::Kind::categories ? line.text(axis.categories[static_cast<std::size_t>(value)])
                                      : line.number(value);
}

/// The points of each series, in units without prefixes.
std::string csv_text(const Plot& plot) {
  std::ostringstream out;
  {
    CsvLines line(out);
    const auto title = [](const Axis& axis, const char* otherwise) {
      if (axis.name.empty()) return std::string(otherwise);
      return axis.unit.empty() ? axis.name : format("{} ({})", axis.name, axis.unit);
    };
    line.text("series");
    line.text(title(plot.x, "x"));
    line.text(title(plot.y, "y"));
    line.end_line();
    for (const Series& series : plot.series) {
      if (series.kind == Series::Kind::range || series.kind == Series::Kind::ring)
        continue;  // of points of others
      for (const Point& point : series.points) {
        line.text(series.name);
        if (series.kind == Series::Kind::limit && plot.y.kind == Axis::Kind::categories) {
          line.number(point.x);
          line.empty(1);
        } else {
          add_coordinate(line, plot.x, point.x);
          add_coordinate(line, plot.y, point.y);
        }
        line.end_line();
      }
    }
  }
  return std::move(out).str();
}

std::string tex_text(const std::string& text) {
  static const std::map<char, std::string> special = {{'&', "\\&"},
                                                      {'%', "\\%"},
                                                      {'$', "\\$"},
                                                      {'#', "\\#"},
                                                      {'_', "\\_"},
                                                      {'{', "\\{"},
                                                      {'}', "\\}"},
                                                      {'~', "\\textasciitilde{}"},
                                                      {'^', "\\textasciicircum{}"},
                                                      {'\\', "\\textbackslash{}"}};
  std::string result;
  for (const char letter : text) {
    const auto found = special.find(letter);
    result += found == special.end() ? std::string(1, letter) : found->second;
  }
  return result;
}

class Writer {
 public:
  Writer(double width, const std::function<void(const std::string&, const std::string&)>& write)
      : width_(width), write_(write) {}

  void add(const Figure& figure) {
    constexpr std::size_t longest = 120;  // file systems allow 255 bytes
    ++count_;
    const std::string name =
        figure.name.size() <= longest ? figure.name : format("{}-{}", figure.name.substr(0, longest), count_);
    const Drawing drawing = drawn(figure.plot, width_).drawing;
    write_(name + ".svg", svg(drawing));
    write_(name + ".pdf", pdf(drawing));
    write_(name + ".csv", csv_text(figure.plot));
    markdown_ += format("![]({}.svg)\n\n**{}.** {}\n\n", name, name, markdown_text(figure.caption));
    tex_ += format(
        "\\begin{{figure}}\n  \\centering\n  \\includegraphics[width={:.2f}in]{{{}.pdf}}\n  \\caption{{{}}}\n"
        "  \\label{{fig:{}}}\n\\end{{figure}}\n\n",
        width_ / 72, name, tex_text(figure.caption), name);
  }
  void add(const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) add(figure);
  }

  std::size_t finish() {
    if (count_ > 0) {
      write_("captions.md", markdown_.substr(0, markdown_.size() - 1));
      write_("captions.tex", tex_.substr(0, tex_.size() - 1));
    }
    return count_;
  }

 private:
  double width_;
  const std::function<void(const std::string&, const std::string&)>& write_;
  std::string markdown_, tex_;
  std::size_t count_ = 0;
};

}  // namespace

std::size_t write_figures(
    const ReportData& data, double width,
    const std::function<void(const std::string& name, const std::string& text)>& write) {
  const std::vector<std::string> ids = section_ids(data);
  std::vector<std::vector<VariantBest>> bests;
  std::map<std::string, std::set<std::string>>
      found;  // the variants of each problem: its works share their colours
  for (const Section& section : data.sections) {
    bests.push_back(variant_bests(value_table(section)));
    for (const VariantBest& best : bests.back()) found[section.workload.problem].insert(best.variant);
  }
  std::vector<std::vector<std::string>> variants;
  for (const Section& section : data.sections) {
    const auto& names = found[section.workload.problem];
    variants.emplace_back(names.begin(), names.end());
  }
  Writer writer(width, write);
  writer.add(best_figures(data));
  writer.add(crossover_figures(data, crossovers(data, bests), variants));
  writer.add(roofline_figures(data));
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    const ValueTable table = value_table(data.sections[i]);
    const std::vector<ParameterEffect> effects = parameter_effects(table);
    writer.add(figures_of_work({data.sections[i], ids[i], table, effects, variants[i]}));
  }
  return writer.finish();
}

}  // namespace tune::reports
