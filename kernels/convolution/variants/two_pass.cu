// SPDX-License-Identifier: Apache-2.0
// A separable convolution as two kernels: rows of the image to a scratch image, columns of that to the
// result.
//
// Rows: a block copies ROW_BLOCK_Y segments to shared memory, with the pixels on either side that their sums
// need; a thread sums ROW_PIXELS neighbouring pixels. Columns: a thread sums COLUMN_PIXELS pixels one above
// the other, of as many columns as an access of 16 bytes has, straight from the scratch image, which is
// surrounded by rows of zeros: no load has a guard.

#include "async_copy.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef TAPS
#define TAPS Taps::constant  // immediate (unrolled loops only), constant, or shared (rolled loops only)
#endif
#ifndef UNROLL
#define UNROLL 1  // 1: loops over taps are unrolled; 0: they are loops of some turns
#endif
#ifndef ROW_BLOCK_X
#define ROW_BLOCK_X 64  // rows: threads of a block along x
#endif
#ifndef ROW_BLOCK_Y
#define ROW_BLOCK_Y 4  // rows: threads of a block along y
#endif
#ifndef ROW_PIXELS
#define ROW_PIXELS 8  // rows: neighbouring pixels that a thread computes
#endif
#ifndef STAGED
#define STAGED 1  // rows: 1: results go through shared memory, so that stores are of whole lines
#endif
#ifndef COLUMN_BLOCK_X
#define COLUMN_BLOCK_X 32  // columns: threads of a block along x
#endif
#ifndef COLUMN_BLOCK_Y
#define COLUMN_BLOCK_Y 8  // columns: threads of a block along y
#endif
#ifndef COLUMN_PIXELS
#define COLUMN_PIXELS 16  // columns: pixels one above the other that a thread computes
#endif
#ifndef TURN
#define TURN 1  // rolled loops: groups of 16 bytes of taps that a turn adds
#endif
#ifndef VECTOR
#define VECTOR 4  // pixels of an access to the images
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores of the result
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int vector = VECTOR;
constexpr int row_block_x = ROW_BLOCK_X, row_block_y = ROW_BLOCK_Y, row_pixels = ROW_PIXELS;
constexpr int column_block_x = COLUMN_BLOCK_X, column_block_y = COLUMN_BLOCK_Y;
constexpr int column_pixels = COLUMN_PIXELS, turn = TURN;
constexpr bool unrolled = UNROLL != 0, staged = STAGED != 0;
constexpr Store store_path = STORE;

#include "row_segment.cuh"
#include "tap_sums.cuh"

static_assert(vector * sizeof(Real) <= 16, "an access is of 16 bytes at most");
static_assert(row_pixels % lanes == 0 && column_pixels % lanes == 0, "threads have whole groups of pixels");
static_assert(unrolled ? taps_from != Taps::shared : taps_from != Taps::immediate,
              "TAPS does not fit UNROLL");
static_assert(row_block_x % 32 == 0, "a warp has one row");
static_assert(!staged || row_pixels > lanes, "threads of one access store whole lines as it is");

constexpr int row_skip = lead - radius;
constexpr int row_threads = row_block_x * row_block_y, column_threads = column_block_x * column_block_y;
constexpr int row_tile = row_block_x * row_pixels;
constexpr int row_groups = (row_tile + 2 * lead) / lanes;
constexpr int row_tap_count = sizeof(row_taps) / sizeof(Real);
constexpr int column_tap_count = sizeof(column_taps) / sizeof(Real);

// Groups of a row in shared memory. Threads that read a group each, with an even number of groups from one to
// the next, would meet in a few banks: then every eighth group is followed by a gap.
constexpr bool skewed = row_pixels / lanes % 2 == 0;
__device__ __forceinline__ constexpr int place(int group) {
  return (skewed ? group + group / 8 : group) * lanes;
}
constexpr int row_pitch = place(row_groups);

// The window of a thread's pixels in shared memory.
struct RowWindow {
  const Real* row;
  int first;  // group
  __device__ __forceinline__ void load(int group, Real (&to)[lanes][1]) const {
    Real loaded[lanes];
    load_vector<lanes, Load::shared>(loaded, row + place(first + group));
#pragma unroll
    for (int i = 0; i < lanes; ++i) to[i][0] = loaded[i];
  }
};

// The window of a thread's columns in the scratch image.
struct ColumnWindow {
  const Real* top;
  int pitch;
  __device__ __forceinline__ void load(int group, Real (&to)[lanes][lanes]) const {
#pragma unroll
    for (int i = 0; i < lanes; ++i)
      load_vector<lanes, Load::readonly>(to[i], top + static_cast<long long>(group * lanes + i) * pitch);
  }
};

template<bool ahead, class Sums, class Source>
__device__ __forceinline__ void add_all(Sums& sums, const Source& source, const Real* operands,
                                        const Real* taps) {
  if constexpr (unrolled) {
    sums.template add_exactly<0, Sums::groups>(source, operands);
  } else {
    sums.template add_in_turns<turn, ahead>(source, operands, taps);
  }
}

__device__ __forceinline__ void copy_tile(Real* tile, const Real* in, int x0, int y0, int nx, int ny,
                                          long long pitch) {
  constexpr int words = row_groups * lanes / vector;
  const int y = y0 + threadIdx.y;
  if (y >= ny) return;
  const Real* row = in + y * pitch;
  Real* to = tile + threadIdx.y * row_pitch;
  for (int w = threadIdx.x; w < words; w += row_block_x) {
    const int x = x0 - lead + w * vector;
    copy_pixels<vector>(to + place(w * vector / lanes) + w * vector % lanes, row, x,
                        pixels_present<vector>(x, nx));
  }
}

// `in` points to pixel (0, 0), in_pitch is the distance of neighbouring rows [pixels]; `between` points to
// pixel (0, 0) of the scratch image. A warp stores what its threads have summed.
__device__ __forceinline__ void store_row(Real* row, Real* staging, int x0, int nx,
                                          const Real (&sums)[row_pixels][1]) {
  Real mine[row_pixels];
#pragma unroll
  for (int p = 0; p < row_pixels; ++p) mine[p] = sums[p][0];
  const int group = threadIdx.x * (row_pixels / lanes);
  if constexpr (staged) {
#pragma unroll
    for (int i = 0; i < row_pixels; i += lanes)
      store_vector<lanes, Store::plain>(staging + place(group + i / lanes), mine + i);
    __syncwarp();
    const int first = threadIdx.x / 32 * 32 * (row_pixels / lanes) + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < row_pixels / lanes; ++i) {
      Real loaded[lanes];
      load_vector<lanes, Load::shared>(loaded, staging + place(first + 32 * i));
      const int x = x0 + (first + 32 * i) * lanes;
      if (x < nx) store_vector<lanes, Store::plain>(row + x, loaded);
    }
  } else {
#pragma unroll
    for (int i = 0; i < row_pixels; i += lanes) {
      const int x = x0 + group * lanes + i;
      if (x < nx) store_vector<lanes, Store::plain>(row + x, mine + i);
    }
  }
}

// Grid: ceil(nx / row_tile) * ceil(ny / row_block_y) blocks along x. Dynamic shared memory: row_block_y *
// row_pitch pixels and, for Taps::shared, row_tap_count.
extern "C" __global__ void __launch_bounds__(row_threads, MIN_BLOCKS)
    convolve_rows(const Real* __restrict__ in, Real* __restrict__ between, int nx, int ny, long long pitch,
                  int between_pitch) {
  Real* tile = reinterpret_cast<Real*>(shared_bytes);
  const int across = (nx + row_tile - 1) / row_tile;
  const int x0 = blockIdx.x % across * row_tile, y0 = blockIdx.x / across * row_block_y;
  copy_tile(tile, in, x0, y0, nx, ny, pitch);
  commit_async();
  const Real* taps = place_taps(tile + row_block_y * row_pitch, row_taps, row_tap_count,
                                threadIdx.y * row_block_x + threadIdx.x, row_threads);
  wait_async<0>();
  __syncthreads();
  const int y = y0 + threadIdx.y;
  Real* row = tile + threadIdx.y * row_pitch;
  TapSums<row_pixels, 1, row_skip> sums;
  if (y < ny) {
    const RowWindow window{row, static_cast<int>(threadIdx.x) * (row_pixels / lanes)};
    add_all<false>(sums, window, row_taps, taps);
  }
  if constexpr (staged) __syncthreads();
  if (y < ny) store_row(between + static_cast<long long>(y) * between_pitch, row, x0, nx, sums.of);
}

// Grid: ceil(nx / (column_block_x * lanes)) * ceil(ny / (column_block_y * column_pixels)) blocks along x.
// Dynamic shared memory: for Taps::shared, all column_taps.
extern "C" __global__ void __launch_bounds__(column_threads, MIN_BLOCKS)
    convolve_columns(const Real* __restrict__ between, Real* __restrict__ out, int nx, int ny,
                     int between_pitch, long long pitch) {
  constexpr int tile_x = column_block_x * lanes, tile_y = column_block_y * column_pixels;
  const int across = (nx + tile_x - 1) / tile_x;
  const int x = blockIdx.x % across * tile_x + threadIdx.x * lanes;
  const int y = blockIdx.x / across * tile_y + threadIdx.y * column_pixels;
  const Real* taps = place_taps(reinterpret_cast<Real*>(shared_bytes), column_taps, column_tap_count,
                                threadIdx.y * column_block_x + threadIdx.x, column_threads);
  if (x >= nx || y >= ny) return;
  TapSums<column_pixels, lanes, 0> sums;
  const ColumnWindow window{between + (static_cast<long long>(y) - radius) * between_pitch + x,
                            between_pitch};
  add_all<true>(sums, window, column_taps, taps);
#pragma unroll
  for (int p = 0; p < column_pixels; ++p)
    if (y + p < ny) store_pixels<lanes, vector, store_path>(out + (y + p) * pitch, x, nx, sums.of[p]);
}
