// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/parser.hpp"

#include <algorithm>
#include <charconv>

#include "kernels/stencil/language/source_error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Kind = SyntaxNode::Kind;

SyntaxNode make(Kind kind, std::size_t offset) {
  SyntaxNode node;
  node.kind = kind;
  node.offset = offset;
  return node;
}

}  // namespace

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  if (parser_.nesting_ == max_nesting)
    throw SourceFault{parser_.tokens_.token().offset,
                      format("more than {} levels in each other", max_nesting), "a flatter expression"};
  ++parser_.nesting_;
}

SyntaxNode ExpressionParser::constant() {
  return expression(Place::constant);
}

SyntaxNode ExpressionParser::expression(Place place) {
  const Level level(*this);
  SyntaxNode first = product(place);
  if (!tokens_.token().is("+") && !tokens_.token().is("-")) return first;
  SyntaxNode node = make(Kind::add, first.offset);
  node.children.push_back(std::move(first));
  while (tokens_.token().is("+") || tokens_.token().is("-")) {
    const bool inverse = tokens_.token().is("-");
    tokens_.next();
    node.children.push_back(product(place));
    node.children.back().inverse = inverse;
  }
  require_linear(node);
  return node;
}

SyntaxNode ExpressionParser::product(Place place) {
  SyntaxNode first = signed_value(place);
  if (!tokens_.token().is("*") && !tokens_.token().is("/")) return first;
  SyntaxNode node = make(Kind::multiply, first.offset);
  node.children.push_back(std::move(first));
  while (tokens_.token().is("*") || tokens_.token().is("/")) {
    const bool inverse = tokens_.token().is("/");
    tokens_.next();
    node.children.push_back(signed_value(place));
    node.children.back().inverse = inverse;
  }
  require_linear(node);
  return node;
}

/// Marks a sum or product with cells; a constant term, a product of cells and a division by one are errors.
void ExpressionParser::require_linear(SyntaxNode& node) const {
  const auto linear = [&] { return format("an equation that is linear in '{}'", array_); };
  for (const SyntaxNode& child : node.children) {
    if (node.kind == Kind::multiply && child.cells && child.inverse)
      throw SourceFault{child.offset, format("a division by '{}'", array_), linear()};
    if (node.kind == Kind::multiply && child.cells && node.cells)
      throw SourceFault{child.offset, "a product of two cells", linear()};
    node.cells = node.cells || child.cells;
  }
  if (node.kind != Kind::add || !node.cells) return;
  for (const SyntaxNode& child : node.children)
    if (!child.cells)
      throw SourceFault{child.offset, "a constant term", format("a cell of '{}' in every term", array_)};
}

SyntaxNode ExpressionParser::signed_value(Place place) {
  if (!tokens_.token().is("-") && !tokens_.token().is("+")) return power(place);
  const Level level(*this);
  const EquationToken sign = tokens_.token();
  tokens_.next();
  SyntaxNode operand = signed_value(place);
  if (sign.is("+")) return operand;
  SyntaxNode node = make(Kind::negate, sign.offset);
  node.cells = operand.cells;
  node.children.push_back(std::move(operand));
  return node;
}

SyntaxNode ExpressionParser::power(Place place) {
  SyntaxNode base = primary(place);
  if (!tokens_.token().is("^")) return base;
  if (base.cells)
    throw SourceFault{base.offset, format("a power of '{}'", array_),
                      format("an equation that is linear in '{}'", array_)};
  const Level level(*this);
  tokens_.next();
  SyntaxNode node = make(Kind::power, base.offset);
  node.children.push_back(std::move(base));
  node.children.push_back(signed_value(Place::constant));
  return node;
}

SyntaxNode ExpressionParser::primary(Place place) {
  const EquationToken token = tokens_.token();
  if (token.kind == EquationToken::Kind::number) return number();
  if (token.kind == EquationToken::Kind::name) return token.text == "sum" ? sum(place) : named(place);
  if (!tokens_.accept("(")) tokens_.fail("a number, a name or '('");
  SyntaxNode inner = expression(place);
  tokens_.expect(")", "an operator or ')'");
  inner.offset = token.offset;
  return inner;
}

SyntaxNode ExpressionParser::number() {
  const EquationToken token = tokens_.token();
  SyntaxNode node = make(Kind::number, token.offset);
  const char* const end = token.text.data() + token.text.size();
  const auto [stop, error] = std::from_chars(token.text.data(), end, node.number);
  if (error == std::errc::result_out_of_range) tokens_.fail("a number within double precision");
  if (error != std::errc{} || stop != end) tokens_.fail("a number such as 2, 0.5 or 1e-3");
  tokens_.next();
  return node;
}

SyntaxNode ExpressionParser::sum(Place place) {
  SyntaxNode node = make(Kind::sum, tokens_.token().offset);
  tokens_.next();
  tokens_.expect("(", "'(' after sum");
  require_new_variable();
  const std::string_view name = tokens_.token().text;
  tokens_.next();
  tokens_.expect(",", "',' and the first value of the sum's variable");
  node.children.push_back(expression(Place::constant));
  tokens_.expect(",", "an operator, or ',' and the last value of the sum's variable");
  node.children.push_back(expression(Place::constant));
  tokens_.expect(",", "an operator, or ',' and what is summed up");
  node.slot = static_cast<int>(variables_.size());
  variables_.push_back(name);
  node.children.push_back(expression(place == Place::index ? Place::constant : place));
  variables_.pop_back();
  tokens_.expect(")", "an operator or ')'");
  node.cells = node.children.back().cells;
  return node;
}

void ExpressionParser::require_new_variable() const {
  const EquationToken& token = tokens_.token();
  if (token.kind != EquationToken::Kind::name) tokens_.fail("the name of the sum's variable");
  const bool used = token.text == "sum" || variable(token.text) >= 0 || coordinate(token.text) >= 0 ||
                    names_.numbers.contains(token.text) || names_.lists.contains(token.text);
  if (used) tokens_.fail("a name for the sum's variable that means nothing else here");
}

SyntaxNode ExpressionParser::named(Place place) {
  const EquationToken name = tokens_.token();
  tokens_.next();
  SyntaxNode node = make(Kind::variable, name.offset);
  if (node.slot = variable(name.text); node.slot >= 0) return node;
  if (node.slot = coordinate(name.text); node.slot >= 0) {
    node.kind = Kind::coordinate;
    if (place == Place::index) return node;
    throw SourceFault{name.offset, name.described(),
                      "a number; coordinates stand alone in the indices of an array"};
  }
  if (const auto found = names_.numbers.find(name.text); found != names_.numbers.end()) {
    node.kind = Kind::number;
    node.number = found->second;
    return node;
  }
  if (names_.lists.contains(name.text)) return element(name);
  if (place == Place::equation && tokens_.token().is("[")) return cell(name);
  if (place == Place::index)
    throw SourceFault{name.offset, name.described(),
                      format("an integer, a variable of a sum around it or a coordinate ({})",
                             coordinate_list(names_.coordinates.size()))};
  throw SourceFault{
      name.offset, name.described(),
      place == Place::constant
          ? "a number, a constant declared before or a variable of a sum around it"
          : "a constant declared before, a variable of a sum around it or an array with indices"};
}

SyntaxNode ExpressionParser::element(const EquationToken& name) {
  SyntaxNode node = make(Kind::element, name.offset);
  node.list = &names_.lists.find(name.text)->second;
  tokens_.expect("[", format("'[' and an index, because '{}' is a list", name.text));
  node.children.push_back(expression(Place::constant));
  tokens_.expect("]", "an operator or ']'");
  return node;
}

int ExpressionParser::variable(std::string_view name) const {
  const auto found = std::find(variables_.begin(), variables_.end(), name);
  return found == variables_.end() ? -1 : static_cast<int>(found - variables_.begin());
}

int ExpressionParser::coordinate(std::string_view name) const {
  const auto& all = names_.coordinates;
  const auto found = std::find(all.begin(), all.end(), name);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

std::string ExpressionParser::coordinate_list(std::size_t count) const {
  std::string text;
  for (std::size_t axis = 0; axis < std::min(count, names_.coordinates.size()); ++axis)
    text += (axis == 0 ? "" : ",") + names_.coordinates[axis];
  return text;
}

}  // namespace tune::kernels
