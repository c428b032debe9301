// SPDX-License-Identifier: Apache-2.0
// A block's tile of the array in shared memory, and what comes into it.
// A part of persistent_shared.cu, whose constants it uses.
#pragma once

struct Triple {
  int v[3];
};

// The array is cut into bricks of lanes x cells_y x cells_z cells and these into tiles whose numbers of
// bricks along an axis differ by one at most. A tile in shared memory is surrounded by its halo; room is for
// the largest tile. Its cells are counted from its first one; those beyond the array are zeros and stay it.
struct Tile {
  int first[3];      // its first cell in the array
  int extent[3];     // cells, whole bricks
  int array[3];      // the array's
  int pitch, plane;  // in shared memory: distances of neighbouring rows and planes [cells]
  long long global_pitch, global_plane;
  bool inside;  // its cells all exist and are computed, none is held

  __device__ __forceinline__ Tile(Triple n, Triple tiles, long long pitch_of_array, long long plane_of_array)
      : global_pitch(pitch_of_array), global_plane(plane_of_array) {
    constexpr int brick[3] = {lanes, cells_y, cells_z}, reach[3] = {reach_x, reach_y, reach_z};
    int rest = static_cast<int>(blockIdx.x), most[3];
    inside = true;
    for (int a = 0; a < 3; ++a) {
      const int tile = rest % tiles.v[a], bricks = (n.v[a] + brick[a] - 1) / brick[a];
      rest /= tiles.v[a];
      const long long begin = static_cast<long long>(bricks) * tile / tiles.v[a];
      const long long end = static_cast<long long>(bricks) * (tile + 1) / tiles.v[a];
      first[a] = static_cast<int>(begin) * brick[a];
      extent[a] = static_cast<int>(end - begin) * brick[a];
      most[a] = (bricks + tiles.v[a] - 1) / tiles.v[a] * brick[a];
      array[a] = n.v[a];
      const int held = zero ? 0 : reach[a];
      inside = inside && first[a] >= held && first[a] + extent[a] <= n.v[a] - held;
    }
    pitch = most[0] + 2 * lead;
    plane = pitch * (most[1] + 2 * reach_y);
  }

  // Where a cell lies in shared memory, from the tile's place there.
  __device__ __forceinline__ int at(int x, int y, int z) const {
    return (z + reach_z) * plane + (y + reach_y) * pitch + lead + x;
  }
  __device__ __forceinline__ long long global(int x, int y, int z) const {
    return (first[2] + z) * global_plane + (first[1] + y) * global_pitch + first[0] + x;
  }

  __device__ __forceinline__ bool exists(int x, int y, int z) const {
    return below(first[0] + x, array[0]) && below(first[1] + y, array[1]) && below(first[2] + z, array[2]);
  }
  // Whether a step changes the cell.
  __device__ __forceinline__ bool computes(int x, int y, int z) const {
    constexpr int held_x = zero ? 0 : reach_x, held_y = zero ? 0 : reach_y, held_z = zero ? 0 : reach_z;
    x += first[0], y += first[1], z += first[2];
    return x >= held_x && x < array[0] - held_x && y >= held_y && y < array[1] - held_y && z >= held_z &&
           z < array[2] - held_z;
  }
  // Whether it changes all cells of a vector.
  __device__ __forceinline__ bool computes_all(int x, int y, int z) const {
    return inside || (computes(x, y, z) && computes(x + lanes - 1, y, z));
  }
  // Whether a neighbour needs one of the vector's cells.
  __device__ __forceinline__ bool is_face(int x, int y, int z) const {
    return x < reach_x || x + lanes > extent[0] - reach_x || y < reach_y || y >= extent[1] - reach_y ||
           z < reach_z || z >= extent[2] - reach_z;
  }
};

// A vector from global memory to the tile at `place`; zeros where the array has no cells.
__device__ __forceinline__ void bring(const Tile& tile, const Real* global, Real* place, int x, int y,
                                      int z) {
  Real cells[lanes];
  if (tile.exists(x, y, z)) {
    load_vector<lanes, Load::ordinary>(cells, global + tile.global(x, y, z));
#pragma unroll
    for (int i = 1; i < lanes; ++i) {
      if (tile.first[0] + x + i >= tile.array[0]) cells[i] = 0;
    }
  } else {
#pragma unroll
    for (int i = 0; i < lanes; ++i) cells[i] = 0;
  }
  store_vector<lanes, Store::plain>(place + tile.at(x, y, z), cells);
}

// A box of the tile's cells or its halo's, by all threads of the block: from lowest to below end.
__device__ __forceinline__ void bring_box(const Tile& tile, const Real* global, Real* place, Triple lowest,
                                          Triple end) {
  const int height = end.v[1] - lowest.v[1];
  const int rows = height * (end.v[2] - lowest.v[2]);
  const int row_threads = block_y * block_z;
  for (int row = static_cast<int>(threadIdx.z * block_y + threadIdx.y); row < rows; row += row_threads)
    for (int x = lowest.v[0] + static_cast<int>(threadIdx.x) * lanes; x < end.v[0]; x += block_x * lanes)
      bring(tile, global, place, x, lowest.v[1] + row % height, lowest.v[2] + row / height);
}

// How far the halo goes at the edges of the tile: a star needs faces only.
constexpr int edge_x = star ? 0 : lead, edge_y = star ? 0 : reach_y;

__device__ __forceinline__ void load_halo(const Tile& tile, const Real* global, Real* place) {
  const int nx = tile.extent[0], ny = tile.extent[1], nz = tile.extent[2];
  if constexpr (reach_z > 0) {
    bring_box(tile, global, place, {-edge_x, -edge_y, -reach_z}, {nx + edge_x, ny + edge_y, 0});
    bring_box(tile, global, place, {-edge_x, -edge_y, nz}, {nx + edge_x, ny + edge_y, nz + reach_z});
  }
  if constexpr (reach_y > 0) {
    bring_box(tile, global, place, {-edge_x, -reach_y, 0}, {nx + edge_x, 0, nz});
    bring_box(tile, global, place, {-edge_x, ny, 0}, {nx + edge_x, ny + reach_y, nz});
  }
  if constexpr (reach_x > 0) {
    // Few vectors of many rows: threads of x take rows too.
    const int rows = ny * nz, vectors = rows * 2 * halo_vectors;
    const int thread = static_cast<int>((threadIdx.z * block_y + threadIdx.y) * block_x + threadIdx.x);
    for (int i = thread; i < vectors; i += threads) {
      const int row = i / (2 * halo_vectors), v = i % (2 * halo_vectors);
      const int x = v < halo_vectors ? v * lanes - lead : nx + (v - halo_vectors) * lanes;
      bring(tile, global, place, x, row % ny, row / ny);
    }
  }
}

__device__ __forceinline__ void load_all(const Tile& tile, const Real* global, Real* place) {
  bring_box(tile, global, place, {0, 0, 0}, {tile.extent[0], tile.extent[1], tile.extent[2]});
  load_halo(tile, global, place);
}
