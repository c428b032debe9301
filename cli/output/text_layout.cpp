// SPDX-License-Identifier: Apache-2.0
#include "cli/output/text_layout.hpp"

#include <algorithm>

#include "cli/output/terminal.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
std::size_t text_width() {
  constexpr std::size_t usual = 80, widest = 100;  // longer lines are hard to read
  const std::size_t width = output_style().width;
  return width == 0 ? usual : std::min(width, widest);
}

std::string wrapped(std::string_view text, std::size_t indent) {
  return tune::wrapped(text, indent, text_width());
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       const std::string& otherwise) {
  const auto nearest = search::nearest_name(name, known);
  return nearest ? format("did you mean '{}'?", *nearest) : otherwise;
}

std::string time_of_day(const std::string& stored) {
  constexpr std::size_t day = 10, second = 19;
  if (stored.size() <= second || stored[day] != 'T' || stored.back() != 'Z') return stored;
  return stored.substr(0, day) + " " + stored.substr(day + 1, second - day - 1) + " UTC";
}

std::string labelled(std::string_view label, const std::string& text) {
  return text.empty() ? std::string() : format("{:<{}}{}\n", label, label_column, text);
}

std::string labelled(std::string_view label, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += labelled(label, wrapped(text, label_column));
    label = "";
  }
  return all;
}

}  // namespace tune::cli
