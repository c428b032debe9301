// SPDX-License-Identifier: Apache-2.0
// Python's operators on values that are followed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kernels/described/imports/python_value.hpp"

namespace tune::described::python {

/// `a + b` and the like; unknown, with this text, where it cannot be told.
Value binary(std::string_view op, const Value& a, const Value& b, std::string_view text);
/// `a < b`, `a in b`, `a is b`.
Value compared(std::string_view op, const Value& a, const Value& b, std::string_view text);
/// `-a`, `not a`.
Value unary(std::string_view op, const Value& a, std::string_view text);
/// `a if condition else b`, where only a formula tells the condition; unknown where one of them has none.
Value chosen(const Value& condition, const Value& a, const Value& b);
/// A call of a function of formulas, `max(a)`, for a known number or a symbol.
Value with_call(Value value, std::string_view function, std::string_view arguments);
/// `object[index]`.
Value element(const Value& object, const Value& index, std::string_view text);
/// `text % values`: nothing but `%d`, `%s` and their like is read.
Value formatted(const Value& format, const Value& values, std::string_view text);

/// Formulas of more bytes are given up: a loop may make them.
inline constexpr std::size_t longest_formula = 400;
/// Texts and lists of more elements are not made.
inline constexpr std::size_t longest_value = 1'000'000;

}  // namespace tune::described::python
