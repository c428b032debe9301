// SPDX-License-Identifier: Apache-2.0
// Arithmetic on indices: of cells in an array and of weights in stencil_weights.
#pragma once

// Which points belong to the stencil: those on the three axes, or all (2 radius + 1)^3.
enum class Shape { star, box };

// How many points a stencil has.
__device__ constexpr int point_count(Shape shape, int radius) {
  const int width = 2 * radius + 1;
  return shape == Shape::star ? 6 * radius + 1 : width * width * width;
}

// Position of a point among the weights, which are in the order (z, y, x). Star: `radius` points below,
// `radius` in front, the row, and so on.
template<int radius>
__device__ constexpr int along_x(int dx) {
  return 3 * radius + dx;
}
template<int radius>
__device__ constexpr int along_y(int dy) {
  return dy < 0 ? 2 * radius + dy : 4 * radius + dy;
}
template<int radius>
__device__ constexpr int along_z(int dz) {
  return dz < 0 ? radius + dz : 5 * radius + dz;
}
template<int radius>
__device__ constexpr int in_box(int dx, int dy, int dz) {
  constexpr int width = 2 * radius + 1;
  return ((dz + radius) * width + dy + radius) * width + dx + radius;
}

// The index in 0 .. last that is nearest to i.
__device__ __forceinline__ int clamped(int i, int last) {
  return i < 0 ? 0 : (i > last ? last : i);
}
