// SPDX-License-Identifier: Apache-2.0
// Files that describe a kernel: our own form and the field's exchange format.
#pragma once

#include <filesystem>

#include "kernels/described/description.hpp"
#include "kernels/described/readers/json_field.hpp"

namespace tune::definition {

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

}  // namespace tune::definition
