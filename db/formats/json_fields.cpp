// SPDX-License-Identifier: Apache-2.0
#include "db/formats/json_fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {

using search::Value;

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

double seconds_member(const Json& object, const char* name, double unit, const std::string& where) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number()) return 0;
  const double seconds = value->get<double>() * unit;
  if (seconds < 0)
    throw UsageError(format("{}: '{}' is {}: a time is not below 0", where, name, value->get<double>()));
  return seconds;
}

namespace {

struct Unit {
  std::string_view name;  ///< in lower case
  double seconds;
};

/// Kernel Tuner writes `miliseconds`.
constexpr std::array units = {
    Unit{"ns", 1e-9}, Unit{"nanoseconds", 1e-9}, Unit{"us", 1e-6},           Unit{"microseconds", 1e-6},
    Unit{"ms", 1e-3}, Unit{"miliseconds", 1e-3}, Unit{"milliseconds", 1e-3}, Unit{"s", 1},
    Unit{"sec", 1},   Unit{"seconds", 1}};

}  // namespace

std::optional<double> known_unit(std::string unit) {
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::ranges::find(units, unit, &Unit::name);
  return found == units.end() ? std::nullopt : std::optional(found->seconds);
}

double seconds_of_unit(std::string unit, const std::string& file) {
  if (const auto seconds = known_unit(unit)) return *seconds;
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  throw UsageError(format("{}: unknown unit of time '{}'; known: ns, us, ms, s and their names", file, unit));
}

std::optional<double> time_of(const Json& value) {
  constexpr double failed = 1e20;
  if (!value.is_number()) return std::nullopt;
  const double time = value.get<double>();
  if (!std::isfinite(time) || time <= 0 || time >= failed) return std::nullopt;
  return time;
}

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return value.empty() ? "{}" : "an object";
  if (value.is_array()) {
    const bool plain = value.size() <= 3 && std::ranges::none_of(value, &Json::is_structured);
    if (!plain) return "a list";
  }
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

std::string printable(std::string text) {
  constexpr std::size_t longest = 200;
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '_');
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

namespace {

/// Returns the joules of a unit; nothing for another one.
std::optional<double> joules_of(const std::string& unit) {
  if (unit.empty() || unit == "J" || unit == "joule" || unit == "joules") return 1;
  if (unit == "mJ") return 1e-3;
  if (unit == "uJ") return 1e-6;
  return std::nullopt;
}

}  // namespace

bool is_energy(const std::string& name) {
  constexpr std::array names = {"energy", "nvml_energy", "ps_energy", "pmt_energy"};
  return std::ranges::find(names, name) != names.end();
}

void add_figure(Measurement& measurement, const std::string& name, double value, const std::string& unit) {
  if (!std::isfinite(value)) return;
  const auto joules = is_energy(name) ? joules_of(unit) : std::nullopt;
  const bool counts = joules && value > 0 && measurement.energy == 0;
  if (counts) measurement.energy = value * *joules;
  if (counts && name == "energy" && unit.size() <= 1) return;  // its name says the same
  measurement.metrics.emplace_back(
      printable(unit.empty() || unit == name ? name : format("{} ({})", name, unit)), value);
}

std::pair<std::string, std::string> name_and_unit(const std::string& metric) {
  const std::size_t begin = metric.rfind(" (");
  if (begin == std::string::npos || !metric.ends_with(')')) return {metric, ""};
  return {metric.substr(0, begin), metric.substr(begin + 2, metric.size() - begin - 3)};
}

std::vector<double> samples_or(double time, const Json* list, double unit) {
  if (list == nullptr || !list->is_array()) return {time};
  std::vector<double> samples;
  for (const Json& one : *list) {
    const auto sample = time_of(one);
    if (!sample) return {time};
    samples.push_back(*sample * unit);
  }
  const auto [min, max] = std::ranges::minmax_element(samples);
  constexpr double rounding = 1e-9;
  if (samples.empty() || time < *min * (1 - rounding) || time > *max * (1 + rounding)) return {time};
  return samples;
}

namespace {

/// Reads two or more digits at `at`; returns a negative number where there are none.
int digits(const std::string& text, std::size_t at, std::size_t count) {
  int number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || std::isdigit(static_cast<unsigned char>(text[i])) == 0) return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

/// Reads `+02:00` and the like behind a time; returns nothing for another text.
std::optional<std::chrono::minutes> offset_of(const std::string& text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string rest = text.substr(at);
  if (rest.empty() || rest == "Z" || rest == "UTC") return std::chrono::minutes(0);
  if (rest[0] != '+' && rest[0] != '-') return std::nullopt;
  const int hours = digits(rest, 1, 2), minutes = digits(rest, rest.size() > 3 && rest[3] == ':' ? 4 : 3, 2);
  if (hours < 0 || minutes < 0) return std::nullopt;
  return std::chrono::minutes((rest[0] == '-' ? -1 : 1) * (60 * hours + minutes));
}

}  // namespace

std::string utc_time(const std::string& text) {
  namespace chrono = std::chrono;
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0 || !date.ok()) return {};
  std::size_t end = 19;
  int milliseconds = 0;
  if (end < text.size() && (text[end] == '.' || text[end] == ',')) {
    for (int scale = 100; ++end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0;
         scale /= 10)
      milliseconds += scale * (text[end] - '0');
  }
  const auto offset = offset_of(text, end);
  if (!offset) return {};
  const auto at = chrono::sys_days(date) + chrono::hours(hour) + chrono::minutes(minute) - *offset +
                  chrono::seconds(second) + chrono::milliseconds(milliseconds);
  const auto utc_day = chrono::floor<chrono::days>(at);
  const chrono::year_month_day utc{utc_day};
  const chrono::hh_mm_ss time{at - utc_day};
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(utc.year()),
                static_cast<unsigned>(utc.month()), static_cast<unsigned>(utc.day()), time.hours().count(),
                time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

std::optional<Value> parameter_value(const Json& value) {
  if (value.is_boolean()) return Value(value.get<bool>());
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > largest) return Value(value.get<double>());
  if (value.is_number_integer()) return Value(value.get<std::int64_t>());
  if (value.is_number_float()) {
    const double real = value.get<double>();
    constexpr double exact = 0x1.0p53;
    if (real == std::trunc(real) && std::abs(real) < exact) return Value(static_cast<std::int64_t>(real));
    return Value(real);
  }
  if (!value.is_string()) return std::nullopt;
  std::string text = value.get<std::string>();
  std::ranges::replace_if(
      text,
      [](unsigned char c) { return c == ',' || c == '=' || std::isspace(c) != 0 || std::iscntrl(c) != 0; },
      '_');
  return Value::parse(text);
}

std::string parameter_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c != '_' && std::isalnum(c) == 0; }, '_');
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "_");
  return name;
}

}  // namespace tune::replay
