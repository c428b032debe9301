// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/check_sizes.hpp"

#include <algorithm>
#include <utility>

#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/variants.hpp"
#include "kernels/stencil/variants/persistent/persistent.hpp"

namespace tune::kernels {
namespace {

/// A reference of a large box costs many operations a cell: fewer cells there.
bool costly(const StencilJob& job) {
  return job.stencil.points.size() > 200;
}

/// Steps that run one whole launch and what is left over at the job's own steps, as often as it has any.
std::int64_t checked_steps(std::int64_t steps, std::int64_t fused) {
  const std::int64_t rest = steps % fused;
  return std::min(steps, rest > 0 ? fused + rest : 2 * fused);
}

/// The kernels of `fft` take the number of steps as they take extents: passes of few steps show what passes
/// of many would at sizes that are too large to check, that cells far from all faces are right. Whole passes
/// of many steps are checked where all cells are near a face.
/// Taps along the last axis are of whole passes alone.
std::vector<CheckSize> fft_sizes(const StencilJob& job, std::int64_t fused, bool whole_passes) {
  constexpr double max_cost = 3e7;  // multiply-adds
  const auto [rx, ry, rz] = job.stencil.radii();
  const std::int64_t steps = checked_steps(job.steps, fused);
  const std::int64_t few = whole_passes ? fused : std::min<std::int64_t>(fused, costly(job) ? 1 : 3);
  std::vector<CheckSize> sizes;
  const auto add = [&](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    const auto cost = static_cast<double>(nx * ny * nz) * static_cast<double>(job.stencil.points.size());
    const auto max = std::max<std::int64_t>(few, static_cast<std::int64_t>(max_cost / cost));
    const std::int64_t taken = std::min(steps, max);
    sizes.push_back({nx, ny, nz, whole_passes ? std::max(fused, taken / fused * fused) : taken});
  };
  const std::int64_t core = 2 * few;
  sizes.push_back({core * rx + 31, core * ry + 7, core * rz + 9,
                   few == fused ? steps : std::min<std::int64_t>(few, steps)});
  add(2 * rx + 1, 2 * ry + 3, 2 * rz + 2);
  add(13, 5, 7);
  add(5, 3, 2);
  add(1, 1, 11);
  add(17, 1, 1);
  return sizes;
}

constexpr std::int64_t max_emulated_threads = 32768;
/// Few enough tiles that the emulator has a stack for each thread of a cooperative launch.
std::vector<CheckSize> persistent_sizes(const StencilJob& job, const search::Configuration& configuration) {
  const auto [rx, ry, rz] = job.stencil.radii();
  // The same array is written last.
  const std::int64_t steps = std::min<std::int64_t>(job.steps, 4 + job.steps % 2);
  std::vector<CheckSize> sizes;
  if (configuration["kept"].as_text() == "shared") {
    sizes.push_back({2 * rx + 29, 2 * ry + 7, 2 * rz + 7, steps});
    // Tiles of several slabs: as many as the configuration has along z, one along x and y.
    const auto min = min_tile(job);
    const auto value = [&](const char* name) { return value_or_one(configuration, name); };
    const std::int64_t threads = value("block_x") * value("block_y") * value("block_z");
    const std::int64_t planes = 3 * value("block_z") * value("cells_z") * value("tiles_z");
    if (!costly(job) && value("tiles_z") * threads <= max_emulated_threads)
      sizes.push_back({min[0], min[1], planes + 2 * rz, steps});
  } else if (costly(job)) {
    sizes.push_back({2 * rx + 21, 2 * ry + 7, 2 * rz + 9, steps});
  } else {
    const StencilGeometry geometry = stencil_geometry(job, configuration);
    sizes.push_back(
        {geometry.tile_x + 11, geometry.tile_y + 2 * ry + 1, geometry.tile_z + 2 * rz + 1, steps});
  }
  sizes.push_back({2 * rx + 1, 2 * ry + 3, 2 * rz + 2, steps});
  sizes.push_back({5, 3, 2, steps});
  return sizes;
}

/// Rows of an unpadded array are whole vectors, and those of which the copy engine makes boxes whole pieces
/// of 16 bytes.
std::vector<CheckSize> in_vectors(std::vector<CheckSize> sizes, const StencilJob& job,
                                  const search::Configuration& configuration) {
  std::int64_t vector = configuration["padded"].as_bool() ? 1 : configuration["vector"].as_int();
  if (takes_boxes(configuration) && !configuration["padded"].as_bool())
    vector = std::max<std::int64_t>(vector, 16 / job.element_bytes());
  for (CheckSize& size : sizes) size.nx = (size.nx + vector - 1) / vector * vector;
  return sizes;
}

}  // namespace

std::vector<CheckSize> check_sizes(const StencilJob& job, const search::Configuration& configuration) {
  const StencilVariant& variant = variant_of(configuration);
  const std::int64_t fused = variant.fused(configuration);
  if (variant.name == "fft") return fft_sizes(job, fused, configuration["last_axis"].as_text() == "convolve");
  if (variant.name == "persistent")
    return in_vectors(persistent_sizes(job, configuration), job, configuration);
  const auto [rx, ry, rz] = job.stencil.radii();
  std::vector<CheckSize> sizes;
  const auto add = [&](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    sizes.push_back({nx, ny, nz, checked_steps(job.steps, fused)});
  };
  if (configuration.has("cells_x")) {
    // Tiles whose edges all lie within the array, and planes that no boundary concerns.
    const std::int64_t tile_y =
        configuration["threads"].as_int() / 32 * value_or_one(configuration, "cells_y");
    add(32 * configuration["cells_x"].as_int() * 2 + 11, 2 * tile_y + 7, 2 * fused * (rz + 1) + 2 * rz + 9);
  } else if (costly(job)) {
    add(2 * rx + 21, 2 * ry + 7, 2 * rz + 9);
  } else {
    add(139, 45, 39);
  }
  add(2 * rx + 1, 2 * ry + 3, 2 * rz + 2);
  add(5, 3, 2);  // boundary cells alone, as soon as they are held
  return in_vectors(std::move(sizes), job, configuration);
}

}  // namespace tune::kernels
