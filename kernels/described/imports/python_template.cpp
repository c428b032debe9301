// SPDX-License-Identifier: Apache-2.0
// Templates of jinja2: names become macros, and conditions over whole numbers those of the preprocessor.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/described/imports/python_follower.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described::python {
namespace {

using Kind = Value::Kind;

/// A formula of names and whole numbers that C reads as Python does; nothing for others. Names that the
/// script gives a value have it.
std::optional<std::string> formula_in_c(std::string_view words, const Arguments& given, bool is_condition) {
  std::string all;
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    if (word.empty()) {
      const char c = rest.front();
      const bool is_twice = rest.size() > 1 && rest[1] == c;
      const bool is_known = std::string_view(" ()+-*%").find(c) != std::string_view::npos ||
                            (is_condition && std::string_view("=!<>").find(c) != std::string_view::npos);
      if (!is_known || (is_twice && (c == '*' || c == '%' || c == '<' || c == '>'))) return std::nullopt;
      all += c;
      rest.remove_prefix(1);
      continue;
    }
    rest.remove_prefix(word.size());
    const bool is_call = !rest.empty() && (rest.front() == '(' || rest.front() == '.' || rest.front() == '[');
    if (is_call && word != "and" && word != "or" && word != "not") return std::nullopt;
    const auto named = std::ranges::find(given.named, word, &std::pair<std::string, Value>::first);
    if (word == "and" || word == "or" || word == "not") {
      if (!is_condition) return std::nullopt;
      all += word == "and" ? "&&" : word == "or" ? "||" : "!";
    } else if (is_one_of(word,
                         {"is", "in", "if", "else", "true", "false", "none", "True", "False", "None"})) {
      return std::nullopt;
    } else if (named != given.named.end()) {
      const std::string value = text_of(named->second);
      if (value.empty()) return std::nullopt;
      all += value;
    } else {
      all += word;
    }
  }
  return all;
}

/// What a template becomes, or the first of its statements that cannot be in a kernel's file.
class Template {
 public:
  Template(std::string_view text, const Arguments& given) : text_(text), given_(given) {}

  /// False at a statement that has no counterpart: `statement` and `line` tell it.
  bool translate() {
    while (at_ < text_.size()) {
      const std::size_t next = text_.find('{', at_);
      if (next == std::string_view::npos || next + 1 >= text_.size()) break;
      const char kind = text_[next + 1];
      if (kind != '{' && kind != '%' && kind != '#') {
        take(next + 1);
        continue;
      }
      const std::string close = kind == '{' ? "}}" : std::string(1, kind) + "}";
      const std::size_t end = text_.find(close, next + 2);
      if (end == std::string_view::npos) break;
      take(next);
      std::string_view inner = text_.substr(next + 2, end - next - 2);
      while (!inner.empty() && (inner.front() == '-' || inner.front() == '+') && kind == '%')
        inner.remove_prefix(1);
      if (inner.ends_with('-') && kind == '%') inner.remove_suffix(1);
      at_ = end + 2;
      const bool is_done =
          kind == '#' || (kind == '{' ? expression(trimmed(inner)) : control(trimmed(inner)));
      if (!is_done) {
        statement = text_.substr(next, end + 2 - next);
        line = static_cast<int>(std::ranges::count(text_.substr(0, next), '\n'));
        return false;
      }
    }
    take(text_.size());
    return true;
  }

  std::string result = {}, statement = {};
  int line = 0;  ///< of the statement: lines before it

 private:
  void take(std::size_t end) {
    result += text_.substr(at_, end - at_);
    at_ = end;
  }

  bool expression(std::string_view words) {
    const auto formula = formula_in_c(words, given_, false);
    if (formula) result += leading_word(*formula) == *formula ? *formula : "(" + *formula + ")";
    return formula.has_value();
  }

  /// A line of its own that begins with this word becomes one of the preprocessor.
  bool control(std::string_view words) {
    const std::string_view word = leading_word(words);
    const std::size_t line_begin = result.rfind('\n') + 1;
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    const bool is_alone = result.find_first_not_of(" \t", line_begin) == std::string::npos &&
                          trimmed(text_.substr(at_, line_end - at_)).empty();
    if (!is_alone) return false;
    if (word == "else" || word == "endif") {
      result += word == "else" ? "#else" : "#endif";
      return true;
    }
    if (word != "if" && word != "elif") return false;
    const auto condition = formula_in_c(trimmed(words.substr(word.size())), given_, true);
    if (condition) result += format("#{} {}", word, *condition);
    return condition.has_value();
  }

  std::string_view text_;
  const Arguments& given_;
  std::size_t at_ = 0;
};

}  // namespace

Value Follower::rendered(const Value& of, const Arguments& arguments, int node) {
  Arguments given = arguments;
  if (const Value first = arguments.at(0); first.is(Kind::dict))
    for (const auto& [key, value] : *first.pairs) given.named.emplace_back(key.text, value);
  Template made(of.text, given);
  if (made.translate()) return Value::of(std::move(made.result));
  Place at = place(node);
  if (!of.origin.empty()) {  // a file of its own
    const auto known = std::ranges::find(state_.files, of.origin);
    at = {made.line + 1, static_cast<int>(known - state_.files.begin())};
    if (known == state_.files.end()) state_.files.push_back(of.origin);
  }
  keep({Unfollowed::Kind::jinja, at, made.statement});
  return Value::unknown(text(node));
}

}  // namespace tune::described::python
