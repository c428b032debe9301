// SPDX-License-Identifier: Apache-2.0
#include "reports/data/times.hpp"

#include <charconv>
#include <chrono>

namespace tune::reports {
namespace {

/// Reads digits from `begin` to `end`; false for anything else.
bool number(std::string_view text, std::size_t begin, std::size_t end, int& value) {
  if (text.size() < end) return false;
  const char* last = text.data() + end;
  const auto [stop, error] = std::from_chars(text.data() + begin, last, value);
  return error == std::errc{} && stop == last && value >= 0;
}

}  // namespace

std::optional<double> seconds_of(std::string_view utc) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0;
  if (!number(utc, 0, 4, year) || !number(utc, 5, 7, month) || !number(utc, 8, 10, day) ||
      !number(utc, 11, 13, hour) || !number(utc, 14, 16, minute) || !number(utc, 17, 19, second))
    return std::nullopt;
  if (utc.size() > 20 && !number(utc, 20, 23, millisecond)) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * 86'400 + hour * 3'600 + minute * 60 + second + millisecond / 1'000.0;
}

}  // namespace tune::reports
