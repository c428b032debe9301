// SPDX-License-Identifier: Apache-2.0
// Sizes of arrays: what a kernel reaches, by its largest subscripts.
#include <algorithm>
#include <array>
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

std::optional<Polynomial> Guesses::largest_of(const std::string& subscript) const {
  std::optional<Polynomial> bound =
      upper_bound(without_casts(expanded(subscript, branches_.macros, kept_)),
                  [this](std::string_view word) { return polynomial_of(word); });
  for (std::size_t axis = 0; bound && axis < axis_names.size(); ++axis)
    bound = without_blocks(std::move(*bound), axis);
  if (!bound) return std::nullopt;
  return (*bound + Polynomial(1)).raised([this](const std::string& name) {
    return tunable(name) != nullptr;
  });
}

double Guesses::value_at(const std::string& name, bool is_check) const {
  const auto size = std::ranges::find(sizes_, name, &GuessedSize::name);
  if (size != sizes_.end()) return static_cast<double>(is_check ? size->check : size->value);
  const Tunable* const one = tunable(name);
  if (one == nullptr) return 1;
  return static_cast<double>(std::ranges::max(values_of(*one).values));
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
  const auto is_parameter = [this](const std::string& name) { return tunable(name) != nullptr; };
  const auto name_of = [&](const std::string& name) {
    return is_parameter(name) ? format("max({})", name) : name;
  };
  for (const auto& [product, factor] : most->terms())
    for (const auto& [name, exponent] : product)
      if (is_parameter(name)) parameters.insert(name);
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
      if (x && y) return std::vector{*x, *y};
    }
  const auto all = most->text(name_of);
  return all ? std::optional(std::vector{*all}) : std::nullopt;
}

}  // namespace tune::described
