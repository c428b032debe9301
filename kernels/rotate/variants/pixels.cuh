// SPDX-License-Identifier: Apache-2.0
// Pixels, and the place in the image that a pixel of the result comes from.
#pragma once

#include "half_pairs.cuh"

// What lies around the image.
enum class Border { zero, clamp, wrap };
// How a texture is read: interpolated by the texture unit, one pixel at a time, or four of one channel.
enum class Fetch { filter, point, gather };
// How the pixels of a box come to shared memory: by threads, asynchronously in pieces of 16 bytes, or by the
// copy engine.
enum class Copy { threads, async, engine };
// Which pixels of a row a thread has: neighbours, which it writes together, or every so many, which go
// through shared memory.
enum class Write { direct, shared };
// What four channels are interpolated with.
enum class Arithmetic { single, half };

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

// A pixel in a register: four channels are one word, which the compiler would otherwise take apart.
template<class Pixel>
struct RawPixel {
  using type = Pixel;
};
template<>
struct RawPixel<uchar4> {
  using type = unsigned;
};
template<class Pixel>
using Raw = typename RawPixel<Pixel>::type;

// The largest value of a channel.
template<class Pixel>
constexpr float range = 255.0f;
template<>
constexpr float range<unsigned short> = 65535.0f;
template<>
constexpr float range<float> = 1.0f;

// Numbers of which the compiler does not know that they are constant, so that they stay in registers: an
// instruction has room for one constant, and a second one would take an instruction of its own each time.
struct Kept {
  unsigned one;    // 1.0f
  unsigned bytes;  // what stands before the bytes of four channels
};
// `nx`: not negative, which the compiler does not know either.
template<Arithmetic arithmetic>
__device__ __forceinline__ Kept kept_numbers(int nx) {
  const unsigned zero = (static_cast<unsigned>(nx) + threadIdx.x) >> 31;
  return {0x3f800000u + zero, (arithmetic == Arithmetic::half ? 0x64646464u : 0x4b000000u) + zero};
}

// A pixel as numbers.
template<class Pixel>
struct Values {
  float channel[channels<Pixel>];
};

template<class Pixel>
__device__ __forceinline__ Values<Pixel> values(Raw<Pixel> pixel, const Kept& keep) {
  if constexpr (channels<Pixel> == 4) {
    // A byte below 0x4b0000 is 2^23 and the byte.
    const auto channel = [&](unsigned selector) {
      return __uint_as_float(__byte_perm(pixel, keep.bytes, selector)) - 8388608.0f;
    };
    return {{channel(0x7440), channel(0x7441), channel(0x7442), channel(0x7443)}};
  } else {
    return {{static_cast<float>(pixel)}};
  }
}

// To the nearest whole number. Adding 2^23 rounds, and the number is then in the lowest bits.
__device__ __forceinline__ unsigned rounded(float value) {
  return __float_as_uint(value + 8388608.0f);
}

// The bits of a pixel, rounded to its type.
__device__ __forceinline__ unsigned bits_of(const Values<float>& from) {
  return __float_as_uint(from.channel[0]);
}
__device__ __forceinline__ unsigned char bits_of(const Values<unsigned char>& from) {
  return static_cast<unsigned char>(rounded(from.channel[0]));
}
__device__ __forceinline__ unsigned short bits_of(const Values<unsigned short>& from) {
  return static_cast<unsigned short>(rounded(from.channel[0]));
}
__device__ __forceinline__ unsigned bits_of(const Values<uchar4>& from) {
  const unsigned low = __byte_perm(rounded(from.channel[0]), rounded(from.channel[1]), 0x0040);
  const unsigned high = __byte_perm(rounded(from.channel[2]), rounded(from.channel[3]), 0x0040);
  return __byte_perm(low, high, 0x5410);
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

// The same for four channels, in numbers of 16 bits: a byte behind 0x64 is 1024 and the byte.
__device__ __forceinline__ HalfPair pair_of(unsigned pixel, unsigned selector, const Kept& keep) {
  return {__byte_perm(pixel, keep.bytes, selector)};
}
struct FourBytes {
  unsigned word;
};
__device__ __forceinline__ unsigned bits_of(FourBytes from) {
  return from.word;
}
__device__ __forceinline__ FourBytes between_bytes(unsigned left, unsigned right, unsigned lower_left,
                                                   unsigned lower_right, float x, float y, const Kept& keep) {
  const HalfPair bias{0x64006400u}, weight_x = twice(x), weight_y = twice(y);
  const auto two = [&](unsigned selector) {
    const auto pair = [&](unsigned pixel) { return pair_of(pixel, selector, keep); };
    const HalfPair a = pair(left), c = pair(lower_left);
    const HalfPair above = multiply_add(weight_x, subtract(pair(right), a), subtract(a, bias));
    const HalfPair below = multiply_add(weight_x, subtract(pair(lower_right), c), subtract(c, bias));
    return add(multiply_add(weight_y, subtract(below, above), above), bias).bits;  // rounds
  };
  return {__byte_perm(two(0x4140), two(0x4342), 0x6420)};
}

template<Arithmetic arithmetic, class Pixel>
__device__ __forceinline__ auto blended(Raw<Pixel> left, Raw<Pixel> right, Raw<Pixel> lower_left,
                                        Raw<Pixel> lower_right, float x, float y, const Kept& keep) {
  if constexpr (arithmetic == Arithmetic::half) {
    return between_bytes(left, right, lower_left, lower_right, x, y, keep);
  } else {
    return between<Pixel>(values<Pixel>(left, keep), values<Pixel>(right, keep),
                          values<Pixel>(lower_left, keep), values<Pixel>(lower_right, keep), x, y);
  }
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
__device__ __forceinline__ float weight_of(int fraction, const Kept& keep) {
  constexpr unsigned mask = (1u << fraction_bits) - 1;
  return __uint_as_float((static_cast<unsigned>(fraction) & mask) | keep.one) - 1.0f;
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
// `pixels` along x in each of `rows` rows, which lie as far apart as the block has rows of threads. The
// pixels of a row are neighbours, or `warp_x` apart.
template<int threads, int warp_x, int warps_x, int pixels, int rows, Write write_>
struct Threads {
  static constexpr Write write = write_;
  static constexpr int all = threads, warp_y = 32 / warp_x, warps_y = threads / 32 / warps_x;
  static constexpr int step = warp_y * warps_y, pixel_step = write == Write::direct ? 1 : warp_x;
  static constexpr int tile_x = warp_x * warps_x * pixels, tile_y = step * rows;

  __device__ __forceinline__ static int x() {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int first = warp % warps_x * warp_x * pixels;
    return first + lane % warp_x * (write == Write::direct ? pixels : 1);
  }
  __device__ __forceinline__ static int y() {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    return lane / warp_x + warp / warps_x * warp_y;
  }
};

template<bool streaming, class Word>
__device__ __forceinline__ void store(Word* to, const Word& word) {
  if constexpr (streaming) {
    __stcs(to, word);
  } else {
    *to = word;
  }
}

// Writes as many pixels as fit the image, together if all do.
template<int pixels, bool streaming, class Pixel, class Pack>
__device__ __forceinline__ void write_pixels(Pixel* out, const Turn& turn, int x, int y, const Pack& pack) {
  if (x >= turn.nx || y >= turn.ny) return;
  auto* const to = reinterpret_cast<typename Bytes<sizeof(Pixel)>::type*>(
      out + static_cast<long long>(y) * turn.pitch + x);
  if (pixels == 1 || x + pixels <= turn.nx) {
    using Word = typename Bytes<pixels * sizeof(Pixel)>::type;
    store<streaming>(reinterpret_cast<Word*>(to), pack.word);
  } else {
#pragma unroll
    for (int k = 0; k < pixels; ++k)
      if (x + k < turn.nx) to[k] = pack.bits[k];
  }
}

template<int pixels, class Pixel>
union Pack {
  typename Bytes<pixels * sizeof(Pixel)>::type word;
  typename Bytes<sizeof(Pixel)>::type bits[pixels];
};

// Bytes from a row of a tile in shared memory to the next. The rows that a warp has together lie in different
// banks.
template<class Layout, class Pixel>
constexpr int row_of_warp = 32 / Layout::warp_y* static_cast<int>(sizeof(Pixel));
template<class Layout, class Pixel>
constexpr int written_pitch = Layout::tile_x* static_cast<int>(sizeof(Pixel)) +
                              (Layout::warp_y == 1                ? 0
                               : row_of_warp<Layout, Pixel> <= 16 ? 16
                                                                  : row_of_warp<Layout, Pixel>);

// Writes a tile that lies in shared memory, in words of 16 bytes.
template<class Layout, bool streaming, class Pixel>
__device__ __forceinline__ void write_shared(Pixel* out, const Turn& turn, const Tile& tile,
                                             const Pixel* from) {
  constexpr int each = 16 / static_cast<int>(sizeof(Pixel)), words = Layout::tile_x / each;
  for (int i = static_cast<int>(threadIdx.x); i < words * Layout::tile_y; i += Layout::all) {
    Pack<each, Pixel> pack;
    pack.word =
        reinterpret_cast<const uint4*>(from)[i / words * (written_pitch<Layout, Pixel> / 16) + i % words];
    write_pixels<each, streaming>(out, turn, tile.x + i % words * each, tile.y + i / words, pack);
  }
}

// Calls sample(fraction_x, fraction_y) for the pixels of this thread, in 2^23rds from the tile's place, and
// writes what it returns. `shared`: aligned to 16 bytes, a tile of pixels, for Write::shared. All threads of
// a block call it.
template<class Layout, int pixels, int rows, bool streaming, class Pixel, class Sample>
__device__ __forceinline__ void write_tile(Pixel* __restrict__ out, const Turn& turn, const Tile& tile,
                                           const Place& place, Pixel* shared, Sample sample) {
  const int i = Layout::x(), j = Layout::y();
  const int cosine = step_of(turn.cosine), sine = step_of(turn.sine);
  const int x = tile.x + i;
  int fraction_x = place.fraction_x + cosine * i - sine * j;
  int fraction_y = place.fraction_y + sine * i + cosine * j;
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    const int y = tile.y + j + row * Layout::step;
    if (Layout::write == Write::shared || (x < turn.nx && y < turn.ny)) {
      Pack<pixels, Pixel> pack;
#pragma unroll
      for (int k = 0; k < pixels; ++k) {
        constexpr int step = Layout::pixel_step;
        pack.bits[k] = bits_of(sample(fraction_x + k * step * cosine, fraction_y + k * step * sine));
      }
      if constexpr (Layout::write == Write::direct) {
        write_pixels<pixels, streaming>(out, turn, x, y, pack);
      } else {
        auto* const to =
            reinterpret_cast<typename Bytes<sizeof(Pixel)>::type*>(shared) +
            (j + row * Layout::step) * (written_pitch<Layout, Pixel> / static_cast<int>(sizeof(Pixel))) + i;
#pragma unroll
        for (int k = 0; k < pixels; ++k) to[k * Layout::pixel_step] = pack.bits[k];
      }
    }
    fraction_x -= sine * Layout::step;
    fraction_y += cosine * Layout::step;
  }
  if constexpr (Layout::write == Write::shared) {
    __syncthreads();
    write_shared<Layout, streaming>(out, turn, tile, shared);
  }
}
