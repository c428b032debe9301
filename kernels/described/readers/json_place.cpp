// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/json_place.hpp"

#include <cctype>

#include "tuner/base/format.hpp"

namespace tune::definition {
namespace {

/// Walks over valid JSON; the library that reads the values does not tell where they stood.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { space(); }

  int line() const { return line_; }

  /// Goes to that member's or element's value; false, at the end of the value, where there is none.
  bool enter(const JsonStep& step) {
    if (peek() != (step.is_member ? '{' : '[')) return false;
    const char close = step.is_member ? '}' : ']';
    next();
    space();
    for (std::size_t i = 0; peek() != close && at_ < text_.size(); ++i) {
      bool found = i == step.index && !step.is_member;
      if (step.is_member) {
        found = string() == step.name;
        space();
        next();  // the colon
        space();
      }
      if (found) return true;
      value();
      if (peek() == ',') {
        next();
        space();
      }
    }
    return false;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() {
    const char c = peek();
    if (c == '\n') ++line_;
    ++at_;
    return c;
  }
  void space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        next();
      } else if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && peek() != '\n') next();
      } else if (text_.substr(at_, 2) == "/*") {
        while (at_ < text_.size() && text_.substr(at_, 2) != "*/") next();
        next();
        next();
      } else {
        return;
      }
    }
  }
  /// Escapes stay as they are: names of fields have none.
  std::string string() {
    std::string text;
    next();
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\') text += next();
      text += next();
    }
    next();
    return text;
  }
  void value() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        string();
      } else {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        next();
        while (depth == 0 && at_ < text_.size() && is_literal(c) && is_literal(peek())) next();
      }
      space();
    } while (depth > 0 && at_ < text_.size());
  }
  static bool is_literal(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::string to_string(const JsonPath& path) {
  std::string text;
  for (const JsonStep& step : path) {
    if (step.is_member)
      text += (text.empty() ? "" : ".") + step.name;
    else
      text += format("[{}]", step.index);
  }
  return text;
}

int line_of(std::string_view text, const JsonPath& path) {
  Walker walker(text);
  int line = walker.line();
  for (const JsonStep& step : path) {
    if (!walker.enter(step)) return line;
    line = walker.line();
  }
  return line;
}

}  // namespace tune::definition
