// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/settings.hpp"

#include <algorithm>

namespace tune::lookup {
namespace {

bool is_default(const std::string& problem, const std::pair<std::string, std::string>& setting) {
  for (std::size_t i = 0; i < setting_defaults_count; ++i) {
    const SettingDefault& known = setting_defaults[i];
    if (problem == known.problem && setting.first == known.name && setting.second == known.value) return true;
  }
  return false;
}

}  // namespace

bool has_defaults(const std::string& problem) {
  for (std::size_t i = 0; i < setting_defaults_count; ++i)
    if (problem == setting_defaults[i].problem) return true;
  return false;
}

std::string canonical_settings(const std::string& problem,
                               std::vector<std::pair<std::string, std::string>> settings) {
  std::sort(settings.begin(), settings.end());
  std::string text;
  for (const auto& setting : settings) {
    if (is_default(problem, setting)) continue;
    if (!text.empty()) text += ',';
    text += setting.first + "=" + setting.second;
  }
  return text;
}

std::string canonical_settings(const std::string& problem, const std::string& key) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find(',', begin), key.size());
    const std::size_t equals = std::min(key.find('=', begin), end);
    settings.emplace_back(key.substr(begin, equals - begin),
                          equals < end ? key.substr(equals + 1, end - equals - 1) : std::string());
    begin = end + 1;
  }
  return canonical_settings(problem, std::move(settings));
}

}  // namespace tune::lookup
