// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::described {

/// A first definition for a kernel's file, with comments that say what to fill in: the kernel's name and
/// arguments from its declaration, parameters from macros with a default (`#ifndef NAME`, `#define NAME 16`).
/// `entry`: which kernel; empty for the first. Throws UsageError where there is none.
std::string first_definition(const std::string& file_name, const std::string& text, const std::string& entry);

}  // namespace tune::described
