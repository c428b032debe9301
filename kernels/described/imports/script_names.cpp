// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/script_names.hpp"

#include <algorithm>

#include "kernels/described/source/conditions.hpp"
#include "search/expressions/expr_syntax.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

using python::Value;

/// Numbers up to this are extents of small things, such as a filter, and stay as they are.
constexpr std::int64_t largest_small = 32;
constexpr std::int64_t unknown_size = 1024;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool ScriptNames::is_size(std::string_view name) const {
  return std::ranges::find(sizes_, name, &ScriptSize::name) != sizes_.end();
}

std::string ScriptNames::size_for(const std::string& name, std::int64_t value) {
  if (const auto known = unnamed_.find(value); known != unnamed_.end()) return known->second;
  std::string own = name;
  for (int i = 2; is_size(own) || parameters_.contains(own); ++i) own = format("{}_{}", name, i);
  sizes_.push_back({own, value, 0, true, true});
  if (value > largest_small) unnamed_.emplace(value, own);
  return own;
}

/// A word of a formula in the definition's names; nothing where it has none.
std::optional<std::string> ScriptNames::known_word(std::string_view word, Use use) {
  if (parameters_.contains(word) || is_size(word) ||
      python::is_one_of(word, {"if", "else", "and", "or", "not", "in", "is", "None", "True", "False"}))
    return std::string(word);
  const auto number = numbers_.find(word);
  if (number == numbers_.end()) return std::nullopt;
  const bool is_wanted =
      use == Use::grid || (use == Use::extent && number->second.value_or(unknown_size) > largest_small);
  const bool is_positive = number->second.value_or(unknown_size) > 0;
  if (is_wanted && is_positive && search::is_variable_name(word)) {
    sizes_.push_back({std::string(word), number->second.value_or(unknown_size), 0, number->second.has_value(),
                      use == Use::grid});
    return std::string(word);
  }
  if (!number->second) return std::nullopt;
  return *number->second < 0 ? format("({})", *number->second) : std::to_string(*number->second);
}

std::string ScriptNames::formula(const Value& value, Use use) {
  return operand(value, use, search::Binding::anything);
}

std::string ScriptNames::operand(const Value& value, Use use, search::Binding least) {
  const std::string literal = python::literal_of(value);
  if (!value.follows()) {
    if (value.is(Value::Kind::whole) && use != Use::grid)
      if (const auto size = unnamed_.find(value.whole); size != unnamed_.end()) return size->second;
    return literal;
  }
  const std::string text = python::formula_of(value, least);
  std::string all;
  for (std::string_view rest = text; !rest.empty();) {
    if (rest.front() == '\'') {  // a text
      const std::size_t end = rest.find('\'', 1);
      const std::string_view quoted = rest.substr(0, end == std::string_view::npos ? end : end + 1);
      all += quoted;
      rest.remove_prefix(quoted.size());
      continue;
    }
    const std::string_view word = leading_word(rest);
    // A parameter is the list of its values in an extent alone.
    if (use != Use::extent && !value.is(Value::Kind::symbol) && (word == "max" || word == "min") &&
        rest.size() > 5) {
      const auto listed = parameters_.find(leading_word(rest.substr(4)));
      if (rest[3] == '(' && listed != parameters_.end() &&
          rest.substr(4 + listed->first.size()).starts_with(')')) {
        all += std::to_string(word == "max" ? listed->second.second : listed->second.first);
        rest.remove_prefix(listed->first.size() + 5);
        continue;
      }
    }
    const bool is_call = rest.substr(word.size()).starts_with('(');
    const bool is_name = !word.empty() && !is_digit(word.front());
    const auto known =
        is_name && !is_call ? known_word(word, use) : std::string(word.empty() ? rest.substr(0, 1) : word);
    if (!known) return literal;
    all += *known;
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  // Nothing is left to follow: a number.
  if (!literal.empty() && value.is(Value::Kind::whole)) {
    bool has_name = false;
    for (std::string_view rest = all; !rest.empty();) {
      const std::string_view word = leading_word(rest);
      has_name = has_name || is_size(word) || is_parameter(word);
      rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
    if (!has_name) return literal;
  }
  return all;
}

void choose_check_sizes(std::vector<ScriptSize>& sizes, std::int64_t multiple, bool are_equal) {
  std::vector<ScriptSize*> of_grid;
  for (ScriptSize& size : sizes)
    if (size.is_of_grid) of_grid.push_back(&size);
  if (of_grid.empty() && !sizes.empty()) of_grid.push_back(&sizes.front());
  constexpr std::int64_t usual[] = {1003, 67, 21}, largest[] = {131072, 512, 64};
  const std::size_t kind = std::min<std::size_t>(std::max<std::size_t>(of_grid.size(), 1), 3) - 1;
  std::int64_t next = usual[kind];
  const ScriptSize* main = nullptr;
  for (ScriptSize* size : of_grid) {
    const auto same = std::ranges::find_if(of_grid, [&](const ScriptSize* other) {
      return other->check > 0 && other->value == size->value && (are_equal || multiple > 0);
    });
    if (same != of_grid.end())
      size->check = (*same)->check;
    else if (multiple > 0)
      size->check = std::min(size->value, multiple <= largest[kind] ? multiple : largest[kind] / 2);
    else
      size->check = std::min(size->value, next);
    next -= 4;
    if (main == nullptr) main = size;
  }
  for (ScriptSize& size : sizes) {
    if (size.check > 0) continue;
    constexpr std::int64_t least = 33;
    const double share =
        static_cast<double>(main->check) / static_cast<double>(std::max<std::int64_t>(1, main->value));
    const auto scaled = static_cast<std::int64_t>(static_cast<double>(size.value) * share) + 1;
    size.check = size.value <= 64 ? size.value : std::clamp(scaled, least, size.value);
  }
}

}  // namespace tune::described
