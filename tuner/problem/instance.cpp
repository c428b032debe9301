// SPDX-License-Identifier: Apache-2.0
#include "tuner/problem/instance.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

template<class Pairs>
const auto& named(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find_if(pairs, [&](const auto& pair) { return pair.first == name; });
  if (found == pairs.end()) throw std::out_of_range("the instance has no '" + std::string(name) + "'");
  return found->second;
}

}  // namespace

std::int64_t Instance::extent(std::string_view name) const {
  return named(extents, name);
}

const Value& Instance::setting(std::string_view name) const {
  return named(settings, name);
}

Value Instance::setting_or(std::string_view name, Value otherwise) const {
  const auto found = std::ranges::find_if(settings, [&](const auto& pair) { return pair.first == name; });
  return found == settings.end() ? std::move(otherwise) : found->second;
}

std::string Instance::size() const {
  return joined(
      extents, [](const auto& pair) { return pair.second; }, "x");
}

std::string Instance::settings_key() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : settings) parts.push_back(name + "=" + value.to_string());
  std::ranges::sort(parts);
  return joined(parts, {}, ",");
}

std::string instance_difference(const Instance& instance, const Instance& other) {
  std::vector<std::string> parts;
  if (instance.size() != other.size()) parts.push_back(other.size());
  for (const auto& [name, value] : other.settings)
    if (instance.setting_or(name, value) != value) parts.push_back(name + "=" + value.to_string());
  return joined(parts);
}

}  // namespace tune
