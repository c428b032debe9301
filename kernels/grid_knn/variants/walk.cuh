// SPDX-License-Identifier: Apache-2.0
// The search for the neighbours of a query, cube by cube around its own.
#pragma once

#include "grid.cuh"
#include "nearest.cuh"

// A query in the grid.
struct Query {
  Place at, place;
  Cube cube;
  Place slack;   // bounds what rounding may have moved a place by
  int excluded;  // a point that is no neighbour; -1: none

  __device__ __forceinline__ Query(const Frame& frame, Place given, int without)
      : at(given), place(frame.place(given)), cube(frame.cube(place)), excluded(without) {
    const float cubes = static_cast<float>(frame.side);
    slack = Place{(fabsf(place.x) + cubes) * 0x1p-20f, (fabsf(place.y) + cubes) * 0x1p-20f,
                  (fabsf(place.z) + cubes) * 0x1p-20f};
  }
};

__device__ __forceinline__ float square(float x) {
  return __fmul_rn(x, x);
}

// Not more than the distance, along an axis, of a place to any point of cubes below cube `first`, or of cube
// `first` and above.
__device__ __forceinline__ float away_below(float place, int first, float slack, float width) {
  return fmaxf(place - static_cast<float>(first) - slack, 0.0f) * width;
}
__device__ __forceinline__ float away_above(float place, int first, float slack, float width) {
  return fmaxf(static_cast<float>(first) - place - slack, 0.0f) * width;
}
// The same to the points of cube `other`, of which the query's cube is `own`.
__device__ __forceinline__ float away(float place, int own, int other, float slack, float width) {
  if (other < own) return away_below(place, other + 1, slack, width);
  if (other > own) return away_above(place, other, slack, width);
  return 0.0f;
}

// Not more than the squared distance of a query to any point beyond `ring` cubes on each side of its own. A
// difference along one axis is rounded as in the distance, so the bound holds for distances as computed.
__device__ __forceinline__ float beyond(const Frame& frame, const Query& query, int ring) {
  float least = huge;
  const auto sides = [&](float place, int cube, float slack, float width) {
    if (cube - ring > 0) least = fminf(least, away_below(place, cube - ring, slack, width));
    if (cube + ring < frame.side - 1) least = fminf(least, away_above(place, cube + ring + 1, slack, width));
  };
  sides(query.place.x, query.cube.x, query.slack.x, frame.width.x);
  sides(query.place.y, query.cube.y, query.slack.y, frame.width.y);
  if constexpr (dimensions == 3) sides(query.place.z, query.cube.z, query.slack.z, frame.width.z);
  return square(least);
}

// Points in global memory.
struct Global {
  Points points;
  const int* starts;
  int side;

  // The points of cubes `first` to `last` of a row: they lie one after another.
  __device__ __forceinline__ void range(int y, int z, int first, int last, int& begin, int& end) const {
    const int* const row = starts + static_cast<long long>(row_of(side, y, z)) * (side + 1);
    begin = __ldg(row + first);
    end = __ldg(row + last + 1);
  }
  __device__ __forceinline__ Place place(int number) const { return points.place(number); }
  __device__ __forceinline__ Point point(int number) const { return points.point(number); }
  __device__ __forceinline__ int index(int number) const { return points.index(number); }
};

__device__ __forceinline__ float distance_to(const Query& query, Place at) {
  return squared_distance(query.at.x - at.x, query.at.y - at.y, query.at.z - at.z);
}

// Whether point `number`, of points up to `end` - 1 and some behind them, is offered. A single neighbour may
// be offered twice, so that points behind the end need not be told from the others.
__device__ __forceinline__ bool is_offered(const Query& query, int number, int end, int index) {
  return (neighbours == 1 || number < end) && (self != Self::skip || index != query.excluded);
}

// Offers points begin to end - 1.
template<class Source>
__device__ __forceinline__ void scan(const Source& source, int begin, int end, const Query& query,
                                     Nearest& nearest) {
  static_assert(unroll <= padding);
  for (int i = begin; i < end; i += unroll) {
    if constexpr (layout == Layout::vector) {
      Point points[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) points[u] = source.point(i + u);
#pragma unroll
      for (int u = 0; u < unroll; ++u)
        if (is_offered(query, i + u, end, points[u].index))
          nearest.offer(key_of(distance_to(query, points[u].at), points[u].index));
    } else {
      float distances[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) distances[u] = distance_to(query, source.place(i + u));
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (distances[u] > nearest.reach()) continue;
        const int index = source.index(i + u);
        if (is_offered(query, i + u, end, index)) nearest.offer(key_of(distances[u], index));
      }
    }
  }
}

// Offers the points of the query's cube and of those around it. prune: the nearest cubes first, and none
// that has only farther points than those found.
template<bool prune, class Source>
__device__ __forceinline__ void scan_around(const Frame& frame, const Source& source, const Query& query,
                                            Nearest& nearest) {
  const Cube cube = query.cube;
  const int last = frame.side - 1;
  int begin, end;
  if constexpr (!prune) {
    const int first_x = max(cube.x - 1, 0), last_x = min(cube.x + 1, last);
#pragma unroll 1
    for (int z = max(cube.z - 1, 0); z <= (dimensions == 3 ? min(cube.z + 1, last) : 0); ++z)
#pragma unroll 1
      for (int y = max(cube.y - 1, 0); y <= min(cube.y + 1, last); ++y) {
        source.range(y, z, first_x, last_x, begin, end);
        scan(source, begin, end, query, nearest);
      }
  } else {
    // Of the two neighbours along an axis, the nearer one.
    const auto nearer = [](float place, int own) { return place - static_cast<float>(own) < 0.5f ? -1 : 1; };
    const int step_x = nearer(query.place.x, cube.x), step_y = nearer(query.place.y, cube.y),
              step_z = nearer(query.place.z, cube.z);
    // Rows in the order of `order`: 2 bits for z and 2 bits for y, 0: the own, 1: the nearer, 2: the farther
    // one. The own row comes three times: its own cube, the nearer one, the farther one.
    constexpr unsigned long long order = dimensions == 3 ? 0xa9682541000ull : 0x21000ull;
    constexpr int parts = dimensions == 3 ? 11 : 5;
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
      const int code = static_cast<int>(order >> 4 * part) & 15;
      const int of_y = code & 3, of_z = code >> 2;
      const int dy = of_y == 0 ? 0 : of_y == 1 ? step_y : -step_y;
      const int dz = of_z == 0 ? 0 : of_z == 1 ? step_z : -step_z;
      const int y = cube.y + dy, z = cube.z + dz;
      if (y < 0 || y > last) continue;
      if (dimensions == 3 && (z < 0 || z > last)) continue;
      const float row_y = away(query.place.y, cube.y, y, query.slack.y, frame.width.y);
      const float row_z =
          dimensions == 3 ? away(query.place.z, cube.z, z, query.slack.z, frame.width.z) : 0.0f;
      // Whether cubes on that side in the row may have a neighbour; 0: the row.
      const auto may = [&](int step) {
        const float x = away(query.place.x, cube.x, cube.x + step, query.slack.x, frame.width.x);
        return fmaf(row_z, row_z, fmaf(row_y, row_y, square(x))) <= nearest.reach();
      };
      if (!may(0)) continue;
      int first_x = cube.x, last_x = cube.x;
      if (part == 1 || part == 2) {
        first_x = last_x = cube.x + (part == 1 ? step_x : -step_x);
        if (first_x < 0 || first_x > last || !may(first_x - cube.x)) continue;
      } else if (part > 2) {
        if (cube.x > 0 && may(-1)) first_x = cube.x - 1;
        if (cube.x < last && may(1)) last_x = cube.x + 1;
      }
      source.range(y, z, first_x, last_x, begin, end);
      scan(source, begin, end, query, nearest);
    }
  }
}

// Offers the points of cubes beyond `inner` and within `outer` cubes on each side.
template<bool prune, class Source>
__device__ __forceinline__ void scan_shell(const Frame& frame, const Source& source, const Query& query,
                                           int inner, int outer, Nearest& nearest) {
  const Cube cube = query.cube;
  const int last = frame.side - 1;
  const int first_x = max(cube.x - outer, 0), last_x = min(cube.x + outer, last);
#pragma unroll 1
  for (int z = max(cube.z - outer, 0); z <= (dimensions == 3 ? min(cube.z + outer, last) : 0); ++z) {
#pragma unroll 1
    for (int y = max(cube.y - outer, 0); y <= min(cube.y + outer, last); ++y) {
      if constexpr (prune) {
        const float row_y = away(query.place.y, cube.y, y, query.slack.y, frame.width.y);
        const float row_z =
            dimensions == 3 ? away(query.place.z, cube.z, z, query.slack.z, frame.width.z) : 0.0f;
        if (fmaf(row_z, row_z, square(row_y)) > nearest.reach()) continue;
      }
      const bool whole = abs(y - cube.y) > inner || abs(z - cube.z) > inner;
#pragma unroll 1
      for (int part = 0; part < (whole ? 1 : 2); ++part) {
        const int from = whole || part == 0 ? first_x : cube.x + inner + 1;
        const int to = whole || part == 1 ? last_x : cube.x - inner - 1;
        if (from > to) continue;
        int begin, end;
        source.range(y, z, from, to, begin, end);
        scan(source, begin, end, query, nearest);
      }
    }
  }
}

// Goes on from the cubes within `ring` until no point beyond can be a neighbour.
template<bool prune, class Source>
__device__ __forceinline__ void widen(const Frame& frame, const Source& source, const Query& query, int ring,
                                      Nearest& nearest) {
#pragma unroll 1
  while (ring < frame.side && beyond(frame, query, ring) <= nearest.reach()) {
    const int outer = growth == Growth::twice ? 2 * ring : ring + 1;
    scan_shell<prune>(frame, source, query, ring, outer, nearest);
    ring = outer;
  }
}
