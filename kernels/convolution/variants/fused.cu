// SPDX-License-Identifier: Apache-2.0
// A separable convolution in one kernel, for small radii: nothing lies between the passes but registers.
//
// A warp marches down a strip of 32 * PIXELS_X columns. Rows of the image come to its own ring in shared
// memory by asynchronous copies, some steps ahead; each lane sums PIXELS_X neighbouring pixels along x and
// adds them to the sums of the 2 radius + 1 results of its columns that the row concerns. Those lie in
// registers, and move up by one with each row, which costs nothing: an addition has another target than
// source. Warps share nothing, so that there is no barrier of a block.

#include "async_copy.cuh"
#include "vectors.cuh"

// ---- defaults ----
#ifndef REAL
#define REAL float  // type of a pixel: float or double
#endif
#ifndef TAPS
#define TAPS Taps::constant  // immediate or constant
#endif
#ifndef THREADS
#define THREADS 64  // threads of a block, each warp of which has a strip of its own
#endif
#ifndef PIXELS_X
#define PIXELS_X 4  // neighbouring pixels that a thread computes, at most 16 bytes
#endif
#ifndef CHUNK
#define CHUNK 256  // rows of results of a block
#endif
#ifndef STEP
#define STEP 1  // rows that a turn of the loop takes
#endif
#ifndef AHEAD
#define AHEAD 1  // 1: a row is read from shared memory before the row before is added to the results
#endif
#ifndef CHAINS
#define CHAINS 1  // sums along x are of so many partial sums, 1 or 2, which do not wait for each other
#endif
#ifndef STAGES
#define STAGES 4  // steps in shared memory
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

#include "convolution_taps.cuh"  // generated: radius, row_taps, column_taps

using Real = REAL;
constexpr int threads = THREADS, pixels = PIXELS_X, chunk = CHUNK, step_rows = STEP, stages = STAGES;
constexpr int vector = VECTOR;
constexpr bool ahead = AHEAD != 0;
constexpr int chains = CHAINS;
constexpr int store_width = vector <= pixels ? vector : pixels;
constexpr Store store_path = STORE;

#include "row_segment.cuh"
#include "tap_sums.cuh"

static_assert(vector * sizeof(Real) <= 16, "an access is of 16 bytes at most");
static_assert(pixels <= lanes && threads % 32 == 0 && stages >= 2, "not a march");
static_assert(chains == 1 || chains == 2, "CHAINS is 1 or 2");

constexpr int strip = 32 * pixels;
constexpr int row_length = strip + 2 * lead;
constexpr int row_words = row_length / vector;
constexpr int lane_words = (row_words + 31) / 32;
constexpr int skip = lead - radius;

// The copies of a lane: the same places of each row.
class RowCopies {
 public:
  __device__ __forceinline__ RowCopies(const Real* in, int x0, int nx, int ny, long long pitch)
      : in_(in), first_(x0 - lead), nx_(nx), ny_(ny), pitch_(pitch) {}

  // Rows y to y + step_rows, to a stage of the ring.
  __device__ __forceinline__ void issue(Real* stage, int y) const {
#pragma unroll
    for (int r = 0; r < step_rows; ++r) {
      const bool there = static_cast<unsigned>(y + r) < static_cast<unsigned>(ny_);
      const Real* row = in_ + (there ? y + r : 0) * pitch_;
#pragma unroll
      for (int i = 0; i < lane_words; ++i) {
        const int word = threadIdx.x % 32 + 32 * i;
        const int x = first_ + word * vector;
        if (word < row_words)
          copy_pixels<vector>(stage + r * row_length + word * vector, row, x,
                              there ? pixels_present<vector>(x, nx_) : 0);
      }
    }
    commit_async();
  }

 private:
  const Real* in_;
  int first_, nx_, ny_;
  long long pitch_;
};

// What a lane's sums along x need of a row, in registers.
struct RowWindow {
  static constexpr int begin = skip / pixels * pixels;  // in whole accesses
  static constexpr int elements = (pixels + 2 * radius + skip + pixels - 1) / pixels * pixels - begin;
  Real x[elements];

  __device__ __forceinline__ void load(const Real* row) {
#pragma unroll
    for (int e = 0; e < elements; e += pixels) load_vector<pixels, Load::shared>(x + e, row + begin + e);
  }
  __device__ __forceinline__ void sum(Real (&sums)[pixels]) const {
    Real partial[chains][pixels] = {};
#pragma unroll
    for (int e = 0; e < elements; ++e)
#pragma unroll
      for (int p = 0; p < pixels; ++p) {
        const int k = begin + e - p - skip;
        if (k >= 0 && k <= 2 * radius) partial[e % chains][p] += row_taps[k + skip] * x[e];
      }
#pragma unroll
    for (int p = 0; p < pixels; ++p)
      sums[p] = chains == 2 ? partial[0][p] + partial[chains - 1][p] : partial[0][p];
  }
};

// Results that later rows still concern: [k] is that of the row which the k-th row from now completes.
struct ColumnSums {
  Real of[2 * radius][pixels] = {};

  // Adds a row, gives the results that it completes.
  __device__ __forceinline__ void add(const Real (&row)[pixels], Real (&done)[pixels]) {
#pragma unroll
    for (int p = 0; p < pixels; ++p) done[p] = of[0][p] + column_taps[2 * radius] * row[p];
#pragma unroll
    for (int k = 0; k < 2 * radius; ++k)
#pragma unroll
      for (int p = 0; p < pixels; ++p) {
        const Real tap = column_taps[2 * radius - 1 - k];
        of[k][p] = k + 1 < 2 * radius ? of[k + 1][p] + tap * row[p] : tap * row[p];
      }
  }
};

// Both images begin at pixel (0, 0), pitch is the distance of neighbouring rows [pixels]. Grid: ceil(nx /
// (strip * warps of a block)) * ceil(ny / chunk) blocks along x. Dynamic shared memory: for each warp stages
// * step_rows * row_length pixels.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    convolve_fused(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, long long pitch) {
  constexpr int block_strip = strip * (threads / 32), stage_length = step_rows * row_length;
  const int across = (nx + block_strip - 1) / block_strip;
  const int x0 = blockIdx.x % across * block_strip + threadIdx.x / 32 * strip;
  const int begin = blockIdx.x / across * chunk;
  const int end = ny - begin < chunk ? ny : begin + chunk;
  if (x0 >= nx) return;
  Real* ring = reinterpret_cast<Real*>(shared_bytes) + threadIdx.x / 32 * (stages * stage_length);
  const RowCopies copies(in, x0, nx, ny, pitch);
  const int lane_x = threadIdx.x % 32 * pixels;
  const int first = begin - radius, last = end + radius;
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) copies.issue(ring + s * stage_length, first + s * step_rows);
  ColumnSums columns;
  RowWindow window;
  int stage = stages - 1;
  // The rows from y on have arrived, and all lanes have read those before: their place is for rows to come.
  const auto next_stage = [&](int y) {
    wait_async<stages - 2>();
    __syncwarp();
    copies.issue(ring + stage * stage_length, y + (stages - 1) * step_rows);
    stage = stage + 1 == stages ? 0 : stage + 1;
  };
  const auto lane_row = [&](int r) { return ring + stage * stage_length + r * row_length + lane_x; };
  if constexpr (ahead) {
    next_stage(first);
    window.load(lane_row(0));
  }
#pragma unroll 1
  for (int y = first; y < last; y += step_rows) {
    if constexpr (!ahead) next_stage(y);
#pragma unroll
    for (int r = 0; r < step_rows; ++r) {
      Real sums[pixels], done[pixels];
      if constexpr (!ahead) window.load(lane_row(r));
      window.sum(sums);
      if constexpr (ahead) {
        if (r + 1 == step_rows) next_stage(y + step_rows);
        window.load(lane_row((r + 1) % step_rows));
      }
      columns.add(sums, done);
      const int row = y + r - radius;
      if (row >= begin && row < end)
        store_pixels<pixels, store_width, store_path>(out + row * pitch, x0 + lane_x, nx, done);
    }
  }
}
