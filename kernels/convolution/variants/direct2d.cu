// SPDX-License-Identifier: Apache-2.0
// A separable convolution as if it were none: (2 radius + 1)^2 taps in one pass. A block copies a tile with
// all the pixels around it to shared memory; a thread sums an access of 16 bytes of PIXELS_Y rows, and reads
// each row of its window once.

#include "async_copy.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef TAPS
#define TAPS Taps::constant  // immediate (unrolled only) or constant
#endif
#ifndef UNROLL
#define UNROLL 1  // 1: the loop over rows of the window is unrolled; 0: it is a loop
#endif
#ifndef BLOCK_X
#define BLOCK_X 32  // threads of a block along x
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4  // threads of a block along y
#endif
#ifndef PIXELS_Y
#define PIXELS_Y 2  // pixels one above the other that a thread computes
#endif
#ifndef VECTOR
#define VECTOR 4  // pixels of an access to the images
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
// ---- end of defaults ----

#include "convolution_taps.cuh"  // generated: radius, product_taps

using Real = REAL;
enum class Taps { immediate, constant, shared };
constexpr Taps taps_from = TAPS;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y, pixels_y = PIXELS_Y, vector = VECTOR;
constexpr bool unrolled = UNROLL != 0;
constexpr Store store_path = STORE;

#include "row_segment.cuh"

static_assert(unrolled || taps_from == Taps::constant, "a loop reads its taps from constant memory");

constexpr int threads = block_x * block_y, width = 2 * radius + 1;
constexpr int tile_x = block_x * lanes, tile_y = block_y * pixels_y;
constexpr int tile_pitch = tile_x + 2 * lead, tile_rows = tile_y + 2 * radius;

__device__ __forceinline__ void copy_tile(Real* tile, const Real* in, int x0, int y0, int nx, int ny,
                                          long long pitch) {
  constexpr int words = tile_pitch / vector;
  for (int r = threadIdx.y; r < tile_rows; r += block_y) {
    const int y = y0 - radius + r;
    const bool there = y >= 0 && y < ny;
    const Real* row = in + (there ? y : 0) * pitch;
    for (int w = threadIdx.x; w < words; w += block_x) {
      const int x = x0 - lead + w * vector;
      copy_pixels<vector>(tile + r * tile_pitch + w * vector, row, x,
                          there ? pixels_present<vector>(x, nx) : 0);
    }
  }
}

// Row r of a thread's window: what it adds to each of the rows of results that it concerns.
__device__ __forceinline__ void add_row(Real (&sums)[pixels_y][lanes], const Real* row, int r) {
  constexpr int skip = lead - radius;
  Real x[lanes + 2 * lead];
#pragma unroll
  for (int i = 0; i < lanes + 2 * lead; i += lanes) load_vector<lanes, Load::shared>(x + i, row + i);
#pragma unroll
  for (int p = 0; p < pixels_y; ++p) {
    const int k = r - p;
    if (k < 0 || k >= width) continue;
#pragma unroll
    for (int i = 0; i < width; ++i)
#pragma unroll
      for (int v = 0; v < lanes; ++v) sums[p][v] += product_taps[k * width + i] * x[v + i + skip];
  }
}

// Grid: ceil(nx / tile_x) * ceil(ny / tile_y) blocks along x. Dynamic shared memory: tile_rows * tile_pitch
// pixels.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    convolve_direct(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, long long pitch) {
  Real* tile = reinterpret_cast<Real*>(shared_bytes);
  const int across = (nx + tile_x - 1) / tile_x;
  const int x0 = blockIdx.x % across * tile_x, y0 = blockIdx.x / across * tile_y;
  copy_tile(tile, in, x0, y0, nx, ny, pitch);
  commit_async();
  wait_async<0>();
  __syncthreads();
  const Real* window = tile + threadIdx.y * pixels_y * tile_pitch + threadIdx.x * lanes;
  Real sums[pixels_y][lanes] = {};
  if constexpr (unrolled) {
#pragma unroll
    for (int r = 0; r < pixels_y + 2 * radius; ++r) add_row(sums, window + r * tile_pitch, r);
  } else {
#pragma unroll 1
    for (int r = 0; r < pixels_y + 2 * radius; ++r) add_row(sums, window + r * tile_pitch, r);
  }
  const int x = x0 + threadIdx.x * lanes, y = y0 + threadIdx.y * pixels_y;
#pragma unroll
  for (int p = 0; p < pixels_y; ++p)
    if (x < nx && y + p < ny) store_pixels<lanes, vector, store_path>(out + (y + p) * pitch, x, nx, sums[p]);
}
