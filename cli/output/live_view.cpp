// SPDX-License-Identifier: Apache-2.0
#include "cli/output/live_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

constexpr std::size_t margin = 3;  ///< columns at the right: Ctrl-C writes two characters there

/// The parts that fit, two spaces between them.
std::string fitting(const std::vector<std::string>& parts, std::size_t columns) {
  std::string line;
  std::size_t width = 0;
  for (const std::string& part : parts) {
    const std::size_t more = shown_width(part) + (width > 0 ? 2 : 0);
    if (part.empty() || width + more > columns) continue;
    line += (width > 0 ? "  " : "") + part;
    width += more;
  }
  return line;
}

}  // namespace

std::string LiveLines::erasure(std::size_t columns) const {
  if (widths_.empty()) return {};
  std::size_t rows = 0;
  for (const std::size_t width : widths_)
    rows += std::max<std::size_t>(1, columns == 0 ? 1 : (width + columns - 1) / columns);
  return (rows > 1 ? format("\r\x1b[{}A", rows - 1) : std::string("\r")) + "\x1b[J";
}

void LiveLines::draw(const std::vector<std::string>& lines) {
  const std::size_t columns = style_().width;
  std::string text = erasure(columns);
  widths_.clear();
  for (const std::string& line : lines) {
    const std::string cut = columns == 0 ? line : cut_to(line, columns - std::min(columns, margin));
    text += (widths_.empty() ? "" : "\n") + cut;
    widths_.push_back(shown_width(cut));
  }
  out_ << text << std::flush;
}

void LiveLines::erase() {
  if (!widths_.empty()) out_ << erasure(style_().width) << std::flush;
  widths_.clear();
}

std::string spent_text(double seconds, double allowed) {
  constexpr double minute = 60;
  if (allowed < minute) return format("{:.1f}/{:g} s", std::max(0.0, seconds), allowed);
  return format("{}/{}", duration_text(std::max(0.0, seconds)), duration_text(allowed));
}

std::string sparkline(const std::vector<double>& values, std::size_t columns, bool unicode) {
  static constexpr std::array<std::string_view, 8> blocks = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                             "\u2585", "\u2586", "\u2587", "\u2588"};
  static constexpr std::array<std::string_view, 8> letters = {"_", ".", ":", "-", "=", "+", "*", "#"};
  if (values.empty() || columns == 0) return {};
  const auto [low, high] = std::ranges::minmax(values);
  if (!(low > 0) || !(high > low)) return {};
  const std::size_t count = std::min(columns, values.size());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[count == 1 ? 0 : i * (values.size() - 1) / (count - 1)];
    const double height = std::log(value / low) / std::log(high / low);
    const auto level = static_cast<std::size_t>(std::lround(height * 7));
    text += unicode ? blocks.at(level) : letters.at(level);
  }
  return text;
}

std::vector<std::string> live_lines(const RunView& view, const TextStyle& style) {
  if (view.planned == 0) return {view.phase};  // before the first evaluation
  const auto share = [](double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 0.0; };
  const double by_count = share(static_cast<double>(view.evaluations), static_cast<double>(view.planned));
  const double by_time = share(view.seconds, view.seconds_allowed);
  const std::size_t columns = style.width - std::min(style.width, margin);
  const std::size_t bar_columns = std::clamp<std::size_t>(columns / 5, 4, 24);
  const std::string bar = style.bar(std::max(by_count, by_time), bar_columns);
  const std::string rest(bar_columns - std::min(bar_columns, shown_width(bar)), style.unicode ? ' ' : '.');
  std::string count = format("{}/{} evaluated", view.evaluations, view.planned);
  std::string time =
      view.seconds_allowed > 0 ? spent_text(view.seconds, view.seconds_allowed) : std::string();
  if (by_time > by_count) std::swap(count, time);  // what ends the run comes first
  const std::string failed = format("{} failed", view.failed);
  std::vector<std::string> lines = {fitting(
      {"[" + style.green(bar) + rest + "]", count, time, view.failed > 0 ? style.yellow(failed) : failed,
       view.phase, view.seconds_left > 0 ? duration_text(view.seconds_left) + " left" : std::string(),
       view.rate > 0 ? style.dim(format("{:.1f}/s", view.rate)) : std::string()},
      columns)};
  if (view.best.empty()) return lines;
  std::vector<std::string> parts = {"best " + style.bold(view.best.front())};
  parts.insert(parts.end(), view.best.begin() + 1, view.best.end());
  std::string best = fitting(parts, columns);
  constexpr std::size_t min_spark = 5, max_spark = 30;
  const std::size_t used = shown_width(best) + 2;
  if (used + min_spark <= columns)
    if (const std::string spark = sparkline(view.history, std::min(columns - used, max_spark), style.unicode);
        !spark.empty())
      best += "  " + style.green(spark);
  lines.push_back(best);
  return lines;
}

}  // namespace tune::cli
