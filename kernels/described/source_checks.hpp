// SPDX-License-Identifier: Apache-2.0
// What a description says is compared with its kernel's text, before anything is compiled.
#pragma once

#include <string>
#include <vector>

#include "kernels/described/description.hpp"

namespace tune::described {

/// Throws UsageError for the launch of a kernel whose name no file mentions.
void check_entry(const KernelDescription& description, const KernelSource& kernel,
                 const LaunchDescription& launch);

/// Returns the names of a launch's arguments in the kernel's order. Throws UsageError for an unknown name,
/// and where no declaration of the kernel that is understood takes arguments of this number and these types.
std::vector<std::string> checked_arguments(KernelDescription& description, const KernelSource& kernel,
                                           const LaunchDescription& launch);

/// Gives symbols the namespaces of their variables in the kernel's files. Throws UsageError for one that is
/// no variable there, or has another type.
void find_symbols(KernelDescription& description);

/// Adds lines about settings that change nothing, and about parameters that only the launches use because the
/// kernel's files declare their names.
void note_names(KernelDescription& description);

/// Throws UsageError for a line of the kernel's files that gives a parameter or setting another value; adds a
/// line where it does so on some devices.
void check_macros(KernelDescription& description);

/// Returns the parameters of several values that neither the kernel's files nor the launches mention. None
/// where functions compute a part of the launches.
std::vector<std::string> unused_parameters(const KernelDescription& description);

}  // namespace tune::described
