// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/expression.hpp"

#include <algorithm>

#include "kernels/stencil/language/parser.hpp"
#include "kernels/stencil/language/syntax.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// A message shows this many bytes of a source line before and after the caret.
constexpr std::size_t shown_before = 60, shown_after = 40;

/// Returns a text as wide on a terminal as in bytes, so that the caret is in the right column.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\t' || c == '\r') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string excerpt(std::string_view line, std::size_t at) {
  const std::size_t begin = at > shown_before ? at - shown_before : 0;
  const std::string_view before = begin > 0 ? "..." : "";
  const std::string_view after = line.size() > at + shown_after ? "..." : "";
  const std::string_view shown = line.substr(begin, at + shown_after - begin);
  return format("  {}{}{}\n  {}^", before, printable(shown), after,
                std::string(before.size() + at - begin, ' '));
}

}  // namespace

SourceError source_error(std::string_view text, std::string_view file, const SourceFault& fault) {
  const std::size_t offset = std::min(fault.offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  SourceError error;
  error.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  error.column = 1 + static_cast<int>(offset - start);
  error.found = fault.found;
  error.expected = fault.expected;
  error.message = format("{}{}{}:{}: found {}, expected {}\n{}", file, file.empty() ? "" : ":", error.line,
                         error.column, fault.found, fault.expected,
                         excerpt(text.substr(start, text.find('\n', start) - start), offset - start));
  return error;
}

Parsed<Stencil> parse_equation(std::string_view text, const EquationNames& names) {
  try {
    TokenReader tokens(text);
    const Equation equation = ExpressionParser(tokens, names).equation();
    if (tokens.token().kind != EquationToken::Kind::end) tokens.fail("an operator or the end");
    return stencil_of(equation);
  } catch (const SourceFault& fault) {
    return tl::unexpected<SourceError>(source_error(text, "", fault));
  }
}

}  // namespace tune::kernels
