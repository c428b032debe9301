// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/parser.hpp"

#include <algorithm>
#include <charconv>

#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/language/syntax.hpp"
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

/// Finds the coordinate to which the rest of the index is added, whatever the parentheses.
SyntaxNode* added_coordinate(SyntaxNode& node) {
  if (node.kind == Kind::coordinate) return &node;
  if (node.kind != Kind::add) return nullptr;
  for (SyntaxNode& child : node.children)
    if (SyntaxNode* found = child.inverse ? nullptr : added_coordinate(child)) return found;
  return nullptr;
}

const SyntaxNode* any_coordinate(const SyntaxNode& node) {
  if (node.kind == Kind::coordinate) return &node;
  for (const SyntaxNode& child : node.children)
    if (const SyntaxNode* found = any_coordinate(child)) return found;
  return nullptr;
}

constexpr std::size_t max_levels = 3;
constexpr const char* axis_names[] = {"x", "y", "z"};

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

/// Marks a sum or product with cells. A constant term, a product of cells and a division by one are errors.
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
  if (!tokens_.accept("("))
    tokens_.fail(token.text == ";" ? "a new line for each assignment" : "a number, a name or '('");
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
  tokens_.expect(",", "an operator, or ',' and the term of the sum");
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
  if (used) tokens_.fail("a name for the sum's variable that has no other meaning here");
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

// Arrays in equations: D[x+1,y,z] and the left-hand side.

int ExpressionParser::take_coordinate(SyntaxNode& index) {
  SyntaxNode* const found = added_coordinate(index);
  if (found == nullptr) {
    const SyntaxNode* const wrong = any_coordinate(index);
    if (wrong == nullptr)
      throw SourceFault{index.offset, "an index without coordinate",
                        format("one of {} plus or minus an integer", coordinate_list(3))};
    const std::string& name = names_.coordinates[static_cast<std::size_t>(wrong->slot)];
    throw SourceFault{wrong->offset, format("another use of '{}'", name),
                      format("'{}' plus or minus an integer", name)};
  }
  const int axis = found->slot;
  found->kind = Kind::number;
  found->number = 0;
  if (const SyntaxNode* const second = any_coordinate(index))
    throw SourceFault{second->offset, "a second coordinate", "one coordinate in an index"};
  return axis;
}

std::vector<ExpressionParser::Index> ExpressionParser::indices() {
  std::vector<Index> result;
  while (tokens_.accept("[")) {
    do {
      SyntaxNode index = expression(Place::index);
      const int axis = take_coordinate(index);
      result.push_back({axis, std::move(index)});
    } while (tokens_.accept(","));
    tokens_.expect("]", "an operator, ',' or ']'");
  }
  return result;
}

std::vector<SyntaxNode> ExpressionParser::by_axis(std::vector<Index> indices, const EquationToken& name) {
  const std::size_t count = indices.size();
  const auto wrong_count = [&](std::string expected) {
    throw SourceFault{name.offset,
                      format("'{}' with {} {}", name.text, count, count == 1 ? "index" : "indices"),
                      std::move(expected)};
  };
  if (!order_.empty() && count != order_.size()) wrong_count(format("{} indices as before", order_.size()));
  if (count < 2 || count > names_.coordinates.size()) {
    std::string expected = "an array with the indices " + coordinate_list(2);
    if (names_.coordinates.size() == 3) expected += " or " + coordinate_list(3);
    wrong_count(std::move(expected));
  }
  std::vector<SyntaxNode> offsets(count);
  std::vector<bool> seen(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(indices[i].axis);
    const auto found = [&] { return format("an index along '{}'", names_.coordinates[axis]); };
    if (!order_.empty() && order_[i] != indices[i].axis)
      throw SourceFault{
          indices[i].offset.offset, found(),
          format("'{}', as in the indices before", names_.coordinates[static_cast<std::size_t>(order_[i])])};
    if (axis >= count || seen[axis])
      throw SourceFault{indices[i].offset.offset, found(), format("each of {} once", coordinate_list(count))};
    seen[axis] = true;
    offsets[axis] = std::move(indices[i].offset);
  }
  if (order_.empty())
    for (const Index& index : indices) order_.push_back(index.axis);
  return offsets;
}

SyntaxNode ExpressionParser::cell(const EquationToken& name) {
  if (!array_.empty() && array_ != name.text)
    throw SourceFault{name.offset, name.described(), format("'{}': an equation reads one array", array_)};
  if (name.text == result_)
    throw SourceFault{name.offset, name.described(),
                      "another name than that of the result, because cells are not updated in place"};
  array_ = name.text;
  SyntaxNode node;
  node.kind = Kind::cell;
  node.cells = true;
  node.offset = name.offset;
  node.children = by_axis(indices(), name);
  return node;
}

bool ExpressionParser::has_left_hand_side() {
  const EquationToken start = tokens_.token();
  if (start.kind != EquationToken::Kind::name) return false;
  tokens_.next();
  std::size_t open = 0;
  const bool indexed = tokens_.token().is("[");
  while (tokens_.token().is("[") || (open > 0 && tokens_.token().kind != EquationToken::Kind::end)) {
    if (tokens_.token().is("[")) ++open;
    if (tokens_.token().is("]")) --open;
    tokens_.next();
  }
  const bool result = indexed && tokens_.token().is("=");
  tokens_.go_to(start);
  return result;
}

void ExpressionParser::left_hand_side() {
  const EquationToken name = tokens_.token();
  if (coordinate(name.text) >= 0 || names_.numbers.contains(name.text) || names_.lists.contains(name.text))
    tokens_.fail("a name for the result that has no other meaning");
  tokens_.next();
  for (const SyntaxNode& offset : by_axis(indices(), name))
    if (offset.kind != Kind::number)
      throw SourceFault{offset.offset, "a shifted index", "a coordinate alone on the left-hand side"};
  result_ = name.text;
  tokens_.expect("=", "'='");
}

Equation ExpressionParser::equation() {
  if (has_left_hand_side()) left_hand_side();
  Equation equation;
  equation.value = expression(Place::equation);
  equation.dimensions = static_cast<int>(order_.size());
  return equation;
}

void CoefficientReader::read() {
  start_ = tokens_.token().offset;
  level(0);
}

void CoefficientReader::level(std::size_t depth) {
  tokens_.expect("[", depth == 0 ? "'[': lists in lists" : "'[': a list, as before");
  if (!numbers_seen_) extents_.push_back(0);
  std::size_t count = 0;
  do {
    element(depth);
    ++count;
    if (count > 2 * std::size_t{max_offset} + 1)
      throw SourceFault{start_, format("more than {} elements in a list", 2 * max_offset + 1),
                        "a smaller array"};
  } while (tokens_.accept(","));
  end_of_list(depth, count);
}

void CoefficientReader::element(std::size_t depth) {
  const bool list = numbers_seen_ ? depth + 1 < extents_.size() : tokens_.token().is("[");
  if (list && depth + 1 == max_levels) tokens_.fail("a number: there are at most three levels of lists");
  if (list) return level(depth + 1);
  if (depth == 0) tokens_.fail("'[': a list of the coefficients along x");
  numbers_seen_ = true;
  values_.push_back(constant_value(parser_.constant()));
  if (values_.size() > max_terms)
    throw SourceFault{start_, format("more than {} coefficients", max_terms), "a smaller array"};
}

void CoefficientReader::end_of_list(std::size_t depth, std::size_t count) {
  const EquationToken end = tokens_.token();
  tokens_.expect("]", "an operator, ',' or ']'");
  int& extent = extents_[depth];
  if (extent == 0) extent = static_cast<int>(count);
  if (static_cast<int>(count) != extent)
    throw SourceFault{end.offset, format("a list of {}", count), format("a list of {}, as before", extent)};
}

Stencil CoefficientReader::stencil(const std::optional<std::vector<int>>& origin) const {
  std::array<int, 3> extents{1, 1, 1}, centre{};
  for (int axis = 0; axis < dimensions(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    extents[at] = extent(axis);
    if (!origin && extents[at] % 2 == 0)
      throw SourceFault{start_, format("{} elements along {}", extents[at], axis_names[axis]),
                        "an odd number, or 'origin = [...]'"};
    centre[at] = origin ? (*origin)[at] : extents[at] / 2;
  }
  Stencil stencil{dimensions(), {}};
  std::size_t next = 0;
  for (int z = 0; z < extents[2]; ++z)
    for (int y = 0; y < extents[1]; ++y)
      for (int x = 0; x < extents[0]; ++x)
        if (const double weight = values_[next++]; weight != 0)
          stencil.points.push_back({x - centre[0], y - centre[1], z - centre[2], weight});
  if (stencil.points.empty()) throw SourceFault{start_, "coefficients that are all 0", "one that is not"};
  return stencil;
}

}  // namespace tune::kernels
