// SPDX-License-Identifier: Apache-2.0
// Values of the parameters that are words.
#pragma once

// Loads of samples: ld.global.nc, or evict first (ld.global.cs).
enum class Path { readonly, streaming };
// How the counters of blocks are added up: by atomics as blocks end, or by a second launch.
enum class Merge { atomic, kernel };
// Which samples are counted by one atomic: equal ones of a warp, or equal neighbours of a thread.
enum class Equal { warp, run };
