// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/language/syntax.hpp"
#include "kernels/stencil/language/tokens.hpp"
#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

/// Reads expressions from the position of `tokens`, by recursive descent, up to the first token that cannot
/// continue them. Both arguments must outlive the parser, the names also the trees. All functions throw
/// SourceFault.
class ExpressionParser {
 public:
  ExpressionParser(TokenReader& tokens, const EquationNames& names) : tokens_(tokens), names_(names) {}

  SyntaxNode constant();
  /// Reads an equation, with or without left-hand side.
  Equation equation();

 private:
  /// The meaning of a name before a bracket if cells are allowed, and of an axis while an index is read.
  enum class Place { constant, equation, index };

  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.nesting_; }

   private:
    ExpressionParser& parser_;
  };

  SyntaxNode expression(Place place);
  SyntaxNode product(Place place);
  SyntaxNode signed_value(Place place);
  SyntaxNode power(Place place);
  SyntaxNode primary(Place place);
  SyntaxNode number();
  SyntaxNode sum(Place place);
  SyntaxNode named(Place place);
  SyntaxNode element(const EquationToken& name);
  SyntaxNode cell(const EquationToken& name);

  /// Reads `x + 1`: the axis of x, and 1.
  struct Index {
    int axis = 0;
    SyntaxNode offset;
  };

  /// Reads the indices of a cell, in one or more pairs of brackets.
  std::vector<Index> indices();
  /// Removes the coordinate from an index, which then is the offset; returns its axis.
  int take_coordinate(SyntaxNode& index);
  /// Puts offsets into the order x, y, z. All cells have the same order of coordinates.
  std::vector<SyntaxNode> by_axis(std::vector<Index> indices, const EquationToken& name);
  void left_hand_side();
  bool has_left_hand_side();

  int coordinate(std::string_view name) const;  ///< its axis, or -1
  int variable(std::string_view name) const;    ///< its slot, or -1
  std::string coordinate_list(std::size_t count) const;
  void require_new_variable() const;
  void require_linear(SyntaxNode& node) const;

  TokenReader& tokens_;
  const EquationNames& names_;
  int nesting_ = 0;
  std::vector<std::string_view> variables_;  ///< of the sums around
  std::string_view array_, result_;          ///< names, empty before they occurred
  std::vector<int> order_;                   ///< axes of the indices of a cell, as written
};

/// Reads nested lists of coefficients, two or three levels. All functions throw SourceFault.
class CoefficientReader {
 public:
  CoefficientReader(TokenReader& tokens, ExpressionParser& parser) : tokens_(tokens), parser_(parser) {}

  void read();

  int dimensions() const { return static_cast<int>(extents_.size()); }
  /// Returns the elements along an axis (0: x).
  int extent(int axis) const { return extents_[extents_.size() - 1 - static_cast<std::size_t>(axis)]; }

  /// `origin` is the index of the cell itself along each axis; without one it is in the middle.
  Stencil stencil(const std::optional<std::vector<int>>& origin) const;

 private:
  void level(std::size_t depth);
  void element(std::size_t depth);
  void end_of_list(std::size_t depth, std::size_t count);

  TokenReader& tokens_;
  ExpressionParser& parser_;
  std::size_t start_ = 0;       ///< in the source
  std::vector<int> extents_;    ///< from the outermost level; 0: not yet known
  bool numbers_seen_ = false;   ///< the number of levels is known
  std::vector<double> values_;  ///< x fastest
};

}  // namespace tune::kernels
