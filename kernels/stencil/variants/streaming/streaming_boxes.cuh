// SPDX-License-Identifier: Apache-2.0
// Loader::tma: planes of the tile with their halo, as boxes that the copy engine brings.
// A part of streaming.cu, whose constants it uses.
#pragma once

#include "streaming_planes.cuh"
#include "tensor_copy.cuh"

// What the kernel reads: an array, or a map of it whose box is a plane in shared memory.
template<bool boxes>
struct SourceOf {
  using type = const Real*;
};
template<>
struct SourceOf<true> {
  using type = TensorMap;
};
using Source = SourceOf<tma>::type;

__device__ __forceinline__ const Real* array_of(const Real* in) {
  return in;
}
__device__ __forceinline__ const Real* array_of(const TensorMap&) {
  return nullptr;
}
__device__ __forceinline__ const TensorMap* map_of(const Real*) {
  return nullptr;
}
__device__ __forceinline__ const TensorMap* map_of(const TensorMap& in) {
  return &in;
}

// The block's shared planes in turn. One thread copies; cells beyond the array are zeros, also planes.
struct Boxes {
  static constexpr unsigned bytes = plane_cells * sizeof(Real);

  const TensorMap* map;
  AsyncBarrier* full;  // a stage: its plane has come
  int stage = 0;
  unsigned parity = 0;  // of the turns through the stages
  bool copies;          // the one thread

  __device__ __forceinline__ explicit Boxes(const TensorMap* map)
      : map(map),
        full(reinterpret_cast<AsyncBarrier*>(reinterpret_cast<Real*>(shared_bytes) + stages * shared_plane)),
        copies(threadIdx.x == 0 && threadIdx.y == 0) {}

  // Planes first .. last - 1 are to come; the first ones are copied now.
  __device__ __forceinline__ void begin(const Tile& tile, int first, int last) {
    if (copies) {
#pragma unroll
      for (int s = 0; s < stages; ++s) init_barrier(full[s], 1);
      fence_barriers();
    }
    __syncthreads();
    if (copies) {
#pragma unroll
      for (int s = 0; s < stages; ++s) {
        if (first + s < last) copy(tile, first + s, s);
      }
    }
  }

  __device__ __forceinline__ Real* plane(int s) const {
    return reinterpret_cast<Real*>(shared_bytes) + s * shared_plane;
  }

  // By the copying thread, whose cells are the first ones of the tile.
  __device__ __forceinline__ void copy(const Tile& tile, int p, int s) {
    arrive_expecting(full[s], bytes);
    copy_box(plane(s), *map, full[s], tile.x - lead, tile.y - reach_y, p);
  }

  // The plane that comes next, when it is there.
  __device__ __forceinline__ Real* wait() {
    wait_barrier(full[stage], parity);
    return plane(stage);
  }

  // The block has read plane p: its place is for the one `stages` planes further on.
  __device__ __forceinline__ void pass(const Tile& tile, int p, int last) {
    __syncthreads();
    if (copies && p + stages < last) copy(tile, p + stages, stage);
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};
