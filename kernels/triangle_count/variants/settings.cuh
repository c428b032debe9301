// SPDX-License-Identifier: Apache-2.0
// The macros as constants.
#pragma once

#include "words.cuh"

constexpr Orientation orientation = ORIENTATION;
constexpr bool renumbered = orientation == Orientation::renumber;
constexpr int threads = BLOCK;

// Whether edges lead to larger numbers: of two neighbours of a vertex, the later one can only be a neighbour
// of the earlier one.
constexpr bool ordered = orientation != Orientation::degree;

using Count = unsigned long long;
