// SPDX-License-Identifier: Apache-2.0
// The four pixels are loaded from global memory, through L1.

#include "pixels.cuh"

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
#ifndef WRITE
#define WRITE Write::direct  // how a thread's pixels are written: direct or shared
#endif
#ifndef ARITHMETIC
#define ARITHMETIC Arithmetic::single  // what is interpolated with: single, or half for uchar4
#endif
// ---- end of defaults ----

using Pixel = PIXEL;
constexpr Border border = BORDER;
constexpr Arithmetic arithmetic = ARITHMETIC;
using Layout = Threads<BLOCK, WARP_X, WARPS_X, PIXELS, ROWS, WRITE>;

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    rotate_global(const Pixel* __restrict__ in, Pixel* __restrict__ out, Turn turn) {
  const Kept keep = kept_numbers<arithmetic>(turn.nx);
  const Tile tile = tile_of_block<Layout::tile_x, Layout::tile_y, GROUP>(turn.nx, turn.ny);
  const Place place = place_of_tile(turn, tile);
  extern __shared__ __align__(128) unsigned char shared[];
  Pixel* const written = reinterpret_cast<Pixel*>(shared);
  const auto* const pixels = reinterpret_cast<const Raw<Pixel>*>(in);
  const auto* const origin = pixels + static_cast<long long>(place.y) * turn.pitch + place.x;
  write_tile<Layout, PIXELS, ROWS, STREAMING>(
      out, turn, tile, place, written, [&](int fraction_x, int fraction_y) {
        const int i = fraction_x >> fraction_bits, j = fraction_y >> fraction_bits;
        const int x = place.x + i, y = place.y + j;
        const float weight_x = weight_of(fraction_x, keep), weight_y = weight_of(fraction_y, keep);
        const bool whole = x >= 0 && y >= 0 && x + 1 < turn.nx && y + 1 < turn.ny;
        if (whole) {
          const auto* const at = origin + (j * turn.pitch + i);
          const auto* const below = at + turn.pitch;
          return blended<arithmetic, Pixel>(__ldg(at), __ldg(at + 1), __ldg(below), __ldg(below + 1),
                                            weight_x, weight_y, keep);
        }
        const int left = inside<border>(x, turn.nx), right = inside<border>(x + 1, turn.nx);
        const int upper = inside<border>(y, turn.ny), lower = inside<border>(y + 1, turn.ny);
        const auto load = [&](int column, int row) {
          if (column < 0 || row < 0) return Raw<Pixel>{};
          return __ldg(pixels + static_cast<long long>(row) * turn.pitch + column);
        };
        return blended<arithmetic, Pixel>(load(left, upper), load(right, upper), load(left, lower),
                                          load(right, lower), weight_x, weight_y, keep);
      });
}
