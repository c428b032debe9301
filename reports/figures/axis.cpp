// SPDX-License-Identifier: Apache-2.0
#include "reports/figures/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

/// The digits of marked values, the coarsest first.
const std::vector<std::vector<double>>& digits() {
  static const std::vector<std::vector<double>> all = {
      {1},
      {1, 3},
      {1, 2, 5},
      {1, 1.5, 2, 3, 5, 7},
      {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}};
  return all;
}

/// Two values that differ: equal ones get room on both sides.
std::pair<double, double> extent(const std::vector<double>& values) {
  if (values.empty()) return {0, 1};
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

std::vector<double> linear_values(double low, double high, std::size_t most) {
  const double step = std::pow(10, std::floor(std::log10((high - low) / static_cast<double>(most))));
  double round = 10 * step;
  for (const double digit : {1.0, 2.0, 2.5, 5.0, 10.0})
    if ((high - low) / (digit * step) <= static_cast<double>(most)) {
      round = digit * step;
      break;
    }
  std::vector<double> values;
  for (double n = std::ceil(low / round - 1e-9); n * round <= high + 1e-9 * round; ++n)
    values.push_back(n * round);
  return values;
}

std::vector<double> log_values(double low, double high, std::size_t most) {
  std::vector<double> chosen;
  for (const std::vector<double>& grid : digits()) {
    std::vector<double> values;
    for (double power = std::floor(std::log10(low)); power <= std::log10(high) + 1; ++power)
      for (const double digit : grid)
        if (const double value = digit * std::pow(10, power);
            value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
          values.push_back(value);
    if (values.size() > most && chosen.size() > 1) break;
    chosen = std::move(values);
    if (chosen.size() >= most) break;
  }
  // Less than a factor of about 1.5 is left: equal steps look the same.
  if (chosen.size() < 3) chosen = linear_values(low, high, most);
  if (chosen.size() <= most) return chosen;
  std::vector<double> fewer;  // many powers of ten
  const std::size_t step = (chosen.size() + most - 1) / most;
  for (std::size_t i = 0; i < chosen.size(); i += step) fewer.push_back(chosen[i]);
  return fewer;
}

void choose_prefix(Axis& axis) {
  static constexpr std::array prefixes = {"n", "\u00b5", "m", "", "k", "M", "G", "T", "P"};
  if (axis.unit.empty() || axis.unit == "%" || axis.unit == "FLOP/B") return;
  const double middle =
      axis.kind == Axis::Kind::logarithmic ? std::sqrt(axis.low * axis.high) : axis.high / 2;
  if (!(middle > 0)) return;
  const int step = std::clamp(static_cast<int>(std::floor(std::log10(middle) / 3)), -3, 5);
  axis.scale = std::pow(1000.0, step);
  axis.prefix = prefixes.at(static_cast<std::size_t>(step + 3));
}

}  // namespace

double Axis::place(double value) const {
  switch (kind) {
    case Kind::linear:
      return (value - low) / (high - low);
    case Kind::logarithmic:
      return std::log(value / low) / std::log(high / low);
    case Kind::categories:
      return (value + 0.5) / static_cast<double>(categories.size());
  }
  return 0;
}

std::string Axis::title() const {
  return unit.empty() ? name : name.empty() ? prefix + unit : format("{} ({}{})", name, prefix, unit);
}

std::vector<Tick> Axis::ticks(std::size_t most) const {
  std::vector<Tick> result;
  if (kind == Kind::categories) {
    for (std::size_t i = 0; i < categories.size(); ++i)
      result.push_back({static_cast<double>(i), categories[i]});
    return result;
  }
  const std::vector<double> marked = !values.empty()        ? values
                                     : kind == Kind::linear ? linear_values(low / scale, high / scale, most)
                                                            : log_values(low / scale, high / scale, most);
  for (const double value : marked) {
    const double shown = values.empty() ? value : value / scale;
    result.push_back({shown * scale, tick_text(shown)});
  }
  return result;
}

Axis log_axis(std::string name, std::string unit, const std::vector<double>& values) {
  Axis axis{.name = std::move(name), .unit = std::move(unit), .kind = Axis::Kind::logarithmic};
  const auto [low, high] = extent(values);
  const double room = std::max(std::pow(high / low, 0.05), 1.02);
  axis.low = low / room;
  axis.high = high * room;
  choose_prefix(axis);
  return axis;
}

Axis linear_axis(std::string name, std::string unit, const std::vector<double>& values, bool from_zero) {
  Axis axis{.name = std::move(name), .unit = std::move(unit)};
  const auto [low, high] = extent(values);
  const double room = high > low ? 0.05 * (high - low) : std::max(1e-9, 0.05 * std::abs(high));
  axis.low = from_zero ? 0 : low - room;
  axis.high = from_zero ? std::max(1.05 * high, 1e-9) : high + room;
  choose_prefix(axis);
  return axis;
}

Axis category_axis(std::string name, std::vector<std::string> categories) {
  return {.name = std::move(name), .kind = Axis::Kind::categories, .categories = std::move(categories)};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e-3 && size < 1e6) return format("{:.{}g}", value, size >= 1e4 ? 6 : 4);
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  return format("{:.3g}e{}", value / std::pow(10, power), power);
}

}  // namespace tune::reports
