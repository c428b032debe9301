// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/imports/t1_sizes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>

#include "search/expressions/expr_syntax.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// Smaller numbers are blocks, tiles and widths.
constexpr std::int64_t smallest_size = 65;
/// Of a scalar that is an array's number of elements.
constexpr std::int64_t smallest_of_array = 16;
/// An array of so many elements that follows no size is one of its own.
constexpr std::int64_t large_array = 1 << 16;
constexpr std::int64_t largest_margin = 64;

/// Calls `take` with begin, end and value of each whole number that stands alone in the text.
void each_number(const std::string& text,
                 const std::function<void(std::size_t, std::size_t, std::int64_t)>& take) {
  const auto is_word = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_word(begin)) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && is_word(end)) ++end;
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (error == std::errc{} && stop == text.data() + end) take(begin, end, value);
    begin = end;
  }
}

/// Writes `131072` in place of `128*1024`: the number that scalars and arrays have.
std::string with_products(const std::string& formula) {
  std::string text;
  std::size_t from = 0, last_end = 0;
  std::int64_t last = 0;
  each_number(formula, [&](std::size_t begin, std::size_t end, std::int64_t value) {
    const std::string_view all = formula;
    const std::string_view between = trimmed(all.substr(last_end, begin - last_end)),
                           behind = trimmed(all.substr(end));
    const std::string_view before = trimmed(all.substr(0, from));
    const bool begins =
        before.empty() || std::string_view("(,+").find(before.back()) != std::string_view::npos;
    std::int64_t product = 0;
    if (last_end > 0 && between == "*" && begins && !behind.starts_with("**") &&
        !__builtin_mul_overflow(last, value, &product)) {
      last = product;
    } else {
      if (last_end > 0) text += format("{}", last);
      text += formula.substr(last_end, begin - last_end);
      from = begin;
      last = value;
    }
    last_end = end;
  });
  if (last_end > 0) text += format("{}", last);
  return text + formula.substr(last_end);
}

/// What the sizes of checks must be multiples of: T1 divides without rounding up.
std::int64_t whole_multiple(const KernelDescription& definition) {
  constexpr std::int64_t most = 1 << 20;
  std::int64_t multiple = 1;
  const auto add = [&](std::int64_t value) {
    if (value > 0 && value < smallest_size * 16) multiple = std::min(std::lcm(multiple, value), most);
  };
  for (const LaunchDescription& launch : definition.launches)
    for (const auto& extent : launch.grid) {
      if (!extent) continue;
      each_number(extent->text(), [&](std::size_t, std::size_t, std::int64_t value) {
        if (value < smallest_size) add(value);
      });
      for (const search::Parameter& parameter : definition.parameters)
        if (words_in(extent->text()).contains(parameter.name))
          for (const search::Value& value : parameter.values)
            if (value.is_int()) add(value.as_int());
    }
  return multiple;
}

std::optional<std::int64_t> number_in(const Expression& expression) {
  const std::string text = expression.text();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_number_of(const Argument& argument) {
  if (!argument.value || argument.type_name.find("int") == std::string::npos) return std::nullopt;
  return number_in(*argument.value);
}

}  // namespace

T1Sizes::T1Sizes(const KernelDescription& definition) {
  for (const search::Parameter& parameter : definition.parameters) taken_.insert(parameter.name);
  for (const Argument& argument : definition.arguments) taken_.insert(argument.name);
  for (const Argument& argument : definition.arguments)
    if (const auto value = whole_number_of(argument); value && !argument.name.starts_with("argument_"))
      scalars_.emplace(*value, argument.name);
  for (const ExtentInfo& extent : definition.extents) add(extent.default_value, extent.name);
  for (const LaunchDescription& launch : definition.launches)
    for (const auto& extent : launch.grid)
      if (extent)
        each_number(with_products(extent->text()), [&](std::size_t, std::size_t, std::int64_t value) {
          if (value >= smallest_size) add(value);
        });
  for (ScriptSize& size : sizes_) size.is_of_grid = true;
  const auto is_of_array = [&](std::int64_t value) {
    return std::ranges::any_of(definition.arguments, [&](const Argument& argument) {
      return argument.extents.size() == 1 && number_in(argument.extents.front()) == value;
    });
  };
  for (const Argument& argument : definition.arguments)
    if (const auto value = whole_number_of(argument);
        value && (*value >= smallest_size || (*value >= smallest_of_array && is_of_array(*value))))
      add(*value);
  for (const Argument& argument : definition.arguments)
    if (!argument.value && !argument.object && argument.extents.size() == 1)
      if (const auto elements = number_in(argument.extents.front())) of_array(argument.name, *elements);
  choose_check_sizes(sizes_, whole_multiple(definition), true);
}

const ScriptSize* T1Sizes::find(std::int64_t value) const {
  const auto found = std::ranges::find(sizes_, value, &ScriptSize::value);
  return found == sizes_.end() ? nullptr : &*found;
}

const std::string& T1Sizes::add(std::int64_t value, const std::string& name) {
  if (const ScriptSize* const known = find(value)) return known->name;
  constexpr std::string_view letters = "nmkpq";
  std::string own = name;
  if (const auto scalar = scalars_.find(value);
      own.empty() && scalar != scalars_.end() && search::is_variable_name(scalar->second))
    own = scalar->second;
  for (std::size_t i = 0; own.empty(); ++i) {
    const std::string next = i < letters.size() ? std::string(1, letters[i]) : format("n{}", i);
    if (!taken_.contains(next)) own = next;
  }
  taken_.insert(own);
  sizes_.push_back({.name = own, .value = value});
  return sizes_.back().name;
}

std::string T1Sizes::with_names(const std::string& written) const {
  const std::string formula = with_products(written);
  std::string text;
  std::size_t from = 0;
  each_number(formula, [&](std::size_t begin, std::size_t end, std::int64_t value) {
    const ScriptSize* const size = find(value);
    if (size == nullptr) return;
    text += formula.substr(from, begin - from) + size->name;
    from = end;
  });
  return text + formula.substr(from);
}

std::optional<std::string> T1Sizes::as_product(std::int64_t elements) const {
  if (const ScriptSize* const one = find(elements)) return one->name;
  const auto product = [&](std::int64_t left, std::size_t from, std::size_t count,
                           const auto& self) -> std::optional<std::string> {
    for (std::size_t i = from; i < sizes_.size(); ++i) {
      if (sizes_[i].value < 2 || left % sizes_[i].value != 0) continue;
      const std::int64_t rest = left / sizes_[i].value;
      if (rest == 1) return sizes_[i].name;
      if (count > 1)
        if (const auto others = self(rest, i, count - 1, self)) return sizes_[i].name + " * " + *others;
    }
    return std::nullopt;
  };
  if (const auto found = product(elements, 0, 3, product)) return found;
  const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(elements))));
  for (const ScriptSize& size : sizes_) {
    const std::int64_t margin = root - size.value;
    if (root * root == elements && margin > 0 && margin <= largest_margin)
      return format("({0} + {1}) * ({0} + {1})", size.name, margin);
  }
  for (const ScriptSize& size : sizes_) {
    const std::int64_t rest = size.value >= smallest_size ? elements / size.value : 0;
    if (rest > 1 && rest <= largest_margin && rest * size.value == elements)
      return format("{} * {}", rest, size.name);
    const std::int64_t margin = elements - size.value;
    if (size.value >= smallest_size && margin > 0 && margin <= largest_margin / 4)
      return format("{} + {}", size.name, margin);
  }
  return std::nullopt;
}

std::string T1Sizes::of_array(std::string_view name, std::int64_t elements) {
  // Four numbers for each of `atoms` in `atomInfo`, where another size is the same number by chance.
  constexpr std::size_t alike = 4;
  constexpr std::int64_t most = 16;
  for (const ScriptSize& size : sizes_) {
    const std::int64_t times = elements / std::max<std::int64_t>(1, size.value);
    if (name.size() >= alike && size.name.starts_with(name.substr(0, alike)) &&
        times * size.value == elements && times <= most)
      return times == 1 ? size.name : format("{} * {}", times, size.name);
  }
  if (auto found = as_product(elements)) return *found;
  return elements >= large_array ? add(elements) : format("{}", elements);
}

}  // namespace tune::described
