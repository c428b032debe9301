// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/language/syntax.hpp"
#include "kernels/stencil/model/stencil.hpp"

namespace tune::kernels {

/// The value of an expression without cells. Throws SourceFault, also if it is not finite.
double constant_value(const SyntaxNode& node);

/// The value as an integer of at most `most` in size. `what` names it in the error: `an offset`.
int integer_value(const SyntaxNode& node, const char* what, int max);

/// The equation's points, normalized. Throws SourceFault.
Stencil stencil_of(const Equation& equation);

}  // namespace tune::kernels
