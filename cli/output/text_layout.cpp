// SPDX-License-Identifier: Apache-2.0
#include "cli/output/text_layout.hpp"

#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// Splits at spaces, but not between single quotes, so that a quoted command can be copied. An apostrophe
/// does not count as a quote.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char letter : text) {
    if (letter == '\'' && (quoted || word.empty() || word.back() == '(')) quoted = !quoted;
    if (letter != ' ' || quoted) {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string all;
  std::size_t column = indent;
  for (const std::string& word : words_of(text)) {
    if (column > indent && column + 1 + word.size() > text_width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      all += ' ';
      ++column;
    }
    all += word;
    column += word.size();
  }
  return all;
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
