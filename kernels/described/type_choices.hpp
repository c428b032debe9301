// SPDX-License-Identifier: Apache-2.0
// Parameters and settings whose values are types: what the kernel declares depends on them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/description.hpp"

namespace tune::described {

/// A value for each of them: `float` for `real`.
using TypeChoice = std::map<std::string, std::string>;

/// Returns all combinations of the values that the constraints, and the condition of the launch, do not rule
/// out. One is empty where no such parameter matters for the launch, where there are very many, and where
/// functions decide which are launched.
std::vector<TypeChoice> type_choices(const KernelDescription& description, const KernelSource& kernel,
                                     const LaunchDescription& launch, const DeclaredTypes& types);

/// Gives the macros among them their values; `entry`: its template arguments are no macros.
DeclaredTypes with_macros(DeclaredTypes types, const TypeChoice& choice, const KernelSource& kernel,
                          const std::string& entry);

/// Returns the argument with its type, if that is a setting.
Argument with_type(const Argument& argument, const TypeChoice& choice);

/// Returns the choice for a message about this argument: ` (where real is double)`; empty for none, and for
/// messages that are not about types.
std::string told(const TypeChoice& choice, const Argument& argument, std::string_view message);

}  // namespace tune::described
