// SPDX-License-Identifier: Apache-2.0
// A block copies the box of the image that its tile comes from to shared memory, and interpolates there.

#include "async_copy.cuh"
#include "pixels.cuh"
#include "tensor_copy.cuh"

// ---- defaults ----
#ifndef PIXEL
#define PIXEL unsigned char  // type of a pixel: unsigned char, unsigned short, float or uchar4
#endif
#ifndef BORDER
#define BORDER Border::zero  // what lies around the image: zero, clamp or wrap
#endif
#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef WARP_X
#define WARP_X 8  // lanes of a warp along x
#endif
#ifndef WARPS_X
#define WARPS_X 2  // warps of a block along x
#endif
#ifndef PIXELS
#define PIXELS 1  // neighbouring pixels of a thread along x
#endif
#ifndef ROWS
#define ROWS 1  // pixels of a thread along y
#endif
#ifndef GROUP
#define GROUP 1  // rows of tiles that blocks go through column by column
#endif
#ifndef STREAMING
#define STREAMING 0  // stores that are evicted first
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on an SM; limits the registers accordingly
#endif
#ifndef COPY
#define COPY Copy::async  // how the box comes to shared memory: threads, async or engine
#endif
#ifndef USES_ENGINE
#define USES_ENGINE 0  // 1 with Copy::engine
#endif
#ifndef WRITE
#define WRITE Write::direct  // how a thread's pixels are written: direct or shared
#endif
#ifndef ARITHMETIC
#define ARITHMETIC Arithmetic::single  // what is interpolated with: single, or half for uchar4
#endif
#ifndef BOX_PITCH
#define BOX_PITCH 192  // pixels of a row of the box in shared memory, a multiple of 16 bytes
#endif
// ---- end of defaults ----

using Pixel = PIXEL;
constexpr Border border = BORDER;
constexpr Arithmetic arithmetic = ARITHMETIC;
constexpr Copy copy = COPY;
using Layout = Threads<BLOCK, WARP_X, WARPS_X, PIXELS, ROWS, WRITE>;
constexpr int threads = BLOCK;
constexpr int piece = 16 / static_cast<int>(sizeof(Pixel));  // pixels of 16 bytes

// The box of a tile in the image. It begins at 16 bytes.
constexpr int box_pitch = BOX_PITCH;
struct Box {
  int x, y;
  int rows;
};

// The least place of a tile's corners along an axis, in whole pixels from its own place.
__device__ __forceinline__ int least_of(int fraction, int step_x, int step_y) {
  return (fraction + min(step_x * (Layout::tile_x - 1), 0) + min(step_y * (Layout::tile_y - 1), 0)) >>
         fraction_bits;
}

// Copies the box by elements: pixels around the image have the values of the border.
__device__ __forceinline__ void copy_border(Pixel* box, const Pixel* in, const Turn& turn, const Box& at) {
  for (int i = static_cast<int>(threadIdx.x); i < box_pitch * at.rows; i += threads) {
    const int x = inside<border>(at.x + i % box_pitch, turn.nx),
              y = inside<border>(at.y + i / box_pitch, turn.ny);
    box[i] = x < 0 || y < 0 ? Pixel{} : __ldg(in + static_cast<long long>(y) * turn.pitch + x);
  }
}

// Copies the box, which lies in the image.
__device__ __forceinline__ void copy_inside(Pixel* box, const Pixel* in, const Turn& turn, const Box& at) {
  const Pixel* const from = in + static_cast<long long>(at.y) * turn.pitch + at.x;
  const int pieces = box_pitch / piece;
  for (int i = static_cast<int>(threadIdx.x); i < pieces * at.rows; i += threads) {
    const int row = i / pieces, column = (i - row * pieces) * piece;
    const Pixel* const source = from + static_cast<long long>(row) * turn.pitch + column;
    Pixel* const to = box + row * box_pitch + column;
    if constexpr (copy == Copy::async) {
      copy_async<16>(to, source);
    } else {
      *reinterpret_cast<uint4*>(to) = __ldg(reinterpret_cast<const uint4*>(source));
    }
  }
  if constexpr (copy == Copy::async) {
    commit_async();
    wait_async<0>();
  }
}

// `box_rows`: rows of the box in shared memory.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) rotate_tile(
#if USES_ENGINE
    const __grid_constant__ TensorMap map,
#endif
    const Pixel* __restrict__ in, Pixel* __restrict__ out, Turn turn, int box_rows) {
  extern __shared__ __align__(128) unsigned char shared[];
  Pixel* const box = reinterpret_cast<Pixel*>(shared);
  const Kept keep = kept_numbers<arithmetic>(turn.nx);
  const Tile tile = tile_of_block<Layout::tile_x, Layout::tile_y, GROUP>(turn.nx, turn.ny);
  const Place place = place_of_tile(turn, tile);
  const int cosine = step_of(turn.cosine), sine = step_of(turn.sine);
  const int first = place.x + least_of(place.fraction_x, cosine, -sine);
  const Box at{first - (first & (piece - 1)), place.y + least_of(place.fraction_y, sine, cosine), box_rows};
  const bool whole = at.x >= 0 && at.y >= 0 && at.x + box_pitch <= turn.nx && at.y + at.rows <= turn.ny;
#if USES_ENGINE
  __shared__ AsyncBarrier full;
  const bool engine = whole || border == Border::zero;  // the engine writes zeros
  if (engine) {
    if (threadIdx.x == 0) {
      init_barrier(full, 1);
      fence_barriers();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      arrive_expecting(full, static_cast<unsigned>(box_pitch * at.rows * static_cast<int>(sizeof(Pixel))));
      copy_box(box, map, full, at.x, at.y);
    }
    wait_barrier(full, 0);
  } else {
    copy_border(box, in, turn, at);
    __syncthreads();
  }
#else
  if (whole)
    copy_inside(box, in, turn, at);
  else
    copy_border(box, in, turn, at);
  __syncthreads();
#endif
  const int offset_x = place.x - at.x, offset_y = place.y - at.y;
  // Behind the box.
  Pixel* const written = box + box_pitch * box_rows;
  write_tile<Layout, PIXELS, ROWS, STREAMING>(
      out, turn, tile, place, written, [&](int fraction_x, int fraction_y) {
        const int i = offset_x + (fraction_x >> fraction_bits), j = offset_y + (fraction_y >> fraction_bits);
        const Raw<Pixel>* const from = reinterpret_cast<const Raw<Pixel>*>(box) + j * box_pitch + i;
        const Raw<Pixel>* const below = from + box_pitch;
        return blended<arithmetic, Pixel>(from[0], from[1], below[0], below[1], weight_of(fraction_x, keep),
                                          weight_of(fraction_y, keep), keep);
      });
}
