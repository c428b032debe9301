// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

struct ConstantList;

/// A part of an equation as written. Trees are as deep as the text is nested, which is bounded; the terms of
/// a long sum are siblings.
struct SyntaxNode {
  enum class Kind : std::uint8_t {
    number,      ///< `number`
    variable,    ///< of a sum around it; `slot` counts these sums from the outermost
    element,     ///< of `list`; the child is the index
    cell,        ///< D[x + 1, y, z]; the children are the offsets along x, y, z
    coordinate,  ///< only while an index is read; `slot` is the axis
    add,         ///< of all children; inverse ones are subtracted
    multiply,    ///< of all children, from left to right; the value is divided by inverse ones
    negate,
    power,  ///< base, integer exponent
    sum,    ///< from, to, body; its variable is `slot`
  };

  Kind kind = Kind::number;
  bool inverse = false;  ///< as a child of add or multiply
  bool cells = false;    ///< it has a cell: its value is a multiple of cells' values
  int slot = 0;
  std::size_t offset = 0;  ///< where it begins in the source
  double number = 0;
  const ConstantList* list = nullptr;
  std::vector<SyntaxNode> children;
};

struct Equation {
  SyntaxNode value;
  int dimensions = 3;
};

/// Evaluates an expression without cells. Throws SourceFault, also if the value is not finite.
double constant_value(const SyntaxNode& node);

/// Returns the value as an integer of absolute value at most `most`. `what` names it in the error: `an
/// offset`.
int integer_value(const SyntaxNode& node, const char* what, int max);

/// Returns the equation's points, normalized. Throws SourceFault.
Stencil stencil_of(const Equation& equation);

}  // namespace tune::kernels
