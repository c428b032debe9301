// SPDX-License-Identifier: Apache-2.0
// The image is a texture. The texture unit interpolates with weights of 8 bits, or it is read pixel by pixel
// and interpolated here.

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
#ifndef FETCH
#define FETCH Fetch::filter  // what the texture unit does: filter, point or gather
#endif
#ifndef WRITE
#define WRITE Write::direct  // how a thread's pixels are written: direct or shared
#endif
// ---- end of defaults ----

using Pixel = PIXEL;
constexpr Border border = BORDER;
constexpr Fetch fetch = FETCH;
using Layout = Threads<BLOCK, WARP_X, WARPS_X, PIXELS, ROWS, WRITE>;

// What the texture unit returns for a pixel: whole numbers as parts of their range.
template<class Pixel>
struct Texels {
  using type = float;
};
template<>
struct Texels<uchar4> {
  using type = float4;
};

__device__ __forceinline__ Values<Pixel> scaled(float from) {
  Values<Pixel> result;
  result.channel[0] = from * range<Pixel>;
  return result;
}
__device__ __forceinline__ Values<uchar4> scaled(float4 from) {
  return {{from.x * 255.0f, from.y * 255.0f, from.z * 255.0f, from.w * 255.0f}};
}

// Indices within the image where it repeats itself: textures do so only with normalised coordinates.
__device__ __forceinline__ int wrapped(int index, int extent) {
  return border == Border::wrap ? inside<Border::wrap>(index, extent) : index;
}

// `inverse_x`, `inverse_y`: what coordinates are multiplied by, 1 or the inverse extents.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    rotate_texture(cudaTextureObject_t image, Pixel* __restrict__ out, Turn turn, float inverse_x,
                   float inverse_y) {
  const Kept keep = kept_numbers<Arithmetic::single>(turn.nx);
  const Tile tile = tile_of_block<Layout::tile_x, Layout::tile_y, GROUP>(turn.nx, turn.ny);
  const Place place = place_of_tile(turn, tile);
  extern __shared__ __align__(128) unsigned char shared[];
  Pixel* const written = reinterpret_cast<Pixel*>(shared);
  if constexpr (fetch == Fetch::filter) {
    // The centre of a pixel is at a half.
    const float x = static_cast<float>(place.x) + 0.5f, y = static_cast<float>(place.y) + 0.5f;
    write_tile<Layout, PIXELS, ROWS, STREAMING>(
        out, turn, tile, place, written, [&](int fraction_x, int fraction_y) {
          constexpr float unit = 1.0f / (1 << fraction_bits);
          float u = fmaf(static_cast<float>(fraction_x), unit, x),
                v = fmaf(static_cast<float>(fraction_y), unit, y);
          if constexpr (border == Border::wrap) {
            u *= inverse_x;
            v *= inverse_y;
          }
          return scaled(tex2D<typename Texels<Pixel>::type>(image, u, v));
        });
  } else {
    write_tile<Layout, PIXELS, ROWS, STREAMING>(
        out, turn, tile, place, written, [&](int fraction_x, int fraction_y) {
          const int x = place.x + (fraction_x >> fraction_bits), y = place.y + (fraction_y >> fraction_bits);
          const float weight_x = weight_of(fraction_x, keep), weight_y = weight_of(fraction_y, keep);
          if constexpr (fetch == Fetch::gather) {
            // Counter-clockwise from the lower left one.
            const auto gathered = [&](int channel) {
              const float u = static_cast<float>(x) + 1.0f, v = static_cast<float>(y) + 1.0f;
              // The component must be known when the kernel is compiled.
              return channel == 0   ? tex2Dgather<float4>(image, u, v, 0)
                     : channel == 1 ? tex2Dgather<float4>(image, u, v, 1)
                     : channel == 2 ? tex2Dgather<float4>(image, u, v, 2)
                                    : tex2Dgather<float4>(image, u, v, 3);
            };
            Values<Pixel> result;
#pragma unroll
            for (int i = 0; i < channels<Pixel>; ++i) {
              const float4 four = gathered(i);
              const float above = fmaf(weight_x, four.z - four.w, four.w);
              const float below = fmaf(weight_x, four.y - four.x, four.x);
              result.channel[i] = fmaf(weight_y, below - above, above) * range<Pixel>;
            }
            return result;
          } else {
            const float u = static_cast<float>(wrapped(x, turn.nx)) + 0.5f;
            const float v = static_cast<float>(wrapped(y, turn.ny)) + 0.5f;
            const float right =
                border == Border::wrap ? static_cast<float>(wrapped(x + 1, turn.nx)) + 0.5f : u + 1.0f;
            const float lower =
                border == Border::wrap ? static_cast<float>(wrapped(y + 1, turn.ny)) + 0.5f : v + 1.0f;
            const auto at = [&](float a, float b) {
              return scaled(tex2D<typename Texels<Pixel>::type>(image, a, b));
            };
            return between<Pixel>(at(u, v), at(right, v), at(u, lower), at(right, lower), weight_x, weight_y);
          }
        });
  }
}
