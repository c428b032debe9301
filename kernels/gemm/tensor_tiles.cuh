// SPDX-License-Identifier: Apache-2.0
// The tiles of `tensor` in shared memory: how they are copied there and how lanes read their fragments.
//
// A tile is made of chunks of 16 bytes (`chunk` elements), which copies write and lanes read whole: lane 4 g
// + t reads the chunk t of four that hold neighbouring terms k of a row of the left tile, and the chunk g of
// eight that hold neighbouring columns of a row of the right one. So k is permuted within 4 * chunk terms,
// the same way for both, and the columns of the result within 8 * chunk: fragment j of `chunk` ones has the
// columns chunk * 0 + j, chunk * 1 + j, ...
//
//   left, a row m:    | chunk 0 | chunk 1 | chunk 2 | chunk 3 |    lane t: terms chunk * t + e
//   right, a row k:   | chunk 0 | chunk 1 | ...     | chunk 7 |    lane g: columns chunk * g + j
//
// Eight lanes that are served together have two g and four t. They are to hit 8 different groups of four
// banks: where a row of the left tile has at least 128 bytes, chunks of odd rows change places by 4; those of
// a row k of the right tile change places by 2 * (k / chunk % 4), which is 2 t.
#pragma once

constexpr int chunk = 16 / static_cast<int>(sizeof(Real));
constexpr int threads = 32 * (block_m / warp_m) * (block_n / warp_n);
constexpr bool wide_rows = block_k / chunk >= 8;  // of the left tile: 128 bytes and more
constexpr int left_elements = block_m * block_k, stage_elements = left_elements + block_k * block_n;

// Offset of an element in a tile; `column` is any column of the chunk's when the chunk is meant.
__device__ __forceinline__ int left_offset(int row, int column) {
  const int place = wide_rows ? (column / chunk) ^ (4 * (row & 1)) : column / chunk;
  return row * block_k + place * chunk + column % chunk;
}
__device__ __forceinline__ int right_offset(int row, int column) {
  const int place = (column / chunk) ^ (2 * (row / chunk % 4));
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
  constexpr int period = left ? (wide_rows ? 2 : 1) : 4 * chunk, places = period > step ? period / step : 1;
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
  int left[2];  // of groups of four chunks with an even and with an odd number
  int right;
};

__device__ __forceinline__ LanePlace lane_place(int lane, int warp_row, int warp_column) {
  const int g = lane / 4, t = lane % 4;
  const int row = warp_row + g;
  return {{left_offset(row, t * chunk), wide_rows ? left_offset(row, (4 + t) * chunk) : 0},
          left_elements + right_offset(t * chunk, g * chunk) + warp_column};
}

// The fragments of turn `number` of a stage.
__device__ __forceinline__ void load_fragments(Fragments& to, const Real* stage, const LanePlace& lane,
                                               int number) {
#pragma unroll
  for (int part = 0; part < turn / 4 / chunk; ++part) {
    const int four = number * (turn / 4 / chunk) + part;  // of the slab's groups of four chunks
    const Real* const left =
        stage + (wide_rows ? lane.left[four % 2] + four / 2 * (8 * chunk) : lane.left[0]);
    const Real* const right = stage + lane.right + four * (4 * chunk * block_n);
#pragma unroll
    for (int i = 0; i < fragments_m; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        load_vector<chunk, Load::shared>(&to.left[i][h][part * chunk], left + (16 * i + 8 * h) * block_k);
#pragma unroll
    for (int e = 0; e < chunk; ++e)
#pragma unroll
      for (int j = 0; j < fragments_n; j += chunk)
        load_vector<chunk, Load::shared>(&to.right[part * chunk + e][j], right + e * block_n + 8 * j);
  }
}
