// SPDX-License-Identifier: Apache-2.0
// The fields of structs, as the kernel declares them and as they are given.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/described/description.hpp"

namespace tune::described {

/// A number or an address of a struct.
struct StructPart {
  std::string text;                                ///< as declared, or the name of what is given
  std::optional<ElementType> type = std::nullopt;  ///< nothing: an address
  std::size_t offset = 0;                          ///< [bytes]
};

/// A field, an element of one that is an array, or a whole struct: parts that are aligned together.
struct StructGroup {
  std::size_t first = 0, count = 0;  ///< its parts
  std::size_t alignment = 1;         ///< [bytes]
};

struct StructShape {
  std::vector<StructPart> parts;  ///< those of structs in it too
  std::vector<StructGroup> groups;
  std::size_t size = 0, alignment = 1;  ///< [bytes]
  bool has_layout = true;               ///< offsets, sizes and alignments are known
};

/// Returns the shape of a struct of the kernel; nothing where it is not understood.
std::optional<StructShape> declared_shape(const std::string& name, const DeclaredTypes& types, int depth = 0);

/// Gives the fields of a struct the alignments that the kernel's file declares, where the definition says
/// none.
void take_alignments(const std::string& name, StructField& given, const DeclaredTypes& types);

/// Returns how the struct that is given, with these alignments, lies otherwise in memory than the kernel's;
/// empty where it fits, and where the layout is not known.
std::string other_layout(const std::string& name, StructField given, const DeclaredTypes& types);

/// Returns how the struct that is given differs from the kernel's in its numbers and addresses; empty where
/// it fits, and where it is not understood.
std::string other_fields(const std::string& name, const StructField& given, const DeclaredTypes& types);

/// Returns why the elements of an array are not the numbers of the structs that the kernel reads; empty where
/// they are, and for bytes.
std::string other_elements(std::string name, const Argument& argument, const DeclaredTypes& types);

}  // namespace tune::described
