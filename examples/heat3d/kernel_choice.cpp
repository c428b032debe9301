// SPDX-License-Identifier: Apache-2.0
#include "kernel_choice.hpp"

#include <cctype>

namespace heat3d {
namespace {

std::int64_t rounded(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile * tile;
}

/// `LOADER=Loader::async`, `VECTOR=4`, `PADDED=1`.
std::string define(const std::string& name, const std::string& value) {
  std::string macro, type = name;
  for (const char c : name) macro += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (value == "true" || value == "false") return macro + (value == "true" ? "=1" : "=0");
  if (std::isdigit(static_cast<unsigned char>(value[0])) != 0) return macro + "=" + value;
  type[0] = macro[0];
  return macro + "=" + type + "::" + value;
}

}  // namespace

std::optional<Kernel> kernel_of(const tune::lookup::Candidate& candidate, const Grid& grid) {
  const std::string variant = candidate.text("variant");
  const bool direct = variant == "direct";
  if (!direct && variant != "streaming") return std::nullopt;
  const auto value = [&](const char* name) { return static_cast<std::int64_t>(candidate.integer(name, 1)); };
  Kernel kernel;
  kernel.file = direct ? "direct.cu" : "streaming.cu";
  for (const auto& [name, text] : candidate.configuration)
    if (name != "variant") kernel.defines.push_back(define(name, text));
  kernel.block[0] = value("block_x");
  kernel.block[1] = value("block_y");
  kernel.block[2] = direct ? value("block_z") : 1;
  kernel.tile[0] = kernel.block[0] * value("vector");
  kernel.tile[1] = kernel.block[1] * value("cells_y");
  kernel.tile[2] = direct ? kernel.block[2] * value("cells_z") : value("chunk");
  kernel.padded = candidate.flag("padded", false);
  kernel.lead = rounded(1, value("vector"));
  if (!direct && candidate.text("loader") != "cache")
    kernel.shared_memory = value("stages") * (kernel.tile[0] + 2 * kernel.lead) * (kernel.tile[1] + 2) *
                           static_cast<std::int64_t>(sizeof(float));
  // A dense array has no room for a vector beyond the end of a row.
  if (!kernel.padded && grid.nx % value("vector") != 0) return std::nullopt;
  return kernel;
}

Kernel default_kernel() {
  Kernel kernel;
  kernel.file = "direct.cu";
  kernel.block[0] = 32;
  kernel.block[1] = 8;
  kernel.tile[0] = 32 * 4;
  kernel.tile[1] = 8;
  kernel.tile[2] = 4;
  kernel.padded = true;
  kernel.lead = 4;
  return kernel;
}

Layout layout_of(const Kernel& kernel, const Grid& grid) {
  Layout layout;
  if (!kernel.padded) {
    layout.pitch = grid.nx;
    layout.plane = grid.nx * grid.ny;
    layout.allocation = grid.cells();
    return layout;
  }
  layout.pitch = rounded(rounded(grid.nx, kernel.tile[0]), 32);
  layout.plane = layout.pitch * rounded(grid.ny, kernel.tile[1]);
  const std::int64_t reach = layout.plane + layout.pitch + kernel.lead;
  layout.offset = rounded(reach, 64);
  layout.allocation = layout.offset + rounded(grid.nz, kernel.tile[2]) * layout.plane + reach;
  return layout;
}

std::int64_t blocks_of(const Kernel& kernel, const Grid& grid) {
  return rounded(grid.nx, kernel.tile[0]) / kernel.tile[0] *
         (rounded(grid.ny, kernel.tile[1]) / kernel.tile[1]) *
         (rounded(grid.nz, kernel.tile[2]) / kernel.tile[2]);
}

}  // namespace heat3d
