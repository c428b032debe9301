// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/c_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tuner/plan/directives.hpp"

namespace tune::described {

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at;
  }
  return text.size();
}

std::optional<std::int64_t> number_of(std::string_view text) {
  text = trimmed(text);
  while (text.size() > 1 && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> value_of(const std::string& expression, const MacroValues& macros) {
  bool is_number = true;
  const auto value = value_of_condition(expression, macros, [&](std::string_view) { is_number = false; });
  return is_number ? value : std::nullopt;
}

std::string without_needless_brackets(std::string text) {
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    const std::string_view inner = leading_word(std::string_view(text).substr(open + 1));
    const std::size_t close = open + 1 + inner.size();
    if (inner.empty() || close >= text.size() || text[close] != ')' || (open > 0 && is_word(text[open - 1])))
      continue;
    text.erase(close, 1);
    text.erase(open, 1);
  }
  return text;
}

std::string without_casts(std::string_view expression) {
  constexpr std::array<std::string_view, 13> types = {"int",      "float",        "double",   "size_t",
                                                      "unsigned", "unsigned int", "long",     "uint32_t",
                                                      "int32_t",  "int64_t",      "uint64_t", "long long"};
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    const std::string_view rest = expression.substr(at);
    if (rest.starts_with("std::")) {
      at += 5;
      continue;
    }
    if (rest.front() == '(')
      if (const std::size_t end = rest.find(')'); end != std::string_view::npos) {
        const std::string_view type = trimmed(rest.substr(1, end - 1));
        const bool is_call = !text.empty() && is_word(text.back());
        if (!is_call && std::ranges::find(types, type) != types.end()) {
          at += end + 1;
          continue;
        }
      }
    text += rest.front();
    ++at;
  }
  return text;
}

std::string with_whole_divisions(std::string text) {
  for (const std::string_view name : {"ceilf", "ceil"}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t open = at + name.size();
      if ((at > 0 && is_word(text[at - 1])) || open >= text.size() || text[open] != '(') continue;
      const std::size_t end = closing_bracket(text, open);
      if (end == text.size()) continue;
      std::string_view inner = trimmed(std::string_view(text).substr(open + 1, end - open - 1));
      while (inner.starts_with('(') && closing_bracket(inner, 0) == inner.size() - 1)
        inner = trimmed(inner.substr(1, inner.size() - 2));
      int depth = 0;
      std::size_t divide = std::string::npos;
      bool is_quotient = true;
      for (std::size_t i = 0; i < inner.size(); ++i) {
        depth += inner[i] == '(' ? 1 : inner[i] == ')' ? -1 : 0;
        if (depth != 0) continue;
        if (inner[i] == '/') is_quotient = is_quotient && std::exchange(divide, i) == std::string::npos;
        if (inner[i] == '+' || inner[i] == '-') is_quotient = false;
      }
      if (!is_quotient || divide == std::string::npos) continue;
      std::string divided(trimmed(inner.substr(0, divide)));
      for (const std::string_view one : {"1.0 *", "1.0*", "1.0f *", "1.0f*", "1. *"})
        if (divided.starts_with(one))
          divided = std::string(trimmed(std::string_view(divided).substr(one.size())));
      text = text.substr(0, at) + "ceil_div(" + divided + ", " +
             std::string(trimmed(inner.substr(divide + 1))) + ")" + text.substr(end + 1);
    }
  }
  return text;
}

}  // namespace tune::described
