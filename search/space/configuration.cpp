// SPDX-License-Identifier: Apache-2.0
#include "search/space/configuration.hpp"

#include <algorithm>
#include <stdexcept>

namespace tune::search {

namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view whitespace = " \t\r\n";
  const auto first = text.find_first_not_of(whitespace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(whitespace) - first + 1);
}

std::string join(const std::vector<Configuration::Entry>& entries, std::string_view separator) {
  std::string text;
  for (const auto& [name, value] : entries) {
    if (!text.empty()) text += separator;
    text += name + "=" + value.to_string();
  }
  return text;
}

}  // namespace

Configuration::Configuration(std::initializer_list<Entry> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

void Configuration::set(std::string_view name, Value value) {
  for (auto& entry : entries_) {
    if (entry.first == name) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(name, std::move(value));
}

const Value* Configuration::find(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

const Value& Configuration::operator[](std::string_view name) const {
  if (const Value* value = find(name)) return *value;
  throw std::out_of_range("the configuration (" + to_string() + ") has no parameter '" + std::string(name) +
                          "'");
}

std::string Configuration::key() const {
  std::vector<Entry> sorted = entries_;
  std::ranges::sort(sorted, {}, &Entry::first);
  return join(sorted, ",");
}

std::string Configuration::to_string() const {
  return join(entries_, ", ");
}

std::string Configuration::difference_from(const Configuration& other) const {
  std::vector<Entry> own;
  for (const Entry& entry : entries_)
    if (const Value* const value = other.find(entry.first); value == nullptr || *value != entry.second)
      own.push_back(entry);
  return join(own, ", ");
}

Configuration Configuration::parse(std::string_view text) {
  Configuration configuration;
  if (trim(text).empty()) return configuration;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view item = trim(text.substr(0, comma));
    const auto equals = item.find('=');
    const std::string_view name = trim(item.substr(0, equals));
    if (equals == std::string_view::npos || name.empty())
      throw std::invalid_argument("expected name=value, found '" + std::string(item) + "'");
    if (configuration.has(name)) throw std::invalid_argument("'" + std::string(name) + "' is given twice");
    configuration.set(name, Value::parse(trim(item.substr(equals + 1))));
    if (comma == std::string_view::npos) return configuration;
    text.remove_prefix(comma + 1);
  }
}

bool operator==(const Configuration& a, const Configuration& b) {
  if (a.entries_.size() != b.entries_.size()) return false;
  return std::ranges::all_of(a.entries_, [&b](const Configuration::Entry& entry) {
    const Value* other = b.find(entry.first);
    return other != nullptr && *other == entry.second;
  });
}

}  // namespace tune::search
