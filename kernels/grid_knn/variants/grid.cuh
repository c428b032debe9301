// SPDX-License-Identifier: Apache-2.0
// The grid: the box of the points cut into `side` cubes along each axis. The cubes of a row along x lie one
// after another, and so do their points.
#pragma once

#include "settings.cuh"

constexpr float huge = 3.402823466e38f;  // the largest float: its square is infinite

// A cube, and a place in units of cubes from the corner of the box.
struct Cube {
  int x, y, z;
};
struct Place {
  float x, y, z;
};

// The box: words of `frame` are the low corner, cubes for a unit of length and the width of a cube.
struct Frame {
  Place low, scale, width;
  int side;

  __device__ __forceinline__ Frame(const float* words, int cubes) : side(cubes) {
    low = Place{__ldg(words), __ldg(words + 1), __ldg(words + 2)};
    scale = Place{__ldg(words + 3), __ldg(words + 4), __ldg(words + 5)};
    width = Place{__ldg(words + 6), __ldg(words + 7), __ldg(words + 8)};
  }
  // Rounding keeps the order: points with larger coordinates have no smaller places.
  __device__ __forceinline__ Place place(Place at) const {
    return Place{(at.x - low.x) * scale.x, (at.y - low.y) * scale.y,
                 dimensions == 3 ? (at.z - low.z) * scale.z : 0.0f};
  }
  __device__ __forceinline__ int cube(float place) const {
    return static_cast<int>(fminf(fmaxf(place, 0.0f), static_cast<float>(side - 1)));
  }
  __device__ __forceinline__ Cube cube(Place place) const {
    return Cube{cube(place.x), cube(place.y), dimensions == 3 ? cube(place.z) : 0};
  }
};

// Every second bit, from bit 0 on.
__device__ __forceinline__ unsigned spread(unsigned bits) {
  bits = (bits | bits << 8) & 0x00ff00ffu;
  bits = (bits | bits << 4) & 0x0f0f0f0fu;
  bits = (bits | bits << 2) & 0x33333333u;
  return (bits | bits << 1) & 0x55555555u;
}

__device__ __forceinline__ int row_of(int side, int y, int z) {
  if constexpr (dimensions == 2) return y;
  if constexpr (curve == Curve::morton)
    return static_cast<int>(spread(static_cast<unsigned>(y)) | spread(static_cast<unsigned>(z)) << 1);
  return z * side + y;
}

// Place `number` of an array as it arrives.
__device__ __forceinline__ Place given_place(const float* from, long long number) {
  const float* const at = from + number * dimensions;
  return Place{__ldg(at), __ldg(at + 1), dimensions == 3 ? __ldg(at + 2) : 0.0f};
}

// The squared distance, with the roundings of the reference.
__device__ __forceinline__ float squared_distance(float dx, float dy, float dz) {
  const float flat = fmaf(dy, dy, __fmul_rn(dx, dx));
  return dimensions == 3 ? fmaf(dz, dz, flat) : flat;
}

struct Point {
  Place at;
  int index;
};

// Behind the sorted points lie some at infinity, so that threads may read a few more than they look at.
constexpr int padding = 4;

// `count` points sorted by cube, with those behind them.
struct Points {
  const float* words;
  long long count;

  __device__ __forceinline__ Place place(long long number) const {
    if constexpr (layout == Layout::vector) {
      const float4 point = __ldg(reinterpret_cast<const float4*>(words) + number);
      return Place{point.x, point.y, point.z};
    } else {
      return Place{__ldg(words + number), __ldg(words + count + number),
                   dimensions == 3 ? __ldg(words + 2 * count + number) : 0.0f};
    }
  }
  __device__ __forceinline__ Point point(long long number) const {
    if constexpr (layout == Layout::vector) {
      const float4 point = __ldg(reinterpret_cast<const float4*>(words) + number);
      return Point{Place{point.x, point.y, point.z}, __float_as_int(point.w)};
    } else {
      return Point{place(number), index(number)};
    }
  }
  __device__ __forceinline__ int index(long long number) const {
    return __float_as_int(__ldg(words + (layout == Layout::vector ? 4 * number + 3 : 3 * count + number)));
  }
};

__device__ __forceinline__ void store_point(float* words, long long count, long long number, Point point) {
  if constexpr (layout == Layout::vector) {
    reinterpret_cast<float4*>(words)[number] =
        float4{point.at.x, point.at.y, point.at.z, __int_as_float(point.index)};
  } else {
    words[number] = point.at.x;
    words[count + number] = point.at.y;
    if constexpr (dimensions == 3) words[2 * count + number] = point.at.z;
    words[3 * count + number] = __int_as_float(point.index);
  }
}
