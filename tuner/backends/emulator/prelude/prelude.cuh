// SPDX-License-Identifier: Apache-2.0
// All that kernels need without including anything. Headers of the toolkit bring the rest: see
// module_compiler.cpp.
#pragma once

#include "arithmetic.cuh"
#include "async_barriers.cuh"
#include "atomics.cuh"
#include "language.cuh"
#include "memory.cuh"
#include "module.cuh"
#include "textures.cuh"
#include "warp.cuh"
