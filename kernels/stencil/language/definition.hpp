// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

struct StencilDefinition {
  std::string name;
  Stencil stencil;  ///< normalized

  friend bool operator==(const StencilDefinition&, const StencilDefinition&) = default;
};

/// Reads the text of a stencil file. Statements, in any number of lines; # begins a comment:
///
///     name = heat                       the rest of the line; else the file's name without its ending
///     coordinates = i, j, k             other names for x, y, z
///     c0 = -2.5                         a number, from numbers and constants above
///     c = [1.6, -0.2]                   c[1], c[2]
///     d[0..2] = [1, 1/2, 1/4]           d[0] to d[2]
///
/// and at the end an equation (expression.hpp), or instead of it
///
///     coefficients = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
///     origin = [1, 1]                   only where the cell itself is not in the middle
///
/// Coefficients are nested as [z][y][x] or [y][x]: the innermost list runs along x. All lists of a level have
/// the same length. The element at `origin`, counted from 0 along x, y and z, is that of the cell itself.
/// Elements that are 0 are no points. The message begins with the file's name, if there is one.
Parsed<StencilDefinition> parse_definition(std::string_view text, std::string_view file_name = {});

/// Throws UsageError in one line: `FILE:LINE:COLUMN: ...`, or why the file cannot be read.
StencilDefinition read_stencil_file(const std::filesystem::path& path);

/// Returns a stencil file with all digits: reading it gives the same stencil bit by bit, if this one is
/// normalized. Throws std::invalid_argument for a stencil without points and for one that no definition
/// allows: weights that are not finite, offsets beyond max_offset, more than max_terms points.
std::string definition_text(const Stencil& stencil, std::string_view name);

/// Returns 12 hexadecimal digits that identify the dimensions, the offsets and the weights' bits, in any
/// order of the points.
std::string definition_hash(const Stencil& stencil);

}  // namespace tune::kernels
