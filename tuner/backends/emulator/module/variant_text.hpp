// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Returns the namespace of a variant (`tune_variant_3_`), which is part of its mangled names.
std::string variant_namespace(std::size_t variant);

/// Returns the text of a variant for the host's compiler: its defines, its source with its headers in their
/// places, its entries, then everything undefined again. Rewrites what is not C++ (`extern "C"`,
/// `extern __shared__ T x[]`); lines and file names stay those of the kernel.
std::string variant_text(const CompileRequest& request, std::size_t number);

/// The header of cuRAND is used as it is, where a toolkit has it. Returns the toolkit's folder, or nothing.
const std::string& folder_of_curand();

}  // namespace tune::emulator
