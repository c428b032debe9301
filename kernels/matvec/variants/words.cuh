// SPDX-License-Identifier: Apache-2.0
// Values of the parameters that are words.
#pragma once

// Where a batch of rows lies while it is multiplied.
enum class Kept { registers, shared };
// Where the block's part of x lies.
enum class Place { registers, shared };
// Loads of the matrix into registers: ld.global.nc, or evict first (ld.global.cs).
enum class Path { readonly, streaming };
// How the sums of several blocks are added up. kernel: by a second launch in a fixed order; barrier: the same
// after a barrier of the grid; atomic: in whatever order they come.
enum class Reduction { kernel, barrier, atomic };
// What is computed: y = A x (n), z = A' y (t), or both after each other (ata).
enum class Op { n, t, ata };
