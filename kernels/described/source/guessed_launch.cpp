// SPDX-License-Identifier: Apache-2.0
// What the file's own launches say about a definition.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/described/source/c_expression.hpp"
#include "kernels/described/source/guesses.hpp"
#include "kernels/described/source/source_tree.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string without_spaces(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (c != ' ') all += c;
  return all;
}

/// `ceil_div(n, B)` for `(n + B - 1) // B` and `(n + 255) // 256`; other formulas as they are.
std::string with_ceil_div(const std::string& formula) {
  if (!formula.starts_with('(')) return formula;
  const std::size_t close = closing_bracket(formula);
  if (close == std::string::npos) return formula;
  constexpr std::string_view by = "//";
  std::string_view divisor = trimmed(std::string_view(formula).substr(close + 1));
  if (!divisor.starts_with(by)) return formula;
  divisor = trimmed(divisor.substr(by.size()));
  const std::string whole = without_spaces(divisor);
  if (divisor.starts_with('(') && closing_bracket(divisor) == divisor.size() - 1)
    divisor = divisor.substr(1, divisor.size() - 2);
  else if (leading_word(divisor).size() != divisor.size())
    return formula;
  const auto number = number_of(divisor);
  const std::string inside = without_spaces(divisor);
  std::vector<std::string> more = {"+" + whole + "-1", "+" + inside + "-1", "+(" + inside + "-1)",
                                   "+(" + whole + "-1)"};
  if (number) more.push_back("+" + std::to_string(*number - 1));
  const std::string_view inner = std::string_view(formula).substr(1, close - 1);
  for (std::size_t at = inner.rfind('+'); at != std::string_view::npos && at > 0;
       at = inner.rfind('+', at - 1))
    if (std::ranges::find(more, without_spaces(inner.substr(at))) != more.end())
      return format("ceil_div({}, {})", trimmed(inner.substr(0, at)), divisor);
  return formula;
}

}  // namespace

/// Chooses the launch of which most is a formula over parameters and sizes.
void Guesses::find_launch() {
  std::ptrdiff_t most = -1;
  for (const LaunchOfFile& launch : facts_.launches) {
    std::ptrdiff_t known = 0;
    for (const auto* extents : {&launch.grid, &launch.block})
      known += std::ranges::count_if(*extents, [&](const std::string& one) {
        return one.find("blockDim") != std::string::npos || formula_of(one);
      });
    if (known <= most) continue;
    most = known;
    launch_ = &launch;
  }
}

/// The block of the launch: a formula over parameters, or a number that a parameter of the kernel's launch
/// begins with.
std::optional<GuessedExtent> Guesses::block_of_launch(std::size_t axis) {
  if (launch_ == nullptr) return std::nullopt;
  const std::string extent = axis < launch_->block.size() ? launch_->block[axis] : "1";
  // A number that the kernel is passed, too. A parameter of that name would be a macro.
  const auto passed = launch_->values.find(extent);
  const auto parameter = std::ranges::find(facts_.parameters, extent, &ParameterOfKernel::name);
  if (passed != launch_->values.end() && parameter != facts_.parameters.end() && !parameter->is_pointer)
    if (const auto value = value_of(passed->second, branches_.macros)) {
      const std::string usual = format("block_size_{}", axis_names[axis]);
      tunables_.push_back({usual, Tunable::Source::launch, value});
      kept_.emplace(usual, "");
      passed_as_[extent] = usual;
      return GuessedExtent{usual, true};
    }
  const auto formula = formula_of(extent);
  if (!formula) return std::nullopt;
  const auto value = number_of(*formula);
  if (!value) {
    const bool is_of_parameters =
        std::ranges::none_of(sizes_, [&](const GuessedSize& size) { return has_word(*formula, size.name); });
    return is_of_parameters ? std::optional(GuessedExtent{*formula, true}) : std::nullopt;
  }
  fixed_block_[axis] = *value;
  return std::nullopt;
}

std::string Guesses::elements_of(const LaunchOfFile& launch, const std::string& argument) const {
  const auto found = launch.elements.find(argument);
  if (found == launch.elements.end()) return {};
  std::string elements = found->second;
  for (const auto& [name, value] : launch.values) {
    std::string_view text = value;
    while (text.starts_with('(') && closing_bracket(text) == text.size() - 1)
      text = text.substr(1, text.size() - 2);
    const auto parameter = std::ranges::find(facts_.parameters, name, &ParameterOfKernel::name);
    // `nx * 1024`, where nx is 1024: another extent may be as large.
    if (number_of(text) && has_word(elements, name) && has_word(elements, text)) return {};
    if (text.size() < 2 || is_name(text) || parameter == facts_.parameters.end() || parameter->is_pointer ||
        !is_whole_type(parameter->type))
      continue;
    // The file may write `B*T` there and `B * T` here.
    std::string spaced;
    for (const char c : text)
      if (c == '*')
        spaced += spaced.ends_with(' ') ? "* " : " * ";
      else if (c != ' ' || !spaced.ends_with(' '))
        spaced += c;
    for (const std::string& written : {std::string(text), spaced}) {
      replace_all(elements, "(" + written + ")", name);
      replace_all(elements, written, name);
    }
  }
  return elements;
}

std::optional<std::string> Guesses::formula_of_launch(std::string expression) const {
  expression = without_casts(expression);
  for (std::size_t axis = 0; axis < std::min(block_.size(), axis_names.size()); ++axis) {
    const std::string asked = format("blockDim.{}", axis_names[axis]);
    for (std::size_t at = expression.find(asked); at != std::string::npos; at = expression.find(asked, at))
      expression.replace(at, asked.size(), block_[axis].formula);
  }
  if (expression.find("blockDim") != std::string::npos) return std::nullopt;
  const bool is_number = number_of(without_needless_brackets(expression)).has_value();  // of blocks
  // `ceil_div(n, 256)` for blocks of 256, which are a parameter here.
  std::string text;
  for (std::string_view rest = expression; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    std::string replaced(word.empty() ? rest.substr(0, 1) : word);
    if (const auto own = passed_as_.find(word); own != passed_as_.end())
      replaced = own->second;
    else if (const auto passed = launch_->values.find(word);
             passed != launch_->values.end() && tunable(word) == nullptr && !is_size(word))
      if (const auto known = value_of(passed->second, branches_.macros)) replaced = std::to_string(*known);
    if (const auto value = number_of(word); value && *value >= 8 && !is_number)
      for (std::size_t axis = 0; axis < std::min(block_.size(), fixed_block_.size()); ++axis) {
        if (fixed_block_[axis] < 8 || number_of(block_[axis].formula)) continue;
        if (*value == fixed_block_[axis]) replaced = block_[axis].formula;
        if (*value == fixed_block_[axis] - 1) replaced = format("({} - 1)", block_[axis].formula);
        if (replaced != word) break;
      }
    text += replaced;
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  const auto formula = formula_of(text);
  return formula ? std::optional(with_ceil_div(*formula)) : std::nullopt;
}

/// The launch's, but where the kernel compares its index with another size.
GuessedExtent Guesses::grid_along(std::size_t axis) const {
  GuessedExtent own = grid_of_kernel(axis);
  if (launch_ == nullptr) return own;
  // The kernel may ask for its block in a way that is not understood.
  if (!facts_.axes[axis].has_blocks)
    return {own.formula, own.is_certain && (axis >= launch_->grid.size() || launch_->grid[axis] == "1")};
  std::string expression = axis < launch_->grid.size() ? launch_->grid[axis] : std::string("1");
  // A square block has one name for both of its extents, which are two here.
  if (const auto& block = launch_->block; axis > 0 && axis < block.size() && block[axis] == block[0])
    for (std::size_t at = expression.find("blockDim.x"); at != std::string::npos;
         at = expression.find("blockDim.x"))
      expression.replace(at, 10, format("blockDim.{}", axis_names[axis]));
  const auto formula = formula_of_launch(expression);
  if (!formula) return own;
  const bool has_bound = std::ranges::any_of(facts_.axes[axis].bounds, [&](const std::string& bound) {
    return std::ranges::any_of(sizes_, [&](const GuessedSize& size) {
      return has_word(own.formula, size.name) && has_word(bound, size.name);
    });
  });
  const bool agree = std::ranges::all_of(sizes_, [&](const GuessedSize& size) {
    return !has_word(own.formula, size.name) || has_word(*formula, size.name);
  });
  // A loop over the grid takes any number of blocks.
  if (has_bound && !agree && !facts_.axes[axis].asks_grid) return {own.formula, false};
  return {*formula, true};
}

}  // namespace tune::described
