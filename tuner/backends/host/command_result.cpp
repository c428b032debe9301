// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/command_result.hpp"

#include <regex.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <variant>

#include "tuner/base/format.hpp"

namespace tune::host {
namespace {

/// Writes the classes of characters that most people know in the way that POSIX knows them.
std::string as_posix(const std::string& pattern) {
  std::string text;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i], next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (c == '\\' && next != '\0') {
      ++i;
      const char* const known = next == 'd'   ? "[:digit:]"
                                : next == 's' ? "[:space:]"
                                : next == 'w' ? "[:alnum:]_"
                                              : nullptr;
      if (known != nullptr)
        text += in_brackets ? std::string(known) : "[" + std::string(known) + "]";
      else if (in_brackets)
        text += next;
      else
        text += {c, next};
      continue;
    }
    if (c == '[' && !in_brackets) {
      in_brackets = true;
      text += c;
      if (next == '^') text += pattern[++i];
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') text += pattern[++i];  // a bracket in brackets
      continue;
    }
    if (c == ']') in_brackets = false;
    text += c;
  }
  return text;
}

class Pattern {
 public:
  explicit Pattern(const std::string& pattern) {
    const int error = regcomp(&compiled_, as_posix(pattern).c_str(), REG_EXTENDED | REG_NEWLINE);
    if (error == 0) return;
    char text[256] = "";
    regerror(error, &compiled_, text, sizeof text);
    mistake_ = text;
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (mistake_.empty()) regfree(&compiled_);
  }

  const std::string& mistake() const { return mistake_; }
  /// Returns the texts of the first group at every match.
  std::vector<std::string> matches(const std::string& text) const {
    std::vector<std::string> all;
    const char* from = text.c_str();
    regmatch_t found[2];
    while (regexec(&compiled_, from, 2, found, from == text.c_str() ? 0 : REG_NOTBOL) == 0) {
      const regmatch_t& group = found[1].rm_so >= 0 ? found[1] : found[0];
      all.emplace_back(from + group.rm_so, from + group.rm_eo);
      from += found[0].rm_eo + (found[0].rm_eo == found[0].rm_so ? 1 : 0);
      if (from >= text.c_str() + text.size()) break;
    }
    return all;
  }

 private:
  regex_t compiled_{};
  std::string mistake_;
};

/// Returns the number that the text is, spaces around it left out.
std::optional<double> number_of(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return std::nullopt;
  const std::string word = text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size()) return std::nullopt;
  return number;
}

tl::unexpected<Failure> no_result(const std::string& detail) {
  return fail(Phase::launch, "no result", detail);
}

tl::unexpected<Failure> two_results(const std::string& detail) {
  return fail(Phase::launch, "two results", detail);
}

std::string shown(const std::string& output) {
  constexpr std::size_t longest = 300;
  if (output.find_first_not_of(" \t\r\n") == std::string::npos) return "the command printed nothing";
  return format("the output ends with: {}",
                one_line(output.size() > longest ? output.substr(output.size() - longest) : output));
}

Result<double> matched(const std::string& pattern, const std::string& output) {
  const std::vector<std::string> all = Pattern(pattern).matches(output);
  if (all.empty()) return no_result(format("nothing matches '{}'; {}", pattern, shown(output)));
  const auto number = number_of(all.front());
  if (!number)
    return no_result(format("'{}' matches '{}', which is not a number", pattern, one_line(all.front())));
  for (const std::string& other : all)
    if (number_of(other) != number)
      return two_results(format("'{}' matches {} and {}: write it so that it matches one number", pattern,
                                one_line(all.front()), one_line(other)));
  return *number;
}

using Step = std::variant<std::string, std::size_t>;

/// Reads `stats.times[0]`; nothing where it is no path.
std::optional<std::vector<Step>> steps_of(const std::string& path) {
  std::vector<Step> steps;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '[') {
      const std::size_t end = path.find(']', at);
      if (end == std::string::npos || end == at + 1 || end - at > 9) return std::nullopt;
      const std::string digits = path.substr(at + 1, end - at - 1);
      if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
      steps.emplace_back(static_cast<std::size_t>(std::stoul(digits)));
      at = end + 1;
    } else {
      if (path[at] == '.' && !steps.empty()) ++at;
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) return std::nullopt;
      steps.emplace_back(path.substr(at, end - at));
      at = end;
    }
  }
  return steps.empty() ? std::nullopt : std::optional(steps);
}

/// Returns all of the text as JSON, or its last line that is an object or a list.
nlohmann::json json_in(const std::string& text) {
  nlohmann::json all = nlohmann::json::parse(text, nullptr, false);
  if (!all.is_discarded()) return all;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t before = text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    if (begin < end && (text[begin] == '{' || text[begin] == '[')) {
      all = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (!all.is_discarded()) return all;
    }
    end = begin == 0 ? 0 : begin - 1;
  }
  return all;
}

Result<double> member(const std::string& path, const std::string& output) {
  const nlohmann::json all = json_in(output);
  if (all.is_discarded()) return no_result("the output is not JSON, nor is a line of it; " + shown(output));
  const nlohmann::json* value = &all;
  const std::vector<Step> steps = steps_of(path).value_or(std::vector<Step>{});
  for (const Step& step : steps) {
    const nlohmann::json* next = nullptr;
    if (const auto* const name = std::get_if<std::string>(&step)) {
      if (value->is_object() && value->contains(*name)) next = &(*value)[*name];
    } else if (value->is_array() && std::get<std::size_t>(step) < value->size()) {
      next = &(*value)[std::get<std::size_t>(step)];
    }
    if (next == nullptr) return no_result(format("the JSON has no '{}'; {}", path, shown(output)));
    value = next;
  }
  if (value->is_boolean()) return value->get<bool>() ? 1.0 : 0.0;
  if (!value->is_number())
    return no_result(format("'{}' of the JSON is not a number; {}", path, shown(output)));
  return value->get<double>();
}

Result<double> raw_result(const ResultSource& source, const ProgramResult& ended) {
  switch (source.kind) {
    case ResultSource::Kind::wall_time:
      return ended.seconds;
    case ResultSource::Kind::processor_time:
      return ended.processor_seconds;
    case ResultSource::Kind::peak_memory:
      return ended.peak_memory;
    case ResultSource::Kind::exit_code:
      return static_cast<double>(ended.status);
    case ResultSource::Kind::output: {
      if (const auto number = number_of(ended.output)) return *number;
      std::istringstream words(ended.output);
      std::size_t numbers = 0;
      for (std::string word; words >> word;) numbers += number_of(word) ? 1 : 0;
      if (numbers > 1)
        return two_results(format("the command printed {} numbers: choose one by 'regex' or 'json'; {}",
                                  numbers, shown(ended.output)));
      return no_result("the output is not a number; " + shown(ended.output));
    }
    case ResultSource::Kind::pattern:
      return matched(source.text, ended.output);
    case ResultSource::Kind::json:
      return member(source.text, ended.output);
  }
  return no_result("");
}

}  // namespace

std::string pattern_mistake(const std::string& pattern) {
  return Pattern(pattern).mistake();
}

std::string path_mistake(const std::string& path) {
  return steps_of(path) ? "" : "expected a path such as stats.times[0]";
}

Result<double> read_result(const ResultSource& source, const ProgramResult& ended) {
  Result<double> number = raw_result(source, ended);
  if (!number) return number;
  if (!std::isfinite(*number)) return no_result(format("the result is {}", *number));
  return *number * source.scale;
}

Result<double> compare_texts(const std::string& text, const std::string& right,
                             const ExpectedOutput& expected) {
  const auto wrong = [&](const std::string& what) {
    return fail(Phase::verify, "wrong result", format("{}: {}", expected.file.string(), what));
  };
  std::istringstream words(text), right_words(right);
  double largest = 0;
  for (std::size_t number = 1;; ++number) {
    std::string word, right_word;
    const bool has = static_cast<bool>(words >> word);
    const bool has_right = static_cast<bool>(right_words >> right_word);
    if (!has && !has_right) return largest;
    if (has != has_right)
      return wrong(has ? format("word {} is '{}', where the output should end", number, shortened(word))
                       : format("the output ends before word {}, '{}'", number, shortened(right_word)));
    if (word == right_word) continue;
    const auto value = number_of(word), right_value = number_of(right_word);
    if (!value || !right_value)
      return wrong(format("word {} is '{}' instead of '{}'", number, shortened(word), shortened(right_word)));
    const double difference = std::abs(*value - *right_value);
    if (!(difference <= expected.absolute + expected.relative * std::abs(*right_value)))
      return wrong(format("word {} is {} instead of {}: they differ by {:.3g}, more than the tolerance",
                          number, word, right_word, difference));
    largest = std::max(largest, difference);
  }
}

}  // namespace tune::host
