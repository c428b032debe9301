// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// The program's own kernels (checks/*.cu), to be compiled for a device: those that look after guards,
/// those that find what has changed, the one that compares elements of a type with their reference. Apart,
/// because most runs need one type only. The entries of each are in the order of the file.
CompileRequest guard_kernels();
CompileRequest difference_kernels();
CompileRequest comparing_kernel(ElementType type);

}  // namespace tune::cuda
