// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/described/source/draft.hpp"
#include "kernels/described/source/examination.hpp"

namespace tune::described {

/// Returns what a kernel's file suggests. `file_name`: as the definition is to name the file.
Draft draft_of_kernel(const std::string& file_name, const Examination& examination);

/// The reference of a draft that knows no better one: the default configuration. `same`: parameters on which
/// results seem to depend.
DraftField guessed_reference(const std::vector<std::string>& same, const KernelFacts& kernel);

/// Returns a first definition for a kernel's file: the kernel's name, template parameters and arguments from
/// its declaration, what it reads and writes from its body, the launch from its indices, constant memory, and
/// parameters from macros with a default (`#ifndef NAME`, `#define NAME 16`) and names that nothing declares.
/// A launch in the file itself says grid, block, template arguments and numbers, and its allocations sizes.
/// Every guess is marked with TODO. `file_name`: as the definition is to name the file. `entry`: the kernel's
/// name; empty for the first. `undefined` may be empty: then names that the text does not declare count as
/// undefined. `folders`: of headers, as the definition is to name them. Throws UsageError if there is no such
/// kernel, and Error where this program cannot read kernels.
FirstDefinition first_definition(const std::string& file_name, const KernelText& text,
                                 const std::string& entry, const UndefinedNames& undefined = {},
                                 const std::vector<std::string>& folders = {});

}  // namespace tune::described
