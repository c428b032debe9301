// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/described/description.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::described {

/// Returns a number as a kernel's argument of that type; nothing if it is beyond the type. Throws
/// search::ExprError for another kind of number.
std::optional<ScalarArgument> scalar_of(const TypeName& type, const FormulaValue& value);

/// Returns the alignment of a number, or of CUDA's vectors: two and four elements are aligned together, up to
/// 16 bytes.
std::size_t alignment_of(const TypeName& type);

/// Returns the struct's bytes as CUDA's compilers lay them out: each field at a multiple of its alignment,
/// the end at one of the largest. Throws UsageError for a number that its type cannot hold.
StructArgument laid_out(const StructDescription& object, const ExpressionScope& scope);

/// Returns the number of these bytes, over sizes and settings.
Expression size_of(StructDescription object, SourceLocation place);

}  // namespace tune::described
