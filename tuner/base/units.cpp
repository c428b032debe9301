// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// Four significant digits without trailing zeros behind the point.
std::string significant(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  std::string text = format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Returns the decimal number at the beginning and what follows it; 0 where there is none. The point is a
/// point in every locale.
std::pair<double, std::string_view> leading_number(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) number = 0;
  return {number, text.substr(static_cast<std::size_t>(rest - text.data()))};
}

}  // namespace

std::string si(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 9> prefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
  constexpr int none = 4;
  if (value == 0 || !std::isfinite(value)) return format("{} {}", value, unit);
  int step = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  step = std::clamp(step, -none, none);
  return format("{} {}{}", significant(value / std::pow(1000.0, step)),
                prefixes.at(static_cast<std::size_t>(step + none)), unit);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t step = 0;
  while (std::abs(bytes) >= 1024 && step + 1 < units.size()) {
    bytes /= 1024;
    ++step;
  }
  return format("{} {}", significant(bytes), units.at(step));
}

std::string duration_text(double seconds) {
  if (seconds < 10) return format("{:.1f} s", seconds);
  const auto rounded_seconds = static_cast<long long>(std::llround(seconds));
  if (rounded_seconds < 60) return format("{} s", rounded_seconds);
  if (rounded_seconds < 3600) return format("{} min {} s", rounded_seconds / 60, rounded_seconds % 60);
  return format("{} h {} min", rounded_seconds / 3600, rounded_seconds % 3600 / 60);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return percent < 9.95 ? format("{:.1f} %", percent) : format("{:.0f} %", percent);
}

std::string plural(std::string_view noun) {
  constexpr std::string_view vowels = "aeiou";
  if (noun.size() > 1 && noun.ends_with('y') && vowels.find(noun[noun.size() - 2]) == std::string_view::npos)
    return format("{}ies", noun.substr(0, noun.size() - 1));
  for (const std::string_view hissed : {"s", "x", "z", "ch", "sh"})
    if (noun.ends_with(hissed)) return format("{}es", noun);
  return format("{}s", noun);
}

std::string counted(std::uint64_t count, std::string_view what) {
  return format("{} {}", count, count == 1 ? std::string(what) : plural(what));
}

double parse_duration(std::string_view text, std::string_view option) {
  const auto [number, unit] = leading_number(text);
  const auto is = [&unit = unit](std::initializer_list<std::string_view> names) {
    return std::ranges::count(names, unit) > 0;
  };
  const double factor = is({"", "s", "sec", "second", "seconds"}) ? 1
                        : is({"m", "min", "minute", "minutes"})   ? 60
                        : is({"h", "hour", "hours"})              ? 3600
                        : is({"ms"})                              ? 1e-3
                                                                  : 0;
  const double seconds = number * factor;
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw UsageError(
        format("{}: '{}' is not a time such as 90s, 5m or 1.5h", option, shortened(std::string(text))));
  return seconds;
}

std::uint64_t parse_size(std::string_view text, std::string_view option) {
  constexpr std::string_view prefixes = "KMGT";
  const auto [number, unit] = leading_number(text);
  const std::size_t step = unit.size() == 1 ? prefixes.find(unit) : unit.empty() ? 0 : std::string_view::npos;
  const double bytes =
      step == std::string_view::npos ? 0 : number * std::pow(1024.0, static_cast<double>(step + unit.size()));
  if (!(bytes >= 1) || !(bytes < 9e18))
    throw UsageError(
        format("{}: '{}' is not a size such as 500M or 2G", option, shortened(std::string(text))));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace tune
