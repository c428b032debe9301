// SPDX-License-Identifier: Apache-2.0
// Arrays in equations: D[x+1,y,z] and the left-hand side.
#include <algorithm>

#include "kernels/stencil/language/parser.hpp"
#include "kernels/stencil/language/source_error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Kind = SyntaxNode::Kind;

/// A coordinate to which the rest of the index is added, however it is put in parentheses.
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

}  // namespace

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
    tokens_.fail("a name for the result that means nothing else");
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

}  // namespace tune::kernels
