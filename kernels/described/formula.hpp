// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/expressions/formula.hpp"
#include "search/expressions/formula_value.hpp"

namespace tune::described {

using search::evaluate;
using search::FormulaValue;
using search::kind_of;
using search::max_values;
using search::mistake_of;
using search::Names;
using search::WholeNumber;

}  // namespace tune::described
