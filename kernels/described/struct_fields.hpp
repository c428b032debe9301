// SPDX-License-Identifier: Apache-2.0
// The fields of structs, as the kernel declares them and as they are given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/described/description.hpp"

namespace tune::described {

/// A number or an address of a struct.
struct StructPart {
  std::string text;                                ///< as declared, or the name of what is given
  std::optional<ElementType> type = std::nullopt;  ///< nothing: an address
};
using StructParts = std::optional<std::vector<StructPart>>;  ///< nothing: not understood

/// Returns the numbers and addresses of a struct of the kernel, those of structs in it too.
StructParts declared_parts(const std::string& name, const DeclaredTypes& types, int depth = 0);

/// Returns how the struct that is given differs from the kernel's in its numbers and addresses; empty where
/// it fits, and where it is not understood.
std::string other_fields(const std::string& name, const StructField& given, const DeclaredTypes& types);

/// Returns why the elements of an array are not the numbers of the structs that the kernel reads; empty where
/// they are, and for bytes.
std::string other_elements(std::string name, const Argument& argument, const DeclaredTypes& types);

}  // namespace tune::described
