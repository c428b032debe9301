// SPDX-License-Identifier: Apache-2.0
// What a block of the temporal kernel covers, and a lane's place in it.
// A part of temporal.cu, whose constants it uses.
#pragma once

// Whether warps need each other's rows.
constexpr bool exchanging = reach_y > 0;
// Planes that a level lags behind: an output needs the reach_z planes that follow it.
constexpr int depth = reach_z > 0 ? reach_z : 1;
constexpr int width = 2 * depth + 1;

constexpr int tile_x = 32 * cells_x;
constexpr int tile_y = exchanging ? warps * cells_y : 1;

__device__ constexpr int rounded_up(int value, int step) {
  return (value + step - 1) / step * step;
}

// Cells beyond the array that a tile at its edge has: zeros that others read, none where the edge is held.
constexpr int margin_x = boundary == Boundary::zero ? rounded_up(reach_x, lanes) : 0;
constexpr int margin_y = boundary == Boundary::zero ? reach_y : 0;
constexpr int margin_z = boundary == Boundary::zero ? reach_z : 0;
// Cells at the array's faces that keep their value.
constexpr int held_x = boundary == Boundary::held ? reach_x : 0;
constexpr int held_y = boundary == Boundary::held ? reach_y : 0;
constexpr int held_z = boundary == Boundary::held ? reach_z : 0;

// How the array is cut for `steps` steps along one axis: tile i begins at i * (tile - 2 * halo) - margin.
template<int tile, int halo, int margin>
struct Cut {
  static_assert(tile > 2 * halo, "the tile is spoilt before the last step");
  static constexpr int stride = tile - 2 * halo;
  __device__ static int count(int extent) {
    const int covered = extent + 2 * margin;
    return covered <= tile ? 1 : (covered - 2 * halo + stride - 1) / stride;
  }
};
template<int steps>
using CutX = Cut<tile_x, rounded_up(steps* reach_x, lanes), margin_x>;
template<int steps>
using CutY = Cut<tile_y, steps * reach_y, margin_y>;

using Cells = Real[cells_y][cells_x];  // the cells of a lane in one plane

constexpr int cells = cells_x * cells_y;
static_assert(cells <= 32, "the flags of a lane's cells are bits of a word");

__device__ __forceinline__ constexpr unsigned bit(int j, int i) {
  return 1u << (j * cells_x + i);
}

constexpr unsigned all_of_row = cells_x == 32 ? ~0u : (1u << cells_x) - 1;

__device__ __forceinline__ void copy(Cells& to, const Cells& from) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
#pragma unroll
    for (int i = 0; i < cells_x; ++i) to[j][i] = from[j][i];
  }
}

__device__ __forceinline__ void clear(Cells& to) {
#pragma unroll
  for (int j = 0; j < cells_y; ++j) {
#pragma unroll
    for (int i = 0; i < cells_x; ++i) to[j][i] = 0;
  }
}

// What a lane knows about its place.
template<int steps>
struct Tile {
  int nz;
  int pitch;  // a row holds fewer than 2^31 cells; 32-bit arithmetic is much cheaper
  long long plane;
  const Real* in;     // the lane's first cell in plane 0; it may lie outside the array
  Real* out;          // likewise
  unsigned inside;    // bit of each cell: it belongs to the array
  unsigned kept;      // bit of each cell: it keeps its value whatever its z, or lies outside
  unsigned stored;    // bit of each cell: this tile completes it
  bool all_inside;    // the array has all cells of the warp, as far as x and y are concerned
  bool whole;         // the lane's rows are stored as a whole or not at all
  bool kept_columns;  // some cells of the warp are kept, or outside, whatever their row
  bool kept_rows;     // some rows of the warp are kept, or outside
  int begin, end;     // planes that the block completes
  int lane, warp;
  bool exists;

  __device__ __forceinline__ Tile(const Real* in_, Real* out_, int nx, int ny, int nz, long long pitch_,
                                  long long plane)
      : nz(nz), pitch(static_cast<int>(pitch_)), plane(plane) {
    lane = static_cast<int>(threadIdx.x);
    warp = static_cast<int>(threadIdx.y);
    const unsigned count_x = static_cast<unsigned>(CutX<steps>::count(nx));
    const unsigned count_y = exchanging ? static_cast<unsigned>(CutY<steps>::count(ny)) : 1;
    const unsigned tile = exchanging ? blockIdx.x : blockIdx.x * warps + static_cast<unsigned>(warp);
    const unsigned index_x = tile % count_x, index_y = tile / count_x % count_y;
    begin = static_cast<int>(tile / count_x / count_y) * chunk;
    exists = begin < nz;
    end = nz - begin < chunk ? nz : begin + chunk;

    const int first_x = static_cast<int>(index_x) * CutX<steps>::stride - margin_x;
    const int first_y = exchanging ? static_cast<int>(index_y) * CutY<steps>::stride - margin_y : 0;
    const int x = first_x + lane * cells_x;
    const int y = exchanging ? first_y + warp * cells_y : 0;
    in = in_ + (static_cast<long long>(y) * pitch + x);
    out = out_ + (static_cast<long long>(y) * pitch + x);
    kept_columns = first_x < held_x || first_x + tile_x > nx - held_x;
    all_inside = first_x >= 0 && first_x + tile_x <= nx && y >= 0 && y + (exchanging ? cells_y : 1) <= ny;
    kept_rows = exchanging && (y < held_y || y + cells_y > ny - held_y);

    constexpr int halo_x = (tile_x - CutX<steps>::stride) / 2;
    const int from_x = index_x == 0 ? 0 : first_x + halo_x;
    const int to_x = index_x + 1 == count_x ? nx : first_x + tile_x - halo_x;
    int from_y = 0, to_y = 1;
    if constexpr (exchanging) {
      constexpr int halo_y = (tile_y - CutY<steps>::stride) / 2;
      from_y = index_y == 0 ? 0 : first_y + halo_y;
      to_y = index_y + 1 == count_y ? ny : first_y + tile_y - halo_y;
    }
    inside = kept = stored = 0;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
#pragma unroll
      for (int i = 0; i < cells_x; ++i) {
        const int cx = x + i, cy = y + j;
        const bool within = cx >= 0 && cx < nx && cy >= 0 && cy < ny;
        const bool inner = cx >= held_x && cx < nx - held_x && cy >= held_y && cy < ny - held_y;
        inside |= within ? bit(j, i) : 0;
        kept |= within && inner ? 0 : bit(j, i);
        stored |= within && cx >= from_x && cx < to_x && cy >= from_y && cy < to_y ? bit(j, i) : 0;
      }
    }
    whole = true;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const unsigned row = stored >> (j * cells_x) & all_of_row;
      whole &= row == 0 || row == all_of_row;
    }
  }

  // Whether all cells of plane z keep their values.
  __device__ __forceinline__ bool kept_plane(int z) const {
    return z < held_z || z >= nz - held_z;
  }

  // Loads a plane from `from`, where the lane's first cell is; all of it lies within the array, or, unless it
  // exists, nothing. It mostly does where this is called: the condition keeps the compiler from loading to
  // registers of its own choice, from which it would move the cells, and wait for them, much too early.
  __device__ __forceinline__ void load_whole(Cells& to, const Real* from, bool exists_plane) const {
    clear(to);
    if (!exists_plane) return;
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
#pragma unroll
      for (int i = 0; i < cells_x; i += lanes)
        load_vector<lanes, Load::readonly>(&to[j][i], from + static_cast<long long>(j) * pitch + i);
    }
  }

  // The same where cells may lie outside the array: these are 0.
  __device__ __forceinline__ void load_inside(Cells& to, const Real* from, bool exists_plane) const {
    constexpr unsigned all_of_access = (1u << lanes) - 1;
    const unsigned loaded = exists_plane ? inside : 0;
    clear(to);
#pragma unroll
    for (int j = 0; j < cells_y; ++j) {
      const Real* row = from + static_cast<long long>(j) * pitch;
#pragma unroll
      for (int i = 0; i < cells_x; i += lanes) {
        const unsigned which = loaded >> (j * cells_x + i) & all_of_access;
        if (which == all_of_access) {
          load_vector<lanes, Load::readonly>(&to[j][i], row + i);
        } else if (which != 0) {
#pragma unroll
          for (int k = 0; k < lanes; ++k) {
            if (which >> k & 1u) to[j][i + k] = row[i + k];
          }
        }
      }
    }
  }

  // Stores what this tile completes of a plane; `to` is where the lane's first cell is.
  __device__ __forceinline__ void store(const Cells& from, Real* to) const {
    if (whole) {
#pragma unroll
      for (int j = 0; j < cells_y; ++j) {
        if (!(stored & bit(j, 0))) continue;
#pragma unroll
        for (int i = 0; i < cells_x; i += lanes)
          store_vector<lanes, store_path>(to + static_cast<long long>(j) * pitch + i, &from[j][i]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < cells_y; ++j) {
#pragma unroll
        for (int i = 0; i < cells_x; ++i) {
          if (stored & bit(j, i)) to[static_cast<long long>(j) * pitch + i] = from[j][i];
        }
      }
    }
  }
};
