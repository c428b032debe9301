// SPDX-License-Identifier: Apache-2.0
// numpy's arrays that are followed: type, shape and what fills them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/imports/python_value.hpp"

namespace tune::described::python {

/// `a + b` where one of them is an array.
Value array_binary(std::string_view op, const Value& a, const Value& b, std::string_view text);

/// The array with other elements: what `function` of numpy makes of them (`sin`, `absolute`).
Value array_of_function(std::string_view function, const Value& array, std::string_view text);

/// An array of what a list holds, one in another too; unknown where it holds other than numbers.
Value array_of_list(const Value& list, std::string_view text);

/// The array's number of elements; unknown where an extent is.
Value elements_of(const Array& array, std::string_view text);

/// numpy's name of a type: of `numpy.float32`, `'float32'`, `float`; empty for what is none.
std::string type_named_by(const Value& value);

/// Bytes of one element of a type with numpy's name.
Value bytes_of_element(const std::string& type, std::string_view text);

/// Arrays behind each other, along their slowest extent.
Value array_of_parts(const Value::Items& parts, std::string_view text);

/// An array of another type.
Value with_type(const Value& array, std::string type);

/// A shape from a number, or from a list or tuple of them.
std::vector<Value> shape_from(const Value& value);

}  // namespace tune::described::python
