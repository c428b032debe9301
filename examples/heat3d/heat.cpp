// SPDX-License-Identifier: Apache-2.0
#include "heat.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace heat3d {

std::vector<float> first_temperatures(const Grid& grid) {
  std::vector<float> cells(static_cast<std::size_t>(grid.cells()), 20.0f);
  const double size = static_cast<double>(std::min({grid.nx, grid.ny, grid.nz}));
  for (std::int64_t z = 0; z < grid.nz; ++z)
    for (std::int64_t y = 0; y < grid.ny; ++y)
      for (std::int64_t x = 0; x < grid.nx; ++x) {
        const double dx = static_cast<double>(x) - 0.4 * static_cast<double>(grid.nx);
        const double dy = static_cast<double>(y) - 0.5 * static_cast<double>(grid.ny);
        const double dz = static_cast<double>(z) - 0.6 * static_cast<double>(grid.nz);
        float& cell = cells[static_cast<std::size_t>(grid.at(x, y, z))];
        if (dx * dx + dy * dy + dz * dz < 0.06 * size * size) cell = 100.0f;
        if (z == 0) cell = 0.0f;
      }
  return cells;
}

std::vector<double> host_step(const Grid& grid, const std::vector<float>& before) {
  std::vector<double> after(before.begin(), before.end());
  const auto cell = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<double>(before[static_cast<std::size_t>(grid.at(x, y, z))]);
  };
  for (std::int64_t z = 1; z < grid.nz - 1; ++z)
    for (std::int64_t y = 1; y < grid.ny - 1; ++y)
      for (std::int64_t x = 1; x < grid.nx - 1; ++x)
        after[static_cast<std::size_t>(grid.at(x, y, z))] =
            (1 - 6 * exchange) * cell(x, y, z) +
            exchange * (cell(x - 1, y, z) + cell(x + 1, y, z) + cell(x, y - 1, z) + cell(x, y + 1, z) +
                        cell(x, y, z - 1) + cell(x, y, z + 1));
  return after;
}

bool write_picture(const Grid& grid, const std::vector<float>& temperatures, const std::string& name) {
  std::ofstream file(name, std::ios::binary);
  file << "P6\n" << grid.nx << " " << grid.nz << "\n255\n";
  for (std::int64_t z = grid.nz - 1; z >= 0; --z)  // the bottom is below
    for (std::int64_t x = 0; x < grid.nx; ++x) {
      const float cell = temperatures[static_cast<std::size_t>(grid.at(x, grid.ny / 2, z))];
      const double heat = std::clamp(static_cast<double>(cell) / 100, 0.0, 1.0);
      const auto byte = [](double share) { return static_cast<char>(static_cast<int>(255 * share + 0.5)); };
      const char pixel[] = {byte(heat), byte(1 - std::abs(2 * heat - 1)), byte(1 - heat)};
      file.write(pixel, sizeof pixel);
    }
  file.close();
  return static_cast<bool>(file);
}

std::string points_header() {
  std::ostringstream text;
  text.precision(17);
  const auto axis = [&](const char* name) {
    text << "constexpr __constant__ REAL " << name << "[3] = {REAL(" << exchange << "), REAL("
         << 1 - 6 * exchange << "), REAL(" << exchange << ")};\n";
  };
  text << "#pragma once\n"
          "constexpr int reach_x = 1, reach_y = 1, reach_z = 1;  // largest offsets\n"
          "constexpr int points = 7;\n"
          "constexpr bool star = true;  // all points lie on the axes\n";
  axis("weights_x");
  axis("weights_y");
  axis("weights_z");
  text << "__device__ constexpr REAL weight(int dx, int dy, int dz) {\n"
          "  return dz != 0 ? weights_z[dz + 1] : dy != 0 ? weights_y[dy + 1] : weights_x[dx + 1];\n"
          "}\n"
          "__device__ constexpr bool has_point(int dx, int dy, int dz) {\n"
          "  return (dx != 0) + (dy != 0) + (dz != 0) <= 1;\n"
          "}\n";
  return text.str();
}

}  // namespace heat3d
