// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/syntax.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/stencil/language/expression.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Kind = SyntaxNode::Kind;

[[noreturn]] void fail_at(const SyntaxNode& node, std::string found, std::string expected) {
  throw SourceFault{node.offset, std::move(found), std::move(expected)};
}

/// Walks through trees. Sums may repeat a part many times: all steps are counted.
class EquationEvaluator {
 public:
  double number(const SyntaxNode& node) {
    count(node);
    const auto child = [&](std::size_t i) -> const SyntaxNode& { return node.children[i]; };
    switch (node.kind) {
      case Kind::number:
        return node.number;
      case Kind::variable:
        return variables_[static_cast<std::size_t>(node.slot)];
      case Kind::element:
        return element(node);
      case Kind::add:
        return added(node);
      case Kind::multiply: {
        double product = number(child(0));
        for (std::size_t i = 1; i < node.children.size(); ++i) product = scaled(product, child(i));
        return product;
      }
      case Kind::negate:
        return -number(child(0));
      case Kind::power:
        return power(node);
      case Kind::sum: {
        double total = 0;
        loop(node, [&] { total += number(node.children.back()); });
        return total;
      }
      case Kind::cell:
      case Kind::coordinate:
        break;  // the parser lets neither through to here
    }
    return 0;
  }

  int integer(const SyntaxNode& node, const char* what, int max) {
    const double value = number(node);
    if (!(std::abs(value) <= max) || value != std::floor(value))
      fail_at(node, format("{} {}", what, value), format("an integer from {} to {}", -max, max));
    return static_cast<int>(value);
  }

  /// Appends the points of a part with cells.
  void cells(const SyntaxNode& node, std::vector<StencilPoint>& points) {
    count(node);
    const std::size_t first = points.size();
    switch (node.kind) {
      case Kind::cell:
        points.push_back(point(node));
        if (points.size() > max_terms)
          fail_at(node, format("more than {} terms", max_terms), "a smaller stencil");
        return;
      case Kind::add:
        for (const SyntaxNode& child : node.children) {
          const std::size_t start = points.size();
          cells(child, points);
          if (child.inverse) each(node, points, start, [](double weight) { return -weight; });
        }
        return;
      case Kind::negate:
        cells(node.children[0], points);
        each(node, points, first, [](double weight) { return -weight; });
        return;
      case Kind::multiply:
        multiply(node, points);
        return;
      case Kind::sum:
        loop(node, [&] { cells(node.children.back(), points); });
        return;
      default:
        return;  // has no cells
    }
  }

 private:
  void count(const SyntaxNode& node, std::size_t steps = 1) {
    operations_ += steps;
    if (operations_ > max_operations)
      fail_at(node, format("more than {} operations", max_operations), "a smaller equation");
  }

  template<class Change>
  void each(const SyntaxNode& node, std::vector<StencilPoint>& points, std::size_t start, Change change) {
    count(node, points.size() - start);
    for (std::size_t i = start; i < points.size(); ++i) points[i].weight = change(points[i].weight);
  }

  template<class Body>
  void loop(const SyntaxNode& node, Body body) {
    constexpr int max = 1'000'000'000;
    const int from = integer(node.children[0], "the bound", max);
    const int to = integer(node.children[1], "the bound", max);
    const auto slot = static_cast<std::size_t>(node.slot);
    variables_.resize(std::max(variables_.size(), slot + 1));
    for (int i = from; i <= to; ++i) {
      variables_[slot] = i;
      body();
    }
  }

  double element(const SyntaxNode& node) {
    const SyntaxNode& at = node.children[0];
    const ConstantList& list = *node.list;
    const double last = list.first + static_cast<double>(list.values.size()) - 1;
    const double index = number(at);
    if (!(index >= list.first && index <= last) || index != std::floor(index))
      fail_at(at, format("the index {}", index), format("an integer from {} to {}", list.first, last));
    return list.values[static_cast<std::size_t>(index - list.first)];
  }

  double added(const SyntaxNode& node) {
    double sum = number(node.children[0]);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      const double value = number(node.children[i]);
      sum = node.children[i].inverse ? sum - value : sum + value;
    }
    return sum;
  }

  /// Multiplies or divides `value` by a factor.
  double scaled(double value, const SyntaxNode& factor) {
    return factor.inverse ? value / divisor(factor) : value * number(factor);
  }

  double divisor(const SyntaxNode& node) {
    const double value = number(node);
    if (value == 0) fail_at(node, "a division by zero", "another divisor");
    return value;
  }

  /// Multiplies repeatedly, so that the result is the same with every library.
  double power(const SyntaxNode& node) {
    const double base = number(node.children[0]);
    const int exponent = integer(node.children[1], "the exponent", max_exponent);
    if (exponent < 0 && base == 0) fail_at(node, "a division by zero", "another base");
    count(node, static_cast<std::size_t>(std::abs(exponent)));
    double result = 1;
    for (int i = 0; i < std::abs(exponent); ++i) result *= base;
    return exponent < 0 ? 1 / result : result;
  }

  StencilPoint point(const SyntaxNode& node) {
    int offsets[3] = {};
    for (std::size_t axis = 0; axis < node.children.size(); ++axis)
      offsets[axis] = integer(node.children[axis], "the offset", max_offset);
    return {offsets[0], offsets[1], offsets[2], 1};
  }

  /// Multiplies from left to right, as written: the factors before the cells make one number.
  void multiply(const SyntaxNode& node, std::vector<StencilPoint>& points) {
    const auto all = node.children.begin();
    const auto with_cells =
        std::find_if(all, node.children.end(), [](const SyntaxNode& n) { return n.cells; });
    const std::size_t start = points.size();
    if (with_cells != all) {
      double before = number(*all);
      for (auto factor = all + 1; factor != with_cells; ++factor) before = scaled(before, *factor);
      cells(*with_cells, points);
      each(node, points, start, [&](double weight) { return before * weight; });
    } else {
      cells(*with_cells, points);
    }
    for (auto factor = with_cells + 1; factor != node.children.end(); ++factor) {
      const double value = factor->inverse ? divisor(*factor) : number(*factor);
      const bool inverse = factor->inverse;
      each(node, points, start, [&](double weight) { return inverse ? weight / value : weight * value; });
    }
  }

  std::vector<double> variables_;  ///< values, by slot
  std::size_t operations_ = 0;
};

}  // namespace

double constant_value(const SyntaxNode& node) {
  const double value = EquationEvaluator().number(node);
  if (!std::isfinite(value)) fail_at(node, "a value that is not finite", "a value within double precision");
  return value;
}

int integer_value(const SyntaxNode& node, const char* what, int max) {
  return EquationEvaluator().integer(node, what, max);
}

Stencil stencil_of(const Equation& equation) {
  if (!equation.value.cells)
    fail_at(equation.value, "an expression without cells", "cells of an array, such as D[x,y,z]");
  Stencil stencil{equation.dimensions, {}};
  EquationEvaluator().cells(equation.value, stencil.points);
  stencil = normalized(std::move(stencil));
  if (stencil.points.empty()) fail_at(equation.value, "sums without terms", "at least one cell");
  for (const StencilPoint& point : stencil.points)
    if (!std::isfinite(point.weight))
      fail_at(equation.value, format("a weight of {}", point.weight), "weights within double precision");
  return stencil;
}

}  // namespace tune::kernels
