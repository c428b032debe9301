// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tune::kernels {

/// Why a text is no stencil: an expected outcome, shown to the person who wrote it.
struct SourceError {
  int line = 0, column = 0;  ///< from 1; columns are bytes
  std::string found;         ///< what stands there: `'*'`, `the end`
  std::string expected;      ///< what could: `a number, a name or '('`
  std::string message;  ///< `[FILE:]LINE:COLUMN: found ..., expected ...`, the source line, a caret below
};

template<class T>
using Parsed = tl::expected<T, SourceError>;

/// What the parser throws inside: recursive descent has no other short way out. The functions of
/// expression.hpp and definition.hpp catch it and return a SourceError.
struct SourceFault {
  std::size_t offset = 0;  ///< in bytes from the start of the text
  std::string found, expected;
};

/// `file` may be empty. Long lines are cut around the caret.
SourceError source_error(std::string_view text, std::string_view file, const SourceFault& fault);

}  // namespace tune::kernels
