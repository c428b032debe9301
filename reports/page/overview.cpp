// SPDX-License-Identifier: Apache-2.0
#include "reports/page/overview.hpp"

#include <algorithm>
#include <cstddef>

#include "reports/data/wording.hpp"
#include "reports/page/html_text.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

constexpr double height = 200, above = 22;  ///< of the frame, and over it; pixels
constexpr std::size_t bar_colours = 8;      ///< classes c0 to c7 of the style

struct Bar {
  const Section* section;
  const std::string* id;
  double best;
  std::optional<double> standard;
};

std::vector<Bar> bars_of(const ReportData& data, const std::vector<std::string>& ids) {
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    const Section& section = data.sections[i];
    const double limit = section.amount.limit;
    if (!section.winner || !(limit > 0)) continue;
    std::optional<double> standard;
    if (section.objective == Objective::time && section.default_value)
      standard = limit / *section.default_value;
    bars.push_back({&section, &ids[i], limit / *section.winner->time, standard});
  }
  return bars;
}

/// Lengths along x are shares of the width, so that the picture fits any window; those along y are pixels.
std::string bar_svg(const Bar& bar, std::size_t place, std::size_t count, std::size_t colour, double top) {
  const double step = 100.0 / static_cast<double>(count), width = std::min(0.85 * step, 10.0);
  const double x = (static_cast<double>(place) + 0.5) * step - width / 2;
  const auto y = [&](double share) { return above + height * (1 - share / top); };
  std::string svg = format(
      "<a href=\"#{}\" tabindex=\"-1\"><title>{}: {} of the limit{}</title><rect class=\"c{}\" x=\"{:.2f}%\" "
      "y=\"{:.1f}\" width=\"{:.2f}%\" height=\"{:.1f}\"/></a>",
      *bar.id, html_text(title(*bar.section)), percent_text(bar.best),
      bar.standard ? format("; default: {}", percent_text(*bar.standard)) : "", colour, x, y(bar.best), width,
      above + height - y(bar.best));
  if (bar.standard)
    svg += format("<rect class=\"default\" x=\"{:.2f}%\" y=\"{:.1f}\" width=\"{:.2f}%\" height=\"3\"/>", x,
                  y(*bar.standard) - 1.5, width);
  return svg + "\n";
}

}  // namespace

std::string overview_html(const ReportData& data, const std::vector<std::string>& ids) {
  const std::vector<Bar> bars = bars_of(data, ids);
  if (bars.empty()) return "";
  const double top = std::max(1.0, std::ranges::max_element(bars, {}, &Bar::best)->best);
  std::string legend, lines, shapes;
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const std::string& problem = bars[i].section->workload.problem;
    const auto known = std::ranges::find(problems, problem);
    const std::size_t colour = static_cast<std::size_t>(known - problems.begin()) % bar_colours;
    if (known == problems.end()) {
      problems.push_back(problem);
      legend += format("<span><i class=\"c{}\"></i>{}</span> ", colour, html_text(problem));
    }
    shapes += bar_svg(bars[i], i, bars.size(), colour, top);
  }
  for (int percent = 0; percent <= 100 * top; percent += 20) {
    const double y = above + height * (1 - percent / (100 * top));
    const std::string line = format("<line {0}x2=\"100%\" y1=\"{1:.1f}\" y2=\"{1:.1f}\"/>",
                                    percent == 100 ? "class=\"limit\" " : "", y);
    (percent == 100 ? shapes : lines) += line;
    lines += format("<text x=\"-8\" y=\"{:.1f}\">{} %</text>\n", y + 4, percent);
  }
  return format(
      "<figure class=\"card wide\"><figcaption><h3>Best, default and limit</h3></figcaption>\n"
      "<div class=\"picture\">\n<p class=\"legend\">{}<span><i class=\"default\"></i>default</span> "
      "<span><i class=\"limit\"></i>limit</span></p>\n<svg width=\"100%\" height=\"{}\" role=\"img\" "
      "aria-label=\"Share of the limit that the best configuration of each workload reaches\">\n"
      "<text class=\"name\" x=\"0\" y=\"12\">share of the limit</text>\n{}{}</svg>\n</div></figure>\n",
      legend, above + height + 12, lines, shapes);
}

}  // namespace tune::reports
