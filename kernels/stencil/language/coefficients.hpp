// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/stencil/language/parser.hpp"
#include "kernels/stencil/language/tokens.hpp"
#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

/// Reads nested lists of coefficients, two or three levels. All functions throw SourceFault.
class CoefficientReader {
 public:
  CoefficientReader(TokenReader& tokens, ExpressionParser& parser) : tokens_(tokens), parser_(parser) {}

  /// From the first bracket to the last.
  void read();

  int dimensions() const { return static_cast<int>(extents_.size()); }
  /// Elements along an axis (0: x).
  int extent(int axis) const { return extents_[extents_.size() - 1 - static_cast<std::size_t>(axis)]; }

  /// Without origin (the index along each axis of the cell itself) it is in the middle.
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
