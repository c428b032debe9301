// SPDX-License-Identifier: Apache-2.0
// Sizes of arrays: what a kernel reaches, by its largest subscripts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/described/source/c_expression.hpp"
#include "kernels/described/source/guesses.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

/// `a` and `b` of `ceil_div(a, b)`.
std::optional<std::pair<std::string, std::string>> parts_of_quotient(std::string_view formula) {
  constexpr std::string_view begin = "ceil_div(";
  if (!formula.starts_with(begin) || closing_bracket(formula, begin.size() - 1) != formula.size() - 1)
    return std::nullopt;
  const std::string_view inner = formula.substr(begin.size(), formula.size() - begin.size() - 1);
  int depth = 0;
  for (std::size_t at = 0; at < inner.size(); ++at) {
    depth += inner[at] == '(' ? 1 : inner[at] == ')' ? -1 : 0;
    if (inner[at] == ',' && depth == 0)
      return std::pair(std::string(inner.substr(0, at)), std::string(inner.substr(at + 1)));
  }
  return std::nullopt;
}

/// `a + c` and `b + d` of their product, where neither c nor d has a or b.
std::optional<std::pair<Polynomial, Polynomial>> factors_of(const Polynomial& all, const std::string& a,
                                                            const std::string& b) {
  const auto of_a = all.split(a);
  if (!of_a) return std::nullopt;
  const auto of_both = of_a->first.split(b), of_b = of_a->second.split(b);
  if (!of_both || !of_b || of_both->first != Polynomial(1)) return std::nullopt;
  const Polynomial &d = of_both->second, &c = of_b->first;
  if (of_b->second != c * d) return std::nullopt;
  return std::pair(Polynomial::name(a) + c, Polynomial::name(b) + d);
}

}  // namespace

std::optional<Polynomial> Guesses::polynomial_of(std::string_view word) const {
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos) {
    if (word == "warpSize") return Polynomial(32);
    if (const auto follows = followers_.find(word); follows != followers_.end())
      return Polynomial::name(follows->second);
    if (!is_size(word) && tunable(word) == nullptr) return std::nullopt;
    return Polynomial::name(std::string(word));
  }
  const std::string_view of = word.substr(0, dot);
  const auto axis =
      static_cast<std::size_t>(std::ranges::find(axis_names, word.substr(dot + 1)) - axis_names.begin());
  if (axis == axis_names.size()) return std::nullopt;
  if (of == "blockIdx") return Polynomial::name(std::string(word));
  if (of == "threadIdx" || of == "blockDim") {
    if (axis >= block_.size()) return Polynomial(of == "threadIdx" ? 0 : 1);
    const auto threads =
        upper_bound(block_[axis].formula, [this](std::string_view inner) { return polynomial_of(inner); });
    return threads && of == "threadIdx" ? std::optional(*threads - Polynomial(1)) : threads;
  }
  if (of != "gridDim" || axis >= grid_.size()) return std::nullopt;
  const auto names = [this](std::string_view inner) { return polynomial_of(inner); };
  const auto quotient = parts_of_quotient(grid_[axis].formula);
  if (!quotient) return upper_bound(grid_[axis].formula, names);
  const auto extent = upper_bound(quotient->first, names), by = upper_bound(quotient->second, names);
  return extent && by ? *extent / *by : std::nullopt;
}

/// With the last block's number in place of `blockIdx`.
std::optional<Polynomial> Guesses::without_blocks(Polynomial bound, std::size_t axis) const {
  const std::string name = format("blockIdx.{}", axis_names[axis]);
  if (!bound.has(name)) return bound;
  const auto parts = bound.split(name);
  if (!parts) return std::nullopt;
  if (axis >= grid_.size()) return parts->second;
  const auto blocks = polynomial_of(format("gridDim.{}", axis_names[axis]));
  if (!blocks) return std::nullopt;
  return parts->second + parts->first * (*blocks - Polynomial(1));
}

/// With the numbers of blocks in place of their quotients: `n / BLOCK`, where the grid has `ceil_div(n,
/// BLOCK)` blocks. They are rounded up, each by itself.
Polynomial Guesses::with_numbers_of_blocks(const Polynomial& bound) const {
  Polynomial all = bound;
  for (std::size_t axis = 0; axis < std::min(grid_.size(), axis_names.size()); ++axis) {
    const std::string name = format("gridDim.{}", axis_names[axis]);
    const auto blocks = polynomial_of(name);
    if (!blocks || blocks->terms().size() != 1) continue;
    const auto& [quotient, share] = *blocks->terms().begin();
    const bool is_of_names = std::ranges::any_of(quotient, [](const auto& one) { return one.second < 0; });
    if (!is_of_names && share >= 1) continue;
    Polynomial with;
    for (const auto& [product, factor] : all.terms()) {
      Polynomial term(factor);
      for (const auto& [one, exponent] : product)
        for (int i = 0; i < std::abs(exponent); ++i)
          term = exponent > 0 ? term * Polynomial::name(one) : *(term / Polynomial::name(one));
      const bool has_quotient =
          (is_of_names || factor != std::floor(factor)) &&
          std::ranges::all_of(quotient, [&, &terms = product](const auto& one) {
            const auto found = terms.find(one.first);
            return found != terms.end() &&
                   (one.second < 0 ? found->second <= one.second : found->second >= one.second);
          });
      with = with + (has_quotient ? *(term / *blocks) * Polynomial::name(name) : term);
    }
    all = std::move(with);
  }
  return all;
}

std::optional<Polynomial> Guesses::largest_of(const std::string& subscript) const {
  std::optional<Polynomial> bound =
      upper_bound(without_casts(expanded(subscript, branches_.macros, kept_)),
                  [this](std::string_view word) { return polynomial_of(word); });
  for (std::size_t axis = 0; bound && axis < axis_names.size(); ++axis)
    bound = without_blocks(std::move(*bound), axis);
  if (!bound) return std::nullopt;
  return with_numbers_of_blocks(*bound + Polynomial(1)).raised([this](const std::string& name) {
    return tunable(name) != nullptr;
  });
}

double Guesses::value_at(const std::string& name, bool is_check) const {
  const auto size = std::ranges::find(sizes_, name, &GuessedSize::name);
  if (size != sizes_.end()) return static_cast<double>(is_check ? size->check : size->value);
  if (const auto blocks = name.starts_with("gridDim.") ? polynomial_of(name) : std::nullopt)
    return blocks->at([&](const std::string& inner) {
      const Tunable* const divisor = tunable(inner);
      return divisor == nullptr ? value_at(inner, is_check)
                                : static_cast<double>(std::ranges::min(values_of(*divisor).values));
    });
  const Tunable* const one = tunable(name);
  if (one == nullptr) return 1;
  return static_cast<double>(std::ranges::max(values_of(*one).values));
}

/// A formula with `max(BLOCK)`, or another function, for each parameter, which is added to these.
std::string Guesses::with_all_values(std::string_view formula, std::string_view function,
                                     std::set<std::string, std::less<>>& parameters) const {
  std::string text;
  for (std::string_view rest = formula; !rest.empty();) {
    const std::string_view word = leading_word(rest);
    const bool is_parameter = tunable(word) != nullptr;
    if (is_parameter) parameters.emplace(word);
    text += is_parameter ? format("{}({})", function, word)
                         : std::string(word.empty() ? rest.substr(0, 1) : word);
    rest.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return text;
}

/// The largest number of blocks along an axis. Adds the parameters on which it depends.
std::string Guesses::most_blocks(std::size_t axis, std::set<std::string, std::less<>>& parameters) const {
  const auto quotient = parts_of_quotient(grid_[axis].formula);
  if (!quotient) return with_all_values(grid_[axis].formula, "max", parameters);
  return format("ceil_div({},{})", with_all_values(quotient->first, "max", parameters),
                with_all_values(quotient->second, "min", parameters));
}

/// A result for each block depends on all that decides which elements a block takes: extents, factors of
/// indexes, and vectors instead of numbers.
void Guesses::add_shares_of_blocks(std::set<std::string, std::less<>>& parameters) const {
  std::vector<std::string> all;
  for (const auto* extents : {&grid_, &block_})
    for (const GuessedExtent& one : *extents) all.push_back(one.formula);
  for (const Axis& axis : facts_.axes)
    for (const auto* some : {&axis.per_block, &axis.strides})
      all.insert(all.end(), some->begin(), some->end());
  for (const Tunable& one : tunables_)
    if (facts_.retyping.contains(one.name) ||
        std::ranges::any_of(all, [&](const std::string& text) { return has_word(text, one.name); }))
      parameters.insert(one.name);
}

std::optional<std::vector<std::string>> Guesses::extents_of(
    const ParameterOfKernel& array, std::set<std::string, std::less<>>& parameters) const {
  if (array.subscripts.unknown || array.subscripts.largest.empty()) return std::nullopt;
  std::optional<Polynomial> most;
  for (const std::string& subscript : array.subscripts.largest) {
    const auto one = largest_of(subscript);
    if (!one) return std::nullopt;
    if (!most) most = one;
    // The larger one, for the sizes of the checks and of the work.
    const auto is_larger = [&](bool is_check) {
      const auto value = [&](const std::string& name) { return value_at(name, is_check); };
      return one->at(value) > most->at(value);
    };
    if (is_larger(false) != is_larger(true)) return std::nullopt;
    if (is_larger(true)) most = one;
  }
  const bool is_written = !array.is_const && array.accesses.written;
  bool is_by_blocks = false;
  const auto name_of = [&](const std::string& name) {
    is_by_blocks = is_by_blocks || name.starts_with("gridDim.") ||
                   std::ranges::any_of(grid_, [&](const GuessedExtent& one) {
                     return one.formula == name && tunable(name) != nullptr;
                   });
    if (name.starts_with("gridDim.")) {
      const auto axis = std::ranges::find(axis_names, std::string_view(name).substr(8)) - axis_names.begin();
      return most_blocks(static_cast<std::size_t>(axis), parameters);
    }
    if (tunable(name) == nullptr) return name;
    parameters.insert(name);
    return format("max({})", name);
  };
  // As rows and columns, where it is more than their product.
  for (const GuessedSize& a : sizes_)
    for (const GuessedSize& b : sizes_) {
      if (a.name == b.name) continue;
      const auto factors = factors_of(*most, a.name, b.name);
      if (!factors) continue;
      const bool is_along = extents_.size() > 1 && extents_[0] == a.name && extents_[1] == b.name;
      const bool is_product = factors->first.terms().size() == 1 && factors->second.terms().size() == 1;
      if (is_product && !is_along) continue;
      const auto x = factors->first.text(name_of), y = factors->second.text(name_of);
      if (!x || !y) continue;
      if (is_by_blocks && is_written) add_shares_of_blocks(parameters);
      return std::vector{*x, *y};
    }
  const auto all = most->text(name_of);
  if (!all) return std::nullopt;
  if (is_by_blocks && is_written) add_shares_of_blocks(parameters);
  return std::vector{*all};
}

}  // namespace tune::described
