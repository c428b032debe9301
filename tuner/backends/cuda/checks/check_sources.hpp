// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Return the requests for the program's own kernels (checks/*.cu): those that fill and check guards, those
/// that find changes, and the one that compares elements of a type with their reference (one request a type,
/// because most runs need only one). Entries are in the order of the file.
CompileRequest guard_kernels();
CompileRequest difference_kernels();
CompileRequest comparing_kernel(ElementType type);

}  // namespace tune::cuda
