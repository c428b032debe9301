// SPDX-License-Identifier: Apache-2.0
// All of it, before the first kernel.
#pragma once

#include "arithmetic.cuh"
#include "atomics.cuh"
#include "language.cuh"
#include "memory.cuh"
#include "module.cuh"
#include "warp.cuh"
