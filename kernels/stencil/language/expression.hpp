// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

/// Explains why a text is not a stencil: an expected outcome, shown to the user.
struct SourceError {
  int line = 0, column = 0;  ///< from 1; columns are bytes
  std::string found;         ///< the text there: `'*'`, `the end`
  std::string expected;      ///< what would be right: `a number, a name or '('`
  std::string message;  ///< `[FILE:]LINE:COLUMN: found ..., expected ...`, the source line, a caret below
};

template<class T>
using Parsed = tl::expected<T, SourceError>;

/// Thrown inside the parser, because recursive descent has no other short way out. The functions of
/// expression.hpp and definition.hpp catch it and return a SourceError.
struct SourceFault {
  std::size_t offset = 0;  ///< in bytes from the start of the text
  std::string found, expected;
};

/// `file` may be empty. Long lines are cut around the caret.
SourceError source_error(std::string_view text, std::string_view file, const SourceFault& fault);

struct ConstantList {
  int first = 1;  ///< index of the first one
  std::vector<double> values;
};

struct EquationNames {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, ConstantList, std::less<>> lists;
  /// Names of the axes x, y, z; two of them if the array has two dimensions.
  std::vector<std::string> coordinates = {"x", "y", "z"};
};

/// Limits of a definition; more is an error.
inline constexpr int max_nesting = 200;             ///< parentheses, sums, signs and powers in each other
inline constexpr std::size_t max_terms = 1U << 20;  ///< values of cells that are added
inline constexpr std::size_t max_operations = 1U << 25;  ///< steps of evaluating an equation
inline constexpr int max_offset = 1024;                  ///< cells along an axis
inline constexpr int max_exponent = 1024;

/// Reads an equation as papers print it:
///
///     out[x,y,z] = c0*D[x,y,z] + sum(i, 1, 4, c[i]*(D[x+i,y,z] + D[x-i,y,z] + ...))
///
/// The left-hand side may be left out. There are numbers, names of constants, c[i] (an element of a list), +
/// - * / ^ (integer exponents), parentheses, sum(variable, from, to, term) with both bounds included (no
/// terms where from > to), and cells of one array of any name, D[x+1,y,z] or D[z][y][x+1]: each index is a
/// coordinate plus or minus an integer. Indices, bounds and exponents are expressions of numbers, constants
/// and the sums' variables that have integer values. Every term must be a number times one cell: the equation
/// is linear, without a constant term (a factor of 0 is fine: such a point stays). Two indices make a 2-D
/// stencil, three a 3-D one.
///
/// The result is normalized: weights of equal offsets are added up in the order in which they are written.
/// Nothing is executed but this arithmetic, in double precision, and all of it is bounded.
Parsed<Stencil> parse_equation(std::string_view text, const EquationNames& names = {});

}  // namespace tune::kernels
