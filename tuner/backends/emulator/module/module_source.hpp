// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// The prelude: CUDA's language for g++. Names are as its files include each other.
const std::vector<SourceFile>& prelude_files();

/// One translation unit of several variants, each in a namespace of its own (`tune_variant_3`): its defines,
/// its source with its headers in their places, its entries, then everything undefined again. What cannot be
/// written in C++ is rewritten (`extern "C"`, `extern __shared__ T x[]`); lines and file names stay those of
/// the kernel. Throws nothing: what is wrong with a source is for the compiler to say.
std::string module_source(std::span<const CompileRequest* const> variants);

/// The prefix of the names of everything in a variant, mangled.
std::string variant_namespace(std::size_t variant);

}  // namespace tune::emulator
