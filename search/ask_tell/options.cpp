// SPDX-License-Identifier: Apache-2.0
#include "search/ask_tell/options.hpp"

#include <charconv>
#include <stdexcept>

#include "search/expressions/nearest.hpp"

namespace tune::search {
namespace {

/// Returns the shortest text that is read as the same number.
template<class Number>
std::string to_text(Number number) {
  std::string text(32, '\0');
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

template<class Number>
std::string range_text(Number min, Number max) {
  return to_text(min) + " to " + to_text(max);
}

[[noreturn]] void refuse(std::string_view name, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(std::string(name) + "=" + value + ": expected " + expected);
}

/// Reads the whole text as a number within the range.
template<class Number>
bool read(const std::string& text, Number& value, Number min, Number max) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (!(number >= min && number <= max)) return false;  // false for NaN too
  value = number;
  return true;
}

}  // namespace

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += ":" + name + "=" + value;
  return text;
}

const std::string* OptionVisitor::wanted(std::string_view name) {
  const std::string* text = nullptr;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i].first != name) continue;
    if (text != nullptr) throw std::invalid_argument("'" + std::string(name) + "' is set twice");
    text = &wanted_[i].second;
    used_[i] = true;
  }
  return text;
}

void OptionVisitor::list(std::string_view name, std::string_view meaning, std::string value,
                         std::string range) {
  found_.push_back({std::string(name), std::string(meaning), std::move(value), std::move(range)});
}

void OptionVisitor::count(std::string_view name, std::size_t& value, std::size_t min, std::size_t max,
                          std::string_view meaning, std::string_view zero) {
  const std::string range = range_text(min, max) + (zero.empty() ? "" : " or ") + std::string(zero);
  if (const std::string* text = wanted(name)) {
    if (!zero.empty() && *text == zero)
      value = 0;
    else if (!read(*text, value, min, max))
      refuse(name, *text, "a whole number, " + range);
  }
  list(name, meaning, value == 0 && !zero.empty() ? std::string(zero) : to_text(value), range);
}

void OptionVisitor::number(std::string_view name, double& value, double min, double max,
                           std::string_view meaning) {
  const std::string* text = wanted(name);
  if (text != nullptr && !read(*text, value, min, max))
    refuse(name, *text, "a number, " + range_text(min, max));
  list(name, meaning, to_text(value), range_text(min, max));
}

void OptionVisitor::toggle(std::string_view name, bool& value, std::string_view meaning) {
  if (const std::string* text = wanted(name)) {
    if (*text != "on" && *text != "off") refuse(name, *text, "on or off");
    value = *text == "on";
  }
  list(name, meaning, value ? "on" : "off", "on or off");
}

std::vector<OptionInfo> OptionVisitor::finish() {
  std::vector<std::string> names;
  for (const OptionInfo& option : found_) names.push_back(option.name);
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (!used_[i])
      throw std::invalid_argument("no option is called '" + wanted_[i].first + "'" +
                                  did_you_mean(wanted_[i].first, names));
  return std::move(found_);
}

}  // namespace tune::search
