// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/described/description.hpp"

namespace tune::described {

/// What is known of a parameter's type.
struct ParameterType {
  bool pointer = false;
  bool of_pointers = false;  ///< `float**`
  bool texture = false;
  bool structure = false;
  bool enumeration = false;
  std::optional<TypeName> numbers = std::nullopt;  ///< or what it points to
  bool known() const { return texture || structure || enumeration || numbers; }
};

ParameterType type_of(const std::string& declared, const DeclaredTypes& types);

/// Puts types in place of `decltype(x)`, where x is a number as written, a value such as `float()`, or one of
/// these parameters.
std::string without_decltype(std::string declared, const std::vector<std::string>& parameters);

/// True where the kernel's type is known to differ from that of the argument: in size or kind of its numbers.
/// Signs may differ, and vectors may be taken for their elements.
bool is_other_type(const ParameterType& declared, const Argument& argument);

/// True for whole numbers of one size, of which one type has a sign and the other has none.
bool has_other_sign(const ParameterType& declared, const Argument& argument);

/// Returns the name of the argument's type for messages.
std::string type_name_of(const Argument& argument);

/// Returns why a parameter of the kernel, as declared, does not fit this argument; empty if it fits.
std::string misfit(const std::string& declared, const DeclaredTypes& types, const Argument& argument);

/// True where nothing is known that the argument's type could be compared with.
bool is_not_compared(const std::string& declared, const DeclaredTypes& types, const Argument& argument);

}  // namespace tune::described
