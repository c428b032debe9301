// SPDX-License-Identifier: Apache-2.0
// The tiles of `tensor` in shared memory: how they are copied there and how lanes read their fragments.
//
// Copies write chunks of 16 bytes. Of a row of the left tile, lane 4 g + t reads 8 bytes (`pair` elements) at
// t * 8 of 32: neighbouring terms k. Of a row of the right tile it reads the chunk g of eight: neighbouring
// columns. So k is permuted within 4 * pair terms, the same way for both, and the columns of the result
// within 8 * chunk: fragment j of `chunk` ones has the columns chunk * 0 + j, chunk * 1 + j, ...
//
//   left, a row m:   | t = 0 | 1 | 2 | 3 |     lane t: terms pair * t + e
//   right, a row k:  | chunk 0 | chunk 1 | ... | chunk 7 |     lane g: columns chunk * g + j
//
// Lanes that are served together are to hit all 32 banks: sixteen lanes with four g and all t of the left
// tile, whose 32 bytes change places with others of the row by the row's number; eight lanes with two g and
// all t of the right tile, whose chunks change places by 2 * (k / pair % 4), which is 2 t.
#pragma once

constexpr int chunk = 16 / static_cast<int>(sizeof(Real)), pair = chunk / 2;
constexpr int threads = 32 * (block_m / warp_m) * (block_n / warp_n);
constexpr bool wide_rows = block_k / chunk >= 8;  // of the left tile: 128 bytes and more; else 64
constexpr int left_elements = block_m * block_k, stage_elements = left_elements + block_k * block_n;

// Offset of an element in a tile.
__device__ __forceinline__ int left_offset(int row, int column) {
  const int place = (column / chunk) ^ (2 * (wide_rows ? row % 4 : row / 2 % 2));
  return row * block_k + place * chunk + column % chunk;
}
__device__ __forceinline__ int right_offset(int row, int column) {
  const int place = (column / chunk) ^ (2 * (row / pair % 4));
  return row * block_n + place * chunk + column % chunk;
}

// The part of a matrix that a block reads, and what of it exists.
struct Panel {
  const Real* first;  // its first element
  long long pitch;    // elements between rows
  int rows, columns;  // that exist; may be more than the tile has
};

// Copies this thread's vectors of a tile of `tile_rows` x `tile_columns` elements; what does not exist
// becomes zeros. whole: all of it exists.
template<int tile_rows, int tile_columns, bool left, bool whole>
__device__ __forceinline__ void copy_tile(Real* tile, const Panel& from) {
  constexpr int row_vectors = tile_columns / vector, step = threads / row_vectors;
  constexpr int bytes = vector * static_cast<int>(sizeof(Real));
  static_assert(threads % row_vectors == 0 && tile_rows % step == 0, "every thread copies as much");
  // Swizzles repeat after so many rows, or so many steps: what lies further is a constant away.
  constexpr int period = left ? 4 : 4 * pair, places = period > step ? period / step : 1;
  const int first_row = static_cast<int>(threadIdx.x) / row_vectors;
  const int column = static_cast<int>(threadIdx.x) % row_vectors * vector;
  const Real* const first = from.first + first_row * from.pitch + column;
#pragma unroll
  for (int i = 0; i < tile_rows / step; ++i) {
    const int row = first_row + i * step, place_row = first_row + i % places * step;
    Real* const to = tile + (left ? left_offset(place_row, column) : right_offset(place_row, column)) +
                     (i - i % places) * step * tile_columns;
    if constexpr (whole) {
      copy_async<bytes>(to, first + i * step * from.pitch);
    } else {
      const int present = row < from.rows ? min(max(from.columns - column, 0), vector) : 0;
      const Real* const source = present > 0 ? first + i * step * from.pitch : from.first;
      copy_async_part<bytes>(to, source, present * static_cast<int>(sizeof(Real)));
    }
  }
}

// What a lane multiplies at a turn: for each of `turn` / 4 terms, two rows of every fragment of 16 rows and a
// column of every fragment of 8 columns.
struct Fragments {
  Real left[fragments_m][2][turn / 4];
  Real right[turn / 4][fragments_n];
};

// Where a lane reads its fragments in the tiles of a stage: offsets of what it reads first.
struct LanePlace {
  int left, right;
};

__device__ __forceinline__ LanePlace lane_place(int lane, int warp_row, int warp_column) {
  const int g = lane / 4, t = lane % 4;
  return {left_offset(warp_row + g, t * pair),
          left_elements + right_offset(t * pair, g * chunk) + warp_column};
}

// The fragments of turn `number` of a stage.
__device__ __forceinline__ void load_fragments(Fragments& to, const Real* stage, const LanePlace& lane,
                                               int number) {
  constexpr int parts = turn / (4 * pair);
#pragma unroll
  for (int part = 0; part < parts; ++part) {
    // The 32 bytes of a row with this number: four of them change places among each other.
    const int unit = number * parts + part;
    const Real* const left = stage + (lane.left ^ (unit % 4 * (4 * pair))) + unit / 4 * (16 * pair);
    const Real* const right = stage + lane.right + unit * (4 * pair * block_n);
#pragma unroll
    for (int i = 0; i < fragments_m; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        load_vector<pair, Load::shared>(&to.left[i][h][part * pair], left + (16 * i + 8 * h) * block_k);
#pragma unroll
    for (int e = 0; e < pair; ++e)
#pragma unroll
      for (int j = 0; j < fragments_n; j += chunk)
        load_vector<chunk, Load::shared>(&to.right[part * pair + e][j], right + e * block_n + 8 * j);
  }
}
