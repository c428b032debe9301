// SPDX-License-Identifier: Apache-2.0
// Words that parameters and settings are given as.
#pragma once

// What queries are: places of their own, or the points, each without or with itself.
enum class Self { none, skip, count };
// Points in memory: x, y, z and index of one after another (vector), or all x, then all y, ... (split).
enum class Layout { vector, split };
// Order of the rows of cubes: line by line, or along a Morton curve over y and z.
enum class Curve { rows, morton };
// How points find their place in a cube: by the number that they had when they were counted (stored), or by
// counting down again.
enum class Rank { stored, again };
// Which query comes next: as they arrive (given), or sorted by cube (cubes).
enum class Sort { given, cubes };
// How far the search goes on where the cubes around that of the query do not suffice: by one cube on each
// side, or to twice the distance.
enum class Growth { add, twice };
