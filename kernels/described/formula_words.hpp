// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/expressions/expr_syntax.hpp"

namespace tune::definition {

/// Whether it is a word of the language and no name: `and`, `for`, ...
bool is_word(const search::ExprToken& token);

}  // namespace tune::definition
