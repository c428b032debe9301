// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/expression.hpp"

#include "kernels/stencil/language/evaluate.hpp"
#include "kernels/stencil/language/parser.hpp"

namespace tune::kernels {

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
