// SPDX-License-Identifier: Apache-2.0
// The macros as constants.
#pragma once

#include "words.cuh"

constexpr int neighbours = K, dimensions = DIMENSIONS;
constexpr Self self = SELF;
constexpr Layout layout = LAYOUT;
constexpr Curve curve = CURVE;
constexpr Rank rank = RANK;
constexpr Sort sort = SORT;
constexpr Growth growth = GROWTH;
constexpr int threads = BLOCK, unroll = UNROLL;
