// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::described {

/// Returns a first definition for a kernel's file, with comments about the fields to fill in: the kernel's
/// name and arguments from its declaration, parameters from macros with a default (`#ifndef NAME`, `#define
/// NAME 16`). `entry`: the kernel's name; empty for the first. Throws UsageError if there is none.
std::string first_definition(const std::string& file_name, const std::string& text, const std::string& entry);

}  // namespace tune::described
