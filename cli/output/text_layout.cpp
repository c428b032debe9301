// SPDX-License-Identifier: Apache-2.0
#include "cli/output/text_layout.hpp"

#include <algorithm>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::cli {
namespace {

/// Words, of which one between single quotes is a whole: a command that is quoted can be copied. An
/// apostrophe opens nothing.
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

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_=./,:+%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string time_of_day(const std::string& stored) {
  constexpr std::size_t day = 10, second = 19;
  if (stored.size() <= second || stored[day] != 'T' || stored.back() != 'Z') return stored;
  return stored.substr(0, day) + " " + stored.substr(day + 1, second - day - 1) + " UTC";
}

std::string labelled(std::string_view label, const std::string& text) {
  return text.empty() ? std::string() : format("{:<12}{}\n", label, text);
}

std::string ties_text(const std::vector<Tie>& ties, std::size_t max) {
  std::string text = format("ties      with {} other{}, less than {} slower or not for sure:\n", ties.size(),
                            ties.size() == 1 ? "" : "s", percent_text(rerank_resolution));
  for (std::size_t i = 0; i < std::min(ties.size(), max); ++i)
    text += format("          {}\n            {}\n", difference_text(ties[i].ratio),
                   wrapped(ties[i].configuration.to_string(), 12));
  if (ties.size() > max) text += format("          and {} more: 'tune show'\n", ties.size() - max);
  return text;
}

}  // namespace tune::cli
