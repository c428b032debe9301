// SPDX-License-Identifier: Apache-2.0
// Pixels, and the place in the image that a pixel of the result comes from.
#pragma once

// What lies around the image.
enum class Border { zero, clamp, wrap };
// How a texture is read: interpolated by the texture unit, one pixel at a time, or four of one channel.
enum class Fetch { filter, point, gather };
// How the pixels of a box come to shared memory: by threads, asynchronously in pieces of 16 bytes, or by the
// copy engine.
enum class Copy { threads, async, engine };

template<class Pixel>
struct Channels {
  static constexpr int count = 1;
};
template<>
struct Channels<uchar4> {
  static constexpr int count = 4;
};
template<class Pixel>
constexpr int channels = Channels<Pixel>::count;

// The largest value of a channel.
template<class Pixel>
constexpr float range = 255.0f;
template<>
constexpr float range<unsigned short> = 65535.0f;
template<>
constexpr float range<float> = 1.0f;

// A pixel as numbers.
template<class Pixel>
struct Values {
  float channel[channels<Pixel>];
};

__device__ __forceinline__ Values<float> values(float pixel) {
  return {{pixel}};
}
__device__ __forceinline__ Values<unsigned char> values(unsigned char pixel) {
  return {{static_cast<float>(pixel)}};
}
__device__ __forceinline__ Values<unsigned short> values(unsigned short pixel) {
  return {{static_cast<float>(pixel)}};
}
__device__ __forceinline__ Values<uchar4> values(uchar4 pixel) {
  return {{static_cast<float>(pixel.x), static_cast<float>(pixel.y), static_cast<float>(pixel.z),
           static_cast<float>(pixel.w)}};
}

// To the nearest whole number. Adding 2^23 rounds, and the number is then in the lowest bits.
__device__ __forceinline__ unsigned rounded(float value) {
  return __float_as_uint(value + 8388608.0f);
}

__device__ __forceinline__ void put(float& to, const Values<float>& from) {
  to = from.channel[0];
}
__device__ __forceinline__ void put(unsigned char& to, const Values<unsigned char>& from) {
  to = static_cast<unsigned char>(rounded(from.channel[0]));
}
__device__ __forceinline__ void put(unsigned short& to, const Values<unsigned short>& from) {
  to = static_cast<unsigned short>(rounded(from.channel[0]));
}
__device__ __forceinline__ void put(uchar4& to, const Values<uchar4>& from) {
  // Each number has its lowest byte in the byte of that place.
  const unsigned low = __byte_perm(rounded(from.channel[0]), rounded(from.channel[1]), 0x0040);
  const unsigned high = __byte_perm(rounded(from.channel[2]), rounded(from.channel[3]), 0x0040);
  const unsigned all = __byte_perm(low, high, 0x5410);
  to = make_uchar4(static_cast<unsigned char>(all), static_cast<unsigned char>(all >> 8),
                   static_cast<unsigned char>(all >> 16), static_cast<unsigned char>(all >> 24));
}

// Between four pixels; x and y are the weights of the right ones and of the lower ones.
template<class Pixel>
__device__ __forceinline__ Values<Pixel> between(const Values<Pixel>& left, const Values<Pixel>& right,
                                                 const Values<Pixel>& lower_left,
                                                 const Values<Pixel>& lower_right, float x, float y) {
  Values<Pixel> result;
#pragma unroll
  for (int i = 0; i < channels<Pixel>; ++i) {
    const float above = fmaf(x, right.channel[i] - left.channel[i], left.channel[i]);
    const float below = fmaf(x, lower_right.channel[i] - lower_left.channel[i], lower_left.channel[i]);
    result.channel[i] = fmaf(y, below - above, above);
  }
  return result;
}

// Index within the image along an axis; -1: a zero.
template<Border border>
__device__ __forceinline__ int inside(int index, int extent) {
  if constexpr (border == Border::clamp) return min(max(index, 0), extent - 1);
  if constexpr (border == Border::wrap) {
    const int rest = index % extent;
    return rest < 0 ? rest + extent : rest;
  }
  return index >= 0 && index < extent ? index : -1;
}

// Cosine and sine in units of 2^-32, and the image.
struct Turn {
  long long cosine, sine;
  int nx, ny;
  int pitch;  // pixels from a row to the next
};

// A place in the image: whole pixels, and 2^23rds of one, which may be more than one or negative.
constexpr int fraction_bits = 23;
struct Place {
  int x, y;                    // of the origin of a tile
  int fraction_x, fraction_y;  // from there
};

// The tile of a block: tiles lie in groups of `group` rows, which blocks walk through column by column.
struct Tile {
  int x, y;  // of its first pixel
};
template<int tile_x, int tile_y, int group>
__device__ __forceinline__ Tile tile_of_block(int nx, int ny) {
  const int columns = (nx + tile_x - 1) / tile_x, rows = (ny + tile_y - 1) / tile_y;
  const int block = static_cast<int>(blockIdx.x);
  if constexpr (group == 1) return {block % columns * tile_x, block / columns * tile_y};
  const int band = block / (columns * group), first = band * group;
  const int height = min(group, rows - first), within = block - first * columns;
  return {within / height * tile_x, (first + within % height) * tile_y};
}

// Where the first pixel of a tile comes from, exactly, in units of 2^-33 pixels; then in those of Place,
// rounded down.
__device__ __forceinline__ Place place_of_tile(const Turn& turn, const Tile& tile) {
  const long long dx = 2ll * tile.x - (turn.nx - 1), dy = 2ll * tile.y - (turn.ny - 1);
  const long long x = turn.cosine * dx - turn.sine * dy + (static_cast<long long>(turn.nx - 1) << 32);
  const long long y = turn.sine * dx + turn.cosine * dy + (static_cast<long long>(turn.ny - 1) << 32);
  constexpr int drop = 33 - fraction_bits, mask = (1 << fraction_bits) - 1;
  return {static_cast<int>(x >> 33), static_cast<int>(y >> 33), static_cast<int>(x >> drop) & mask,
          static_cast<int>(y >> drop) & mask};
}

// Cosine or sine in 2^23rds, rounded: off by half a unit, so pixels 128 away are off by 64 of them.
__device__ __forceinline__ int step_of(long long part) {
  constexpr int drop = 32 - fraction_bits;
  return static_cast<int>((part + (1 << (drop - 1))) >> drop);
}

// The weight that a fraction stands for, in [0, 1).
__device__ __forceinline__ float weight_of(int fraction) {
  constexpr unsigned mask = (1u << fraction_bits) - 1;
  return __uint_as_float((static_cast<unsigned>(fraction) & mask) | 0x3f800000u) - 1.0f;
}

template<int bytes>
struct Bytes;
template<>
struct Bytes<1> {
  using type = unsigned char;
};
template<>
struct Bytes<2> {
  using type = unsigned short;
};
template<>
struct Bytes<4> {
  using type = unsigned;
};
template<>
struct Bytes<8> {
  using type = uint2;
};
template<>
struct Bytes<16> {
  using type = uint4;
};

// The threads of a block over its tile: lanes of a warp side by side, then warps, and the pixels of a thread:
// `pixels` neighbours along x in each of `rows` rows, which lie as far apart as the block has rows of
// threads.
template<int threads, int warp_x, int warps_x, int pixels, int rows>
struct Threads {
  static constexpr int warp_y = 32 / warp_x, warps_y = threads / 32 / warps_x;
  static constexpr int columns = warp_x * warps_x, step = warp_y * warps_y;
  static constexpr int tile_x = columns * pixels, tile_y = step * rows;

  __device__ __forceinline__ static int x() {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    return (lane % warp_x + warp % warps_x * warp_x) * pixels;
  }
  __device__ __forceinline__ static int y() {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    return lane / warp_x + warp / warps_x * warp_y;
  }
};

// Calls sample(fraction_x, fraction_y) for the pixels of this thread, in 2^23rds from the tile's place, and
// writes what it returns.
template<class Layout, int pixels, int rows, bool streaming, class Pixel, class Sample>
__device__ __forceinline__ void write_tile(Pixel* __restrict__ out, const Turn& turn, const Tile& tile,
                                           const Place& place, Sample sample) {
  const int i = Layout::x(), j = Layout::y();
  const int cosine = step_of(turn.cosine), sine = step_of(turn.sine);
  const int x = tile.x + i;
  int fraction_x = place.fraction_x + cosine * i - sine * j;
  int fraction_y = place.fraction_y + sine * i + cosine * j;
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    const int y = tile.y + j + row * Layout::step;
    if (x < turn.nx && y < turn.ny) {
      union {
        typename Bytes<pixels * sizeof(Pixel)>::type word;
        Pixel pixel[pixels];
      } pack;
#pragma unroll
      for (int k = 0; k < pixels; ++k)
        put(pack.pixel[k], sample(fraction_x + k * cosine, fraction_y + k * sine));
      Pixel* const to = out + static_cast<long long>(y) * turn.pitch + x;
      if (pixels == 1 || x + pixels <= turn.nx) {
        auto* const word = reinterpret_cast<decltype(pack.word)*>(to);
        if constexpr (streaming) {
          __stcs(word, pack.word);
        } else {
          *word = pack.word;
        }
      } else {
#pragma unroll
        for (int k = 0; k < pixels; ++k)
          if (x + k < turn.nx) to[k] = pack.pixel[k];
      }
    }
    fraction_x -= sine * Layout::step;
    fraction_y += cosine * Layout::step;
  }
}
