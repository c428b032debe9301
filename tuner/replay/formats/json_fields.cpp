// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/formats/json_fields.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

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

double seconds_member(const Json& object, const char* name, double unit) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_number() ? value->get<double>() * unit : 0;
}

std::optional<double> time_of(const Json& value) {
  constexpr double failed = 1e20;
  if (!value.is_number()) return std::nullopt;
  const double time = value.get<double>();
  if (!std::isfinite(time) || time <= 0 || time >= failed) return std::nullopt;
  return time;
}

std::optional<Value> parameter_value(const Json& value) {
  if (value.is_boolean()) return Value(value.get<bool>());
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
      text, [](unsigned char c) { return c == ',' || c == '=' || std::isspace(c) != 0; }, '_');
  return Value::parse(text);
}

std::string parameter_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c != '_' && std::isalnum(c) == 0; }, '_');
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "_");
  return name;
}

}  // namespace tune::replay
