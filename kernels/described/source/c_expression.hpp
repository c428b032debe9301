// SPDX-License-Identifier: Apache-2.0
// Expressions in C, as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/described/source/conditions.hpp"

namespace tune::described {

/// The place of the bracket that closes the one at `open`; the text's length where there is none.
std::size_t closing_bracket(std::string_view text, std::size_t open = 0);

/// The number that a text is: `256`, `32U`; nothing for expressions.
std::optional<std::int64_t> number_of(std::string_view text);

/// The value of an expression of numbers and macros; nothing where it has other names.
std::optional<std::int64_t> value_of(const std::string& expression, const MacroValues& macros);

/// `n` for `(n)`, but in a call.
std::string without_needless_brackets(std::string text);

/// The expression without casts to numbers and `std::`.
std::string without_casts(std::string_view expression);

/// `ceil_div(a, b)` for `ceil(a / b)`.
std::string with_whole_divisions(std::string expression);

}  // namespace tune::described
