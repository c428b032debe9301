// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/guesses.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "kernels/described/description.hpp"
#include "kernels/described/source/c_expression.hpp"
#include "kernels/described/source/names.hpp"
#include "kernels/described/source/source_tree.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

/// A small size of several blocks.
std::int64_t whole_check(std::size_t sizes) {
  constexpr std::array<std::int64_t, 3> whole = {4096, 128, 64};
  return whole[std::min<std::size_t>(sizes, whole.size()) - 1];
}

std::vector<std::int64_t> powers(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for (std::int64_t value = from; value <= to; value *= 2) all.push_back(value);
  return all;
}

/// True for `n` in `i * n`, `n * i` and `(n - 1)`, not in `i + n`.
bool is_factor_in(std::string_view expression, std::string_view name) {
  for (std::size_t at = expression.find(name); at != std::string_view::npos;
       at = expression.find(name, at + 1)) {
    if ((at > 0 && is_word(expression[at - 1])) || leading_word(expression.substr(at)) != name) continue;
    std::string_view before = trimmed(expression.substr(0, at)),
                     behind = trimmed(expression.substr(at + name.size()));
    while (before.ends_with('(') && behind.starts_with(')')) {
      before = trimmed(before.substr(0, before.size() - 1));
      behind = trimmed(behind.substr(1));
    }
    if (before.ends_with('*') || behind.starts_with('*') ||
        (before.ends_with('(') && behind.starts_with("- 1)")))
      return true;
  }
  return false;
}

GuessedValues with_default(std::vector<std::int64_t> values, std::optional<std::int64_t> given,
                           std::int64_t otherwise) {
  const std::int64_t chosen = given.value_or(otherwise);
  if (std::ranges::find(values, chosen) == values.end()) values.push_back(chosen);
  std::ranges::sort(values);
  return {std::move(values), chosen};
}

}  // namespace

bool is_whole_type(std::string_view type) {
  const auto known = type_named(type);
  return known && known->components == 1 && !known->is_bool && !is_floating_point(known->element);
}

Guesses::Guesses(const Branches& branches, const KernelFacts& facts,
                 std::map<std::string, Comparisons, std::less<>> comparisons, std::vector<Tunable> tunables)
    : branches_(branches),
      facts_(facts),
      comparisons_(std::move(comparisons)),
      tunables_(std::move(tunables)) {
  for (const Tunable& one : tunables_) kept_.emplace(one.name, "");
  find_sizes();
  find_followers();
  std::erase_if(tunables_, [&](const Tunable& one) { return is_size(one.name); });
  std::size_t axes = 1;
  for (std::size_t axis = 0; axis < axis_names.size(); ++axis)
    if (facts_.axes[axis].has_threads || facts_.axes[axis].has_blocks) axes = axis + 1;
  find_launch();
  for (std::size_t axis = 0; axis < axes; ++axis) block_.push_back(block_along(axis));
  for (std::size_t axis = 0; axis < axes; ++axis) grid_.push_back(grid_along(axis));
  find_whole_sizes();
}

/// A grid that is rounded down takes multiples of the block alone. Sizes of checks are multiples of all
/// blocks.
void Guesses::find_whole_sizes() {
  for (const GuessedExtent& extent : grid_)
    for (GuessedSize& size : sizes_)
      if (extent.formula.find("//") != std::string::npos && extent.formula.find('+') == std::string::npos &&
          has_word(extent.formula, size.name)) {
        size.is_whole = true;
        size.check = whole_check(extents_.size());
      }
  for (GuessedSize& size : sizes_) {
    if (!size.is_whole) continue;
    constexpr std::int64_t most = 8192;
    const std::int64_t least = extents_.size() == 1 ? whole_check(1) : 32;
    std::int64_t multiple = 1;
    for (std::size_t axis = 0; axis < grid_.size(); ++axis)
      if (has_word(grid_[axis].formula, size.name)) multiple = std::lcm(multiple, largest_step(axis));
    if (multiple > 1 && multiple <= most) size.check = (least + multiple - 1) / multiple * multiple;
  }
}

/// The elements from block to block along an axis, for all values of the parameters.
std::int64_t Guesses::largest_step(std::size_t axis) const {
  constexpr std::int64_t most = 1 << 20;
  std::int64_t step = 1;
  for (const Tunable& one : tunables_) {
    if (!has_word(grid_[axis].formula, one.name)) continue;
    std::int64_t of_values = 1;
    for (const std::int64_t value : values_of(one).values)
      if (value > 0 && of_values < most) of_values = std::lcm(of_values, value);
    step = std::min(step * of_values, most);
  }
  return step;
}

const Tunable* Guesses::tunable(std::string_view name) const {
  const auto found = std::ranges::find(tunables_, name, &Tunable::name);
  return found == tunables_.end() ? nullptr : &*found;
}

bool Guesses::is_size(std::string_view name) const {
  return std::ranges::find(sizes_, name, &GuessedSize::name) != sizes_.end();
}

bool Guesses::multiplies_by_warps() const {
  return facts_.words.contains("mma_sync");
}

bool Guesses::is_by_warps() const {
  return multiplies_by_warps() || facts_.words.contains("warpSize") ||
         std::ranges::any_of(facts_.words,
                             [](const std::string& word) { return word.starts_with("__shfl_"); });
}

bool Guesses::has_rim() const {
  return std::ranges::any_of(facts_.axes, &Axis::has_rim);
}

std::optional<std::string> Guesses::formula_of(std::string_view expression,
                                               const std::vector<std::string>& also) const {
  const std::string text = expanded(trimmed(expression), branches_.macros, kept_);
  std::string formula;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    if (const auto follows = followers_.find(word); follows != followers_.end()) {
      formula += follows->second;
      rest.remove_prefix(word.size());
      continue;
    }
    if (word.empty()) {
      if (std::string_view("+-*/%(), ").find(rest.front()) == std::string_view::npos) return std::nullopt;
      formula += rest.front();
      if (rest.front() == '/') formula += '/';
      rest.remove_prefix(1);
      continue;
    }
    if (word == "warpSize" || (rounds_up(word) && rest.substr(word.size()).starts_with('('))) {
      formula += word == "warpSize" ? "32" : "ceil_div";
      rest.remove_prefix(word.size());
      continue;
    }
    if (!number_of(word) && tunable(word) == nullptr && !is_size(word) &&
        std::ranges::find(also, word) == also.end() && word != "min" && word != "max" && word != "ceil_div")
      return std::nullopt;
    const auto number = number_of(word);  // without `U`
    formula += number ? std::to_string(*number) : std::string(word);
    rest.remove_prefix(word.size());
  }
  if (formula.empty()) return std::nullopt;
  formula = without_needless_brackets(formula);
  while (!formula.empty() && formula.front() == '(' && closing_bracket(formula) == formula.size() - 1)
    formula = std::string(trimmed(std::string_view(formula).substr(1, formula.size() - 2)));
  return formula.empty() ? std::nullopt : std::optional(formula);
}

// ---- sizes

void Guesses::add_size(const std::string& name) {
  if (!is_size(name)) sizes_.push_back({name, 0, 0, false, false});
  kept_.emplace(name, "");
}

bool Guesses::is_pitch(const std::string& name) const {
  const auto passes = [&](const LaunchOfFile& launch) { return launch.values.contains(name); };
  return extents_.size() > 1 && names_a_pitch(name) && std::ranges::none_of(facts_.launches, passes) &&
         std::ranges::count_if(facts_.parameters, names_a_pitch, &ParameterOfKernel::name) == 1;
}

/// True for an argument that counts the turns of a loop of the host around the launch.
bool Guesses::counts_launches(const std::string& argument) const {
  return std::ranges::any_of(facts_.launches,
                             [&](const LaunchOfFile& launch) { return launch.counters.contains(argument); });
}

/// The size that an index is compared with: an argument, an undefined name, or a macro with a number; empty
/// where the bound is none.
std::string Guesses::size_in(const std::string& bound) {
  for (std::string_view rest = bound; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
    if (!is_name(word)) continue;
    const std::string name(word);
    const auto parameter = std::ranges::find(facts_.parameters, name, &ParameterOfKernel::name);
    if (facts_.declared.contains(name) && parameter == facts_.parameters.end()) return {};
    if (parameter != facts_.parameters.end()) {
      if (counts_launches(name)) continue;
      if (!parameter->is_pointer && is_whole_type(parameter->type)) return name;
      return size_in_struct(*parameter, rest);
    }
    if (const Tunable* const known = tunable(word); known != nullptr) {
      if (may_be_size(*known)) return name;
      continue;
    }
    const auto macro = branches_.macros.find(word);
    if (macro == branches_.macros.end()) continue;
    if (number_of(macro->second)) return name;
    if (++depth_ > 20) return {};
    const std::string inner = size_in(macro->second);
    --depth_;
    if (!inner.empty()) return inner;
  }
  return {};
}

/// The member in `p.n`, where p is a struct that is passed by value.
std::string Guesses::size_in_struct(const ParameterOfKernel& parameter, std::string_view behind) const {
  const auto members = facts_.structs.find(parameter.type);
  if (parameter.is_pointer || members == facts_.structs.end() || !behind.starts_with('.')) return {};
  const std::string_view name = leading_word(behind.substr(1));
  for (const auto& [type, member] : members->second)
    if (member == name && is_whole_type(type)) return member;
  return {};
}

/// True for `n`, `n - 1` and macros that are so: the index goes to n. Not for `n / 4`.
bool Guesses::is_plain(const std::string& bound, const std::string& name) const {
  MacroValues kept = kept_;
  kept.emplace(name, "");
  const std::string all = expanded(bound, branches_.macros, kept);
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    const bool is_struct = rest.substr(word.size()).starts_with('.');
    if (word.empty() ? std::string_view("+-(). ").find(rest.front()) == std::string_view::npos
                     : word != name && !number_of(word) && !is_struct)
      return false;
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return true;
}

bool Guesses::may_be_size(const Tunable& tunable) const {
  if (tunable.source != Tunable::Source::unknown && tunable.source != Tunable::Source::guarded) return false;
  if (const auto compared = comparisons_.find(tunable.name);
      compared != comparisons_.end() && !compared->second.equal.empty())
    return false;                       // a choice
  for (const Axis& axis : facts_.axes)  // what divides the work is none of it
    for (const auto* some : {&axis.per_block, &axis.strides})
      for (const std::string& one : *some)
        if (has_word(one, tunable.name)) return false;
  return names_a_size(tunable.name, false) ||
         std::ranges::any_of(facts_.constants, [&](const ConstantArray& array) {
           return array.extents == std::vector<std::string>{tunable.name};
         });
}

void Guesses::find_sizes() {
  std::size_t blocks = 0;
  for (const Axis& axis : facts_.axes) blocks += axis.has_blocks ? 1 : 0;
  blocks = std::max<std::size_t>(1, blocks);
  for (const Axis& axis : facts_.axes) {
    std::string again;  // a cube has one size along its axes
    bool is_found = false;
    // Sizes are arguments rather than macros, such as the halo of a tile in shared memory.
    std::vector<std::string> bounds = axis.bounds;
    std::ranges::stable_partition(bounds, [&](const std::string& bound) {
      return std::ranges::any_of(facts_.parameters, [&](const ParameterOfKernel& parameter) {
        return !parameter.is_pointer && has_word(bound, parameter.name);
      });
    });
    for (const std::string& bound : bounds) {
      const std::string name = size_in(bound);
      if (name.empty()) continue;
      const bool is_known = std::ranges::find(extents_, name) != extents_.end();
      if (is_known && is_plain(bound, name)) again = name;
      if (is_known) continue;
      extents_.push_back(name);
      compared_.insert(name);
      if (is_plain(bound, name)) bounds_.insert(name);
      add_size(name);
      is_found = true;
      break;
    }
    if (!is_found && axis.has_blocks && !again.empty()) extents_.push_back(again);
  }
  // One block goes along the whole of an axis that has no others.
  for (const Axis& axis : facts_.axes)
    for (const std::string& bound : axis.thread_bounds)
      if (const std::string name = axis.has_blocks ? std::string() : size_in(bound);
          !name.empty() && !extents_.empty() && std::ranges::find(extents_, name) == extents_.end()) {
        extents_.push_back(name);
        if (is_plain(bound, name)) bounds_.insert(name);
        compared_.insert(name);
        add_size(name);
        break;
      }
  std::vector<std::string> others;
  for (const ParameterOfKernel& parameter : facts_.parameters)
    if (!parameter.is_pointer && is_whole_type(parameter.type) && names_a_size(parameter.name, true))
      others.push_back(parameter.name);
  // What the file's own launches and allocations depend on.
  for (const LaunchOfFile& launch : facts_.launches) {
    std::string extents, bytes = launch.shared;
    for (const std::string& one : launch.grid) extents += one + " ";
    for (const auto& one : launch.elements) extents += elements_of(launch, one.first) + " ";
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(others, name) == others.end()) others.push_back(name);
    };
    for (const ParameterOfKernel& parameter : facts_.parameters) {
      if (parameter.is_pointer || !is_whole_type(parameter.type)) continue;
      const auto value = launch.values.find(parameter.name);
      const bool is_fixed = value != launch.values.end() && value_of(value->second, branches_.macros);
      if (has_word(extents, parameter.name) || (!is_fixed && has_word(bytes, parameter.name)))
        add(parameter.name);
    }
    for (const auto& [name, body] : branches_.macros)
      if (has_word(extents, name) && number_of(body) && tunable(name) == nullptr &&
          !names_a_parameter(name) && !names_a_grid(name))
        add(name);
  }
  // Each factor of what an index is compared with: `i < B * T`.
  for (const Axis& axis : facts_.axes)
    for (const std::string& bound : axis.bounds) {
      if (bound.find('*') == std::string::npos) continue;
      for (const ParameterOfKernel& parameter : facts_.parameters)
        if (!parameter.is_pointer && is_whole_type(parameter.type) && has_word(bound, parameter.name) &&
            std::ranges::find(others, parameter.name) == others.end())
          others.push_back(parameter.name);
    }
  // What the largest indexes depend on: the rows of `x[i * pitch + k]`, the end of a loop.
  for (const ParameterOfKernel& array : facts_.parameters) {
    if (!array.is_pointer || array.subscripts.unknown) continue;
    for (const ParameterOfKernel& parameter : facts_.parameters)
      if (!parameter.is_pointer && is_whole_type(parameter.type) && !names_a_turn(parameter.name) &&
          !is_pitch(parameter.name) && std::ranges::find(others, parameter.name) == others.end() &&
          std::ranges::any_of(array.subscripts.largest, [&](const std::string& subscript) {
            return is_factor_in(subscript, parameter.name);
          }))
        others.push_back(parameter.name);
  }
  // What counts the launches of a loop on the host.
  std::erase_if(others, [&](const std::string& name) { return counts_launches(name); });
  // A macro with a default is a size only where an index is compared with it.
  for (const Tunable& one : tunables_)
    if (one.source == Tunable::Source::unknown && may_be_size(one)) others.push_back(one.name);
  if (extents_.empty() && others.empty())
    for (const std::string& word : facts_.words)
      if (const auto macro = branches_.macros.find(word);
          macro != branches_.macros.end() && names_a_size(word, false) && number_of(macro->second) &&
          tunable(word) == nullptr)
        others.push_back(word);
  // Width before height, x before y.
  std::ranges::stable_sort(others, {}, [](const std::string& name) {
    const std::string text = lower(name);
    return has_one_of(text, {"height", "rows"}) || text.ends_with("y") || text == "h" ? 1
           : has_one_of(text, {"depth"}) || text.ends_with("z")                       ? 2
                                                                                      : 0;
  });
  for (const std::string& name : others) {
    add_size(name);
    if (extents_.size() < blocks && std::ranges::find(extents_, name) == extents_.end())
      extents_.push_back(name);
  }
  if (sizes_.empty()) add_size("n");
  if (extents_.empty()) extents_.push_back(sizes_.front().name);
  while (extents_.size() < blocks) extents_.push_back(extents_.back());
  constexpr std::array<std::int64_t, 3> usual = {1048576, 1024, 128}, small = {1003, 67, 21};
  // Of a square or a cube, one size is several extents.
  const std::size_t kind = std::min<std::size_t>(std::max(sizes_.size(), extents_.size()), usual.size()) - 1;
  std::int64_t step = 0;
  for (GuessedSize& size : sizes_) {
    const auto macro = branches_.macros.find(size.name);
    const Tunable* const asked = tunable(size.name);
    size.is_define = asked != nullptr;
    const auto fixed =
        macro != branches_.macros.end() && asked == nullptr ? number_of(macro->second) : std::nullopt;
    size.is_fixed = fixed.has_value();
    std::optional<std::int64_t> launched;
    for (const LaunchOfFile& launch : facts_.launches)
      if (const auto value = launch.values.find(size.name); value != launch.values.end() && !launched)
        launched = value_of(value->second, branches_.macros);
    size.value = fixed.value_or(asked != nullptr ? asked->given.value_or(usual[kind])
                                                 : launched.value_or(usual[kind]));
    if (size.value <= 0) size.value = usual[kind];
    size.check = std::max<std::int64_t>(3, small[kind] - 4 * step++);
    size.check += (facts_.components - size.check % facts_.components) % facts_.components;  // whole vectors
    if (multiplies_by_warps() && !size.is_whole) {  // tiles of 16, which are not cut
      size.check = sizes_.size() == 1 ? 128 : 64;
      size.is_whole = true;
    }
    // Without a bound the kernel takes whole blocks alone.
    if (!compared_.contains(size.name) && std::ranges::find(extents_, size.name) != extents_.end()) {
      size.check = whole_check(extents_.size());
      size.is_whole = true;
    }
  }
}

/// `k<<<...>>>(x, NX)` for an argument `nx`: one size, not two.
void Guesses::find_followers() {
  for (const LaunchOfFile& launch : facts_.launches)
    for (const auto& [argument, passed] : launch.values) {
      const std::string name = without_needless_brackets(passed);
      const auto size = std::ranges::find(sizes_, argument, &GuessedSize::name);
      const auto macro = branches_.macros.find(name);
      const auto value = macro == branches_.macros.end() ? std::nullopt : number_of(macro->second);
      if (size == sizes_.end() || !value || argument == name || tunable(name) != nullptr ||
          !(is_size(name) || facts_.words.contains(name)))
        continue;
      size->value = *value;
      followers_[name] = argument;
      kept_.emplace(name, "");
      std::erase_if(sizes_, [&](const GuessedSize& one) { return one.name == name; });
      std::ranges::replace(extents_, name, argument);
    }
}

// ---- launch

bool Guesses::is_block(std::string_view name) const {
  return std::ranges::any_of(block_, [&](const GuessedExtent& extent) { return extent.formula == name; });
}

GuessedExtent Guesses::block_along(std::size_t axis) {
  const Axis& along = facts_.axes[axis];
  if (!along.has_threads) return {"1", true};
  const std::string usual = format("block_size_{}", axis_names[axis]);
  if (axis == 0 && !facts_.collective_block.empty())
    if (const auto formula = formula_of(facts_.collective_block)) return {*formula, true};
  if (const auto given = block_of_launch(axis)) return *given;
  const auto own_number = [&]() -> std::optional<std::int64_t> {
    return fixed_block_[axis] > 0 ? std::optional(fixed_block_[axis]) : std::nullopt;
  };
  const auto by_name = [&](auto accepts) {
    const auto found = std::ranges::find_if(
        tunables_, [&](const Tunable& one) { return accepts(one.name) && !is_block(one.name); });
    return found == tunables_.end() ? std::string() : found->name;
  };
  // Names of Kernel Tuner.
  if (const std::string name = by_name([&](const std::string& one) { return lower(one) == usual; });
      !name.empty())
    return {name, true};
  for (const std::string& stride : along.strides)
    if (tunable(stride) != nullptr && !is_block(stride)) return {stride, false};
  if (const std::string name =
          by_name([&](const std::string& one) { return names_a_block(one) && axis_in(one) == axis; });
      !name.empty())
    return {name, false};
  const bool is_flat = !facts_.axes[1].has_threads && !facts_.axes[2].has_threads;
  if (is_flat && !facts_.launch_bounds.empty())
    if (const auto formula = formula_of(facts_.launch_bounds)) return {*formula, false};
  std::vector<std::string> factors;
  for (const std::string& factor : along.per_block)
    if (const auto formula = formula_of(factor); formula && !factor.starts_with('/'))
      factors.push_back(*formula);
  for (const std::string& factor : factors)
    if (tunable(factor) != nullptr && names_a_block(factor) && !is_block(factor) &&
        (axis_in(factor) == axis || axis_in(factor) == axis_names.size()))
      return {factor, false};
  if (is_flat)
    if (const std::string name = by_name(
            [&](const std::string& one) { return names_a_block(one) && axis_in(one) == axis_names.size(); });
        !name.empty())
      return {name, false};
  if (along.asks_block) {
    tunables_.push_back({usual, Tunable::Source::launch, own_number()});
    kept_.emplace(usual, "");
    return {usual, true};
  }
  if (const auto fixed = own_number()) return {std::to_string(*fixed), true};
  if (!factors.empty() && (!is_name(factors.front()) || axis_in(factors.front()) == axis ||
                           axis_in(factors.front()) == axis_names.size()))
    return {factors.front(), false};
  if (is_flat) {
    tunables_.push_back({usual, Tunable::Source::launch, std::nullopt});
    kept_.emplace(usual, "");
    return {usual, false};
  }
  return {axis == 0 ? "32" : axis == 1 ? "8" : "1", false};
}

/// The whole bound of an index where the size is one factor of it: `(B * T)`.
std::string Guesses::all_of_bound(const Axis& axis, const std::string& size) const {
  for (const std::string& bound : axis.bounds) {
    if (bound.find('*') == std::string::npos || !has_word(bound, size)) continue;
    if (const auto formula = formula_of(bound); formula && formula->find('*') != std::string::npos)
      return "(" + *formula + ")";
  }
  return size;
}

GuessedExtent Guesses::grid_of_kernel(std::size_t axis) const {
  const Axis& along = facts_.axes[axis];
  if (!along.has_blocks) return {"1", true};
  for (const Tunable& one : tunables_)
    if (names_a_grid(one.name) &&
        (axis_in(one.name) == axis || (axis == 0 && axis_in(one.name) == axis_names.size())))
      return {one.name, false};
  std::string per_block, times;
  bool is_understood = !along.per_block.empty();
  for (std::string factor : along.per_block) {
    for (std::size_t i = 0; i < axis_names.size(); ++i) {
      const std::string asked = format("blockDim.{}", axis_names[i]);
      if (const std::size_t at = factor.find(asked); at != std::string::npos && i < block_.size())
        factor.replace(at, asked.size(), block_[i].formula);
    }
    const bool divides = factor.starts_with('/');
    const auto formula = formula_of(divides ? factor.substr(1) : factor);
    is_understood = is_understood && formula;
    if (!formula) break;
    // A size is a row of the data, not a part of the block.
    if (std::ranges::any_of(sizes_, [&](const GuessedSize& size) { return has_word(*formula, size.name); }))
      break;
    std::string& product = divides ? times : per_block;
    const bool is_one = is_name(*formula) || number_of(*formula) || (along.per_block.size() == 1 && !divides);
    product += (product.empty() && !divides ? "" : " * ") + (is_one ? *formula : "(" + *formula + ")");
  }
  if (per_block.empty()) per_block = along.has_threads ? block_[axis].formula : "1";
  // Extents belong to the axes that have blocks.
  std::size_t number_of_extent = 0;
  for (std::size_t i = 0; i < axis; ++i) number_of_extent += facts_.axes[i].has_blocks ? 1 : 0;
  const std::string size = extents_[std::min(number_of_extent, extents_.size() - 1)];
  std::string extent = all_of_bound(along, size) + times;
  // A row for each warp: the blocks have a part of its threads. Blocks that are divided have their factor.
  const bool divides = !along.divisors.empty() && times.empty();
  if (divides && per_block != "1")
    if (const auto threads = formula_of(along.divisors.front()))
      extent = (is_name(extent) ? extent : "(" + extent + ")") + " * " + *threads;
  return {per_block == "1" ? extent : format("ceil_div({}, {})", extent, per_block),
          bounds_.contains(size) && is_understood && !along.asks_grid && !divides};
}

// ---- values

GuessedValues Guesses::values_of(const Tunable& tunable) const {
  const std::string& name = tunable.name;
  const auto given = tunable.given;
  const auto compared = comparisons_.find(name);
  const std::set<std::int64_t> equal =
      compared == comparisons_.end() ? std::set<std::int64_t>() : compared->second.equal;
  if (tunable.launched.size() >= 2)
    return with_default({tunable.launched.begin(), tunable.launched.end()}, given, *tunable.launched.begin());
  const bool is_flag = compared != comparisons_.end() && compared->second.is_flag,
             above_zero = compared != comparisons_.end() && compared->second.above_zero;
  for (std::size_t axis = 0; axis < block_.size(); ++axis) {
    if (block_[axis].formula != name) continue;
    const bool is_flat = axis == 0 && !facts_.axes[1].has_threads && !facts_.axes[2].has_threads;
    const std::int64_t usual = is_flat ? 256 : axis == 0 ? 32 : axis == 1 ? 8 : 1;
    if (usual == 256) return with_default(powers(32, 1024), given, usual);
    if (axis == 0) return with_default(is_by_warps() ? powers(32, 128) : powers(8, 64), given, usual);
    return with_default(powers(1, axis == 1 ? 16 : 4), given, usual);
  }
  const std::string text = lower(name);
  if (tunable.is_switch) return {{0, 1}, given.value_or(0)};
  if (names_a_grid(name)) return with_default({64, 128, 256, 512}, given, 256);
  if (has_one_of(text, {"unroll"}) || std::ranges::find(branches_.unrolls, name) != branches_.unrolls.end()) {
    if (equal == std::set<std::int64_t>{1} || (equal.empty() && is_flag))
      return with_default({0, 1}, given, 1);
    return with_default(above_zero || text.starts_with("loop_unroll_factor")
                            ? std::vector<std::int64_t>{0, 1, 2, 4}
                            : powers(1, 4),
                        given, 1);
  }
  if (equal.size() >= 2) {
    std::vector<std::int64_t> values(equal.begin(), equal.end());
    const std::int64_t first = values.front();
    return with_default(std::move(values), given, first);
  }
  if (is_flag || (equal.size() == 1 && *equal.begin() <= 1))
    return with_default({0, 1}, given, equal.contains(1) || is_flag ? 1 : 0);
  if (equal.size() == 1) {
    const std::int64_t one = *equal.begin();
    return with_default({std::max<std::int64_t>(1, one / 2), one, one * 2}, given, one);
  }
  if (has_one_of(text, {"pad"})) return with_default({0, 1}, given, 0);
  if (names_a_block(name) ||
      (!given && facts_.shared_extents.contains(name) && tunable.source != Tunable::Source::launch))
    return with_default(powers(8, 32), given, 16);
  if ((given == 0 || given == 1) && names_a_switch(name)) return with_default({0, 1}, given, 0);
  if (given && *given != 0 && *given != 1) {
    if ((*given & (*given - 1)) != 0 || *given < 0) return {{*given}, *given};
    return with_default({std::max<std::int64_t>(1, *given / 2), *given, *given * 2}, given, *given);
  }
  if (names_a_switch(name)) return with_default({0, 1}, given, 0);
  if (given == 0) return with_default({0, 1}, given, 0);
  return with_default(powers(1, 4), given, 1);
}

}  // namespace tune::described
