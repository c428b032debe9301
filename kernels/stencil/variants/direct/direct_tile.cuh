// SPDX-License-Identifier: Apache-2.0
// One time step of a block's tile, or a part of its points, straight from global memory.
// A part of direct.cu, persistent_l2.cu and split.cu, whose constants it uses.
#pragma once

#include "direct_sums.cuh"

constexpr bool zero = boundary == Boundary::zero;
constexpr int threads = block_x * block_y * block_z;
constexpr int tile_x = block_x * lanes, tile_y = block_y * cells_y, tile_z = block_z * cells_z;
static_assert(threads <= 1024, "at most 1024 threads a block");

// ---- input ----

// The thread's view of the input. Offsets count from its first cell.
struct Input {
  const Real* base;  // padded: the thread's first cell; dense: cell (0, 0, 0)
  int pitch;         // fewer than 2^31 cells: a row's address is one multiply-add then, six instructions else
  long long plane;
  int x, y, z;  // the thread's first cell
  int nx, ny, nz;

  template<bool careful>
  __device__ __forceinline__ const Real* at(int dx, int dy, int dz) const {
    if constexpr (!padded && zero && !careful) {
      return base + ((z + dz) * plane + static_cast<long long>(y + dy) * pitch + clamped(x + dx, nx - lanes));
    } else if constexpr (!padded) {
      // Clamping keeps the address inside the array; what it fetches is used by boundary cells alone, and
      // these drop it, or cleared (zero).
      return base + (clamped(z + dz, nz - 1) * plane +
                     static_cast<long long>(clamped(y + dy, ny - 1)) * pitch + clamped(x + dx, nx - lanes));
    } else {
      return base + (dz * plane + static_cast<long long>(dy) * pitch + dx);
    }
  }

  // Zero: cells beyond the array are loaded like all others, from ghost cells or clamped addresses, and then
  // cleared. Not careful: rows and planes exist and no vector lies across their end; what is left to ask is
  // whether a vector beside the thread's own, or the thread itself, lies outside.
  template<bool careful>
  __device__ __forceinline__ void load(Real* to, int dx, int dy, int dz) const {
    load_vector<lanes, load_path>(to, at<careful>(dx, dy, dz));
    if constexpr (zero) {
      bool exists = true;
      if (careful || dx != 0 || shuffle) exists = below(x + dx, nx);
      if constexpr (careful) exists = exists && below(y + dy, ny) && below(z + dz, nz);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (!exists || (careful && padded && i > 0 && x + dx + i >= nx)) to[i] = 0;
      }
    }
  }
};

// ---- tiles ----

__device__ __forceinline__ unsigned tiles_of(int extent, int tile) {
  return (static_cast<unsigned>(extent) + tile - 1) / tile;
}

// Which parts of the sums a launch computes. Parts that are not the first add to what `out` has; only the
// last one puts back the cells that keep their values.
enum class Turn { only, first, middle, last };

// Cells of one row of `out` as an earlier launch left them, for the last time.
__device__ __forceinline__ void load_again(Real (&to)[lanes], const Real* from) {
  constexpr int step = word_lanes<Real, lanes>;
#pragma unroll
  for (int w = 0; w < lanes; w += step) {
    Pack<Real, lanes> pack;
    pack.word = __ldcs(reinterpret_cast<const decltype(pack.word)*>(from + w));
#pragma unroll
    for (int i = 0; i < step; ++i) to[w + i] = pack.lane[i];
  }
}

// Puts back the thread's cells that keep their values. Few threads have any: storing these cells twice is
// cheaper than choosing between sums and values, which doubled the registers of everyone.
__device__ __forceinline__ void keep_boundary(const Input& input, const Real* in, Real* out) {
  const int x = input.x, y = input.y, z = input.z, nx = input.nx, ny = input.ny, nz = input.nz;
  if (x >= reach_x && x + lanes <= nx - reach_x && y >= reach_y && y + cells_y <= ny - reach_y &&
      z >= reach_z && z + cells_z <= nz - reach_z)
    return;
#pragma unroll 1
  for (int k = 0; k < cells_z * cells_y; ++k) {
    const int cy = y + k % cells_y, cz = z + k / cells_y;
    if (cy >= ny || cz >= nz) continue;
    const bool row = cy >= reach_y && cy < ny - reach_y && cz >= reach_z && cz < nz - reach_z;
    const long long at = cz * input.plane + static_cast<long long>(cy) * input.pitch + x;
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      if (!(row && x + i >= reach_x && x + i < nx - reach_x) && x + i < nx) out[at + i] = in[at + i];
    }
  }
}

// Tiles are counted along x first, then y, then z. `in` and `out` point to cell (0, 0, 0), aligned to 16
// bytes; pitch and plane are the distances of neighbouring rows and planes [cells].
template<class Points = AllPoints, Turn turn = Turn::only>
__device__ __forceinline__ void compute_tile(const Real* in, Real* out, unsigned tile, int nx, int ny, int nz,
                                             long long pitch, long long plane) {
  const unsigned tiles_x = tiles_of(nx, tile_x);
  const unsigned tiles_y = tiles_of(ny, tile_y);
  const unsigned row_of_tiles = tile / tiles_x;
  const int first_x = static_cast<int>((tile % tiles_x) * tile_x);
  const int first_y = static_cast<int>((row_of_tiles % tiles_y) * tile_y);
  const int first_z = static_cast<int>((row_of_tiles / tiles_y) * tile_z);
  const int x = first_x + static_cast<int>(threadIdx.x * lanes);
  const int y = first_y + static_cast<int>(threadIdx.y * cells_y);
  const int z = first_z + static_cast<int>(threadIdx.z * cells_z);

  const long long first = z * plane + y * pitch + x;
  const Input input{padded ? in + first : in, static_cast<int>(pitch), plane, x, y, z, nx, ny, nz};
  Sums sums = {};
  if constexpr (turn == Turn::middle || turn == Turn::last) {
#pragma unroll
    for (int c = 0; c < cells_z; ++c) {
#pragma unroll
      for (int j = 0; j < cells_y; ++j) {
        if (padded || (x < nx && y + j < ny && z + c < nz))
          load_again(sums[c][j], out + first + (c * plane + j * pitch));
      }
    }
  }
  if constexpr (zero) {
    const bool careful = first_y < reach_y || first_y + tile_y + reach_y > ny || first_z < reach_z ||
                         first_z + tile_z + reach_z > nz ||
                         (padded && nx % lanes != 0 && first_x + tile_x + lead > nx);
    if (careful) {
      sum<Points, true>(sums, input);
    } else {
      sum<Points, false>(sums, input);
    }
  } else {
    sum<Points, false>(sums, input);
  }

#pragma unroll
  for (int c = 0; c < cells_z; ++c) {
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      if (!padded && (x >= nx || y + j >= ny || z + c >= nz)) continue;
      store_vector<lanes, store_path>(out + first + (c * plane + j * pitch), sums[c][j]);
    }
  }
  if constexpr (!zero && (turn == Turn::only || turn == Turn::last)) keep_boundary(input, in, out);
}
