// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heat3d {

/// Cells along each axis, x fastest.
struct Grid {
  std::int64_t nx = 256, ny = 256, nz = 256;
  std::int64_t cells() const { return nx * ny * nz; }
  std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const { return (z * ny + y) * nx + x; }
};

/// What a cell gives to each of its six neighbours in a time step: conductivity * dt / dx^2. Stable up to
/// 1/6.
constexpr double exchange = 0.15;

/// 20 degrees, a hot ball off the centre and a cold plate at the bottom. Faces keep their temperature for
/// ever.
std::vector<float> first_temperatures(const Grid& grid);

/// One time step in double precision, for checking.
std::vector<double> host_step(const Grid& grid, const std::vector<float>& before);

/// The middle slice of y as a picture (PPM): blue is 0, red 100 degrees. False where the file cannot be
/// written.
bool write_picture(const Grid& grid, const std::vector<float>& temperatures, const std::string& file);

/// `stencil_points.cuh`: the part of the tuned kernels that is the application's, its stencil.
std::string points_header();

}  // namespace heat3d
