// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/described/description.hpp"
#include "kernels/described/readers/json_field.hpp"

// Files that describe a kernel: our own form and the field's exchange format.

namespace tune::described {

/// Reads a definition, T1 or our own. Throws UsageError with file, line and field.
KernelDescription read_definition(const std::filesystem::path& path);

KernelDescription read_t1(const JsonField& root);
KernelDescription read_native(const JsonField& root);

/// Sets the argument's type. Fails for a name that is none of a type.
void read_type(const JsonField& field, Argument& argument);
/// Expressions of a vector's extents. Fails where there are none, or more than three.
void read_extents(const JsonField& field, Argument& argument);
/// A texture with the argument's dimensions and channels.
TextureSpec texture_over(const Argument& argument);

}  // namespace tune::described

// Parts of the reader of T1; the fields are those of the published schema, and what published definitions
// have besides.

namespace tune::described::t1 {

/// In lower case, without spaces around: how names of kinds are compared.
std::string word(const JsonField& field);

/// KernelSpecification.
void read_kernel(const JsonField& kernel, KernelDescription& definition);

}  // namespace tune::described::t1
