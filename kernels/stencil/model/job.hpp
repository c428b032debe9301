// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/stencil/model/stencil.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// The cells that lack neighbours. fixed (`held`): cells nearer to a face than the stencil's reach along that
/// axis keep their values (Dirichlet). zero: every cell is computed, the array continues with zeros.
enum class Boundary { fixed, zero };

/// The work of a configuration of stencil2d or stencil3d, in the axes of the kernels: x is the fastest one
/// and a sweep marches along z. The y of a 2-D array is the kernels' z; their y then has one cell, and the
/// stencil no points along it.
struct StencilJob {
  int dimensions = 3;  ///< of the problem: 2 or 3
  std::int64_t nx = 0, ny = 0, nz = 0;
  ElementType type = ElementType::f32;
  Stencil stencil;  ///< in the kernels' axes (its `dimensions` is 3)
  Boundary boundary = Boundary::fixed;
  std::int64_t steps = 1;
  std::int64_t gpus = 1;  ///< that share the work, each a slab along z

  int element_bytes() const { return static_cast<int>(element_size(type)); }
  double cells() const { return static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz); }
  Extents extents() const {
    return {static_cast<std::uint64_t>(nx), static_cast<std::uint64_t>(ny), static_cast<std::uint64_t>(nz)};
  }
  /// Returns the thickness of the held cells at the low and the high face, along x, y and z: the stencil's
  /// reach, or 0.
  std::array<int, 3> fixed_cells() const {
    return boundary == Boundary::fixed ? stencil.radii() : std::array<int, 3>{};
  }
};

/// Returns the stencil in the kernels' axes: the y of two dimensions becomes z.
Stencil in_kernel_axes(const Stencil& stencil);

/// Returns the text of `stencil_points.cuh`: the stencil's reach, and its weights as constant arrays of type
/// REAL. An index known to the compiler becomes an immediate; others read constant memory.
std::string points_header(const Stencil& stencil);

inline constexpr std::int64_t constant_memory = 64 * 1024;  ///< bytes
std::int64_t constant_bytes(const StencilJob& job);

}  // namespace tune::kernels
