// SPDX-License-Identifier: Apache-2.0
// 3-D stencil, one time step, 2.5-D: a block owns a tile of x and y and marches through `chunk` planes of z.
// The plane at which it stands lies in shared memory with its x and y halo; what the z neighbours need lies
// in registers:
//   Queue::inputs        the 2 RADIUS + 1 input planes around the current one (Micikevicius, GPGPU-2, 2009),
//   or Queue::partial_sums  the 2 RADIUS + 1 outputs to which the current input plane contributes: each plane
//   is read
//                        once, added into all of them, and forgotten (the associative form).
// Interior cells (at least RADIUS away from every face): out = sum of weight * in; all other cells: out = in.
// The grid is one-dimensional: tiles of x first, then y, then chunks of z.

enum class Shape { star, box };  // star: points on the three axes; box: all (2 RADIUS + 1)^3 points
enum class Queue { inputs, partial_sums };
enum class Loader {
  plain,
  async,
  cache
};  // to shared memory through registers or by cp.async; cache: no shared
    // memory and no barriers, x and y neighbours are loads that hit L1
enum class Store {
  plain,
  streaming
};  // streaming: evict first (st.global.cs), the caches are left to the input

// ---- defaults
// -------------------------------------------------------------------------------------------------
#ifndef RADIUS
#define RADIUS 1  // reach of the stencil [cells], 1..8
#endif
#ifndef SHAPE
#define SHAPE Shape::star  // which points belong to the stencil
#endif
#ifndef REAL
#define REAL float  // type of a cell: float or double
#endif
#ifndef BLOCK_X
#define BLOCK_X 32  // threads of a block along x
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8  // threads of a block along y
#endif
#ifndef VECTOR
#define VECTOR 4  // neighbouring cells along x that a thread computes, loads and stores as one vector
#endif
#ifndef CELLS_Y
#define CELLS_Y 2  // neighbouring rows that a thread computes
#endif
#ifndef CHUNK
#define CHUNK 64  // planes of z that a block computes
#endif
#ifndef QUEUE
#define QUEUE Queue::partial_sums  // what the registers hold; a box needs partial_sums
#endif
#ifndef LOADER
#define LOADER Loader::async  // how the x and y neighbours come to the threads
#endif
#ifndef STAGES
#define STAGES 3  // planes in shared memory; plain: 1 (two barriers a plane) or 2 (one); async: 2..4
#endif
#ifndef UNROLL
#define UNROLL \
  1  // planes a turn of the loop over z; the queue is moved once a turn, never if this is 2 RADIUS + 1
#endif
#ifndef UNROLL_ROWS
#define UNROLL_ROWS \
  1  // box: 1: loop over rows unrolled, weights immediate; 0: rolled, weights from constant memory
#endif
#ifndef PADDED
#define PADDED \
  1  // 1: array with ghost cells and rounded extents, loads unguarded; 0: dense array, indices clamped
#endif
#ifndef STORE
#define STORE Store::streaming  // path of the stores
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS \
  1  // blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly
#endif
// ---------------------------------------------------------------------------------------------------------------

#include "async_copy.cuh"
#include "stencil_weights.cuh"  // generated: stencil_weights[points], the points sorted by (z, y, x)

using Real = REAL;
constexpr int radius = RADIUS;
constexpr Shape shape = SHAPE;
constexpr int block_x = BLOCK_X, block_y = BLOCK_Y;
constexpr int lanes = VECTOR, cells_y = CELLS_Y, chunk = CHUNK, stages = STAGES;
constexpr Queue queue = QUEUE;
constexpr Loader loader = LOADER;
constexpr Store store_path = STORE;
constexpr int turn = UNROLL;
constexpr bool unroll_rows = UNROLL_ROWS != 0;
constexpr bool padded = PADDED != 0;

constexpr bool star = shape == Shape::star;
constexpr bool async = loader == Loader::async;
constexpr bool cache = loader == Loader::cache;
constexpr bool partial = queue == Queue::partial_sums;
constexpr int threads = block_x * block_y;
constexpr int width = 2 * radius + 1;
constexpr int points = star ? 6 * radius + 1 : width * width * width;
constexpr int tile_x = block_x * lanes, tile_y = block_y * cells_y;

// A plane in shared memory: tile_y + 2 radius rows of whole vectors, the x halo rounded up to vectors.
constexpr int halo_vectors = (radius + lanes - 1) / lanes;
constexpr int lead = halo_vectors * lanes;
constexpr int segment = lanes + 2 * lead;
constexpr int shared_pitch = tile_x + 2 * lead;
constexpr int shared_plane = shared_pitch * (tile_y + 2 * radius);

// The halo in vectors: rows below and above the tile (a star needs no corners), then the columns beside it.
constexpr int edge_vectors = star ? block_x : block_x + 2 * halo_vectors;
constexpr int edge_items = 2 * radius * edge_vectors;
constexpr int halo_items = edge_items + tile_y * 2 * halo_vectors;
constexpr int items = (halo_items + threads - 1) / threads;  // of a thread

static_assert(radius >= 1 && radius <= 8, "RADIUS is 1..8");
static_assert(lanes == 1 || lanes == 2 || lanes == 4, "VECTOR is 1, 2 or 4");
static_assert(threads <= 1024, "at most 1024 threads a block");
static_assert(star || partial, "a box needs Queue::partial_sums");
static_assert(cache || (async ? stages >= 2 : stages >= 1 && stages <= 2), "STAGES does not fit LOADER");
static_assert(turn >= 1 && turn <= width, "UNROLL is 1..2 RADIUS + 1");
static_assert(sizeof(stencil_weights) / sizeof(Real) == points, "weights do not fit RADIUS and SHAPE");

extern __shared__ __align__(16) unsigned char shared_bytes[];  // stages * shared_plane cells

// ---- weights
// -------------------------------------------------------------------------------------------------- Position
// of a point in the order (z, y, x). Star: `radius` points below, `radius` in front, the row, and so on.
__device__ constexpr int along_x(int dx) {
  return 3 * radius + dx;
}
__device__ constexpr int along_y(int dy) {
  return dy < 0 ? 2 * radius + dy : 4 * radius + dy;
}
__device__ constexpr int along_z(int dz) {
  return dz < 0 ? radius + dz : 5 * radius + dz;
}
__device__ constexpr int in_box(int dx, int dy, int dz) {
  return ((dz + radius) * width + dy + radius) * width + dx + radius;
}

// ---- vectors of cells
// -----------------------------------------------------------------------------------------
template<class T, int n>
struct Word;  // the built-in type of one access
template<>
struct Word<float, 1> {
  using type = float;
};
template<>
struct Word<float, 2> {
  using type = float2;
};
template<>
struct Word<float, 4> {
  using type = float4;
};
template<>
struct Word<double, 1> {
  using type = double;
};
template<>
struct Word<double, 2> {
  using type = double2;
};

constexpr int word_lanes = lanes * sizeof(Real) > 16 ? 16 / static_cast<int>(sizeof(Real)) : lanes;
using Access = Word<Real, word_lanes>::type;
union Pack {
  Access word;
  Real lane[word_lanes];
};

enum class Space { global, shared };

template<Space space>
__device__ __forceinline__ void load_vector(Real* to, const Real* from) {
#pragma unroll
  for (int w = 0; w < lanes; w += word_lanes) {
    const Access* source = reinterpret_cast<const Access*>(from + w);
    Pack pack;
    if constexpr (space == Space::global) {
      pack.word = __ldg(source);
    } else {
      pack.word = *source;
    }
#pragma unroll
    for (int i = 0; i < word_lanes; ++i) to[w + i] = pack.lane[i];
  }
}

template<Space space>
__device__ __forceinline__ void store_vector(Real* to, const Real* from) {
#pragma unroll
  for (int w = 0; w < lanes; w += word_lanes) {
    Access* target = reinterpret_cast<Access*>(to + w);
    Pack pack;
#pragma unroll
    for (int i = 0; i < word_lanes; ++i) pack.lane[i] = from[w + i];
    if constexpr (space == Space::global && store_path == Store::streaming) {
      __stcs(target, pack.word);
    } else {
      *target = pack.word;
    }
  }
}

__device__ __forceinline__ void copy_vector(Real* shared, const Real* global) {
#pragma unroll
  for (int w = 0; w < lanes; w += word_lanes) copy_async<word_lanes * sizeof(Real)>(shared + w, global + w);
}

// ---- the tile
// -------------------------------------------------------------------------------------------------
__device__ __forceinline__ int clamped(int i, int last) {
  return i < 0 ? 0 : (i > last ? last : i);
}

using Rows = Real[cells_y][lanes];  // the cells of a thread in one plane

// What a thread knows about its place. A row holds fewer than 2^31 cells: with a 32-bit pitch a row's address
// is one multiply-add, with a 64-bit one it is six instructions, more than the loads themselves.
struct Tile {
  int nx, ny, nz;
  int pitch;
  long long plane;
  int x, y;              // the thread's first cell
  int begin, end;        // the block's output planes
  int own;               // the thread's first cell in a shared plane
  unsigned inner_lanes;  // bit i: lane i is no boundary cell as far as x is concerned
  bool inner;            // none of the thread's cells is a boundary cell as far as x and y are concerned
  const Real* in;        // padded: the thread's first cell in plane 0; dense: cell (0, 0, 0)
  Real* out;             // the thread's first cell in plane 0
  long long
      halo_from[items];  // halo vectors that the thread brings: from where, counted from `in` of its plane
  int halo_to[items];    // to where in a shared plane
  bool last_item;        // whether the thread has the last of them

  __device__ __forceinline__ Tile(const Real* in_, Real* out_, int nx, int ny, int nz, long long pitch_,
                                  long long plane)
      : nx(nx), ny(ny), nz(nz), pitch(static_cast<int>(pitch_)), plane(plane) {
    const unsigned tiles_x = (static_cast<unsigned>(nx) + tile_x - 1) / tile_x;
    const unsigned tiles_y = (static_cast<unsigned>(ny) + tile_y - 1) / tile_y;
    const unsigned row_of_tiles = blockIdx.x / tiles_x;
    const int first_x = static_cast<int>((blockIdx.x % tiles_x) * tile_x);
    const int first_y = static_cast<int>((row_of_tiles % tiles_y) * tile_y);
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    x = first_x + tx * lanes;
    y = first_y + ty * cells_y;
    begin = static_cast<int>(row_of_tiles / tiles_y) * chunk;
    end = nz - begin < chunk ? nz : begin + chunk;
    own = (ty * cells_y + radius) * shared_pitch + lead + tx * lanes;
    inner_lanes = 0;
#pragma unroll
    for (int i = 0; i < lanes; ++i) inner_lanes |= (x + i >= radius && x + i < nx - radius ? 1u : 0u) << i;
    inner = x >= radius && x + lanes <= nx - radius && y >= radius && y + cells_y <= ny - radius;
    const long long first = static_cast<long long>(y) * pitch + x;
    in = padded ? in_ + first : in_;
    out = out_ + first;
#pragma unroll
    for (int k = 0; k < items; ++k) place_halo(k, ty * block_x + tx + k * threads, first_x, first_y);
  }

  __device__ __forceinline__ void place_halo(int k, int item, int first_x, int first_y) {
    int row, column;  // in the shared plane, column in vectors
    if (item < edge_items) {
      row = item / edge_vectors;
      column = item % edge_vectors + (star ? halo_vectors : 0);
      if (row >= radius) row += tile_y;
    } else {
      row = radius + (item - edge_items) / (2 * halo_vectors);
      column = (item - edge_items) % (2 * halo_vectors);
      if (column >= halo_vectors) column += block_x;
    }
    halo_to[k] = row * shared_pitch + column * lanes;
    last_item = item < halo_items;
    halo_from[k] = offset(first_x + column * lanes - lead - x, first_y + row - radius - y);
  }

  // `in` of plane z, for offset(). Computed anew for every plane: a pointer that is moved from plane to plane
  // makes the compiler keep one for every row, 40 registers more at radius 4.
  __device__ __forceinline__ const Real* plane_of(int z) const {
    return in + (padded ? z : clamped(z, nz - 1)) * plane;
  }
  // The cell dx, dy away from the thread's first cell, counted from plane_of(). Clamping keeps the address
  // inside a dense array; what it fetches is used by boundary cells alone, and these drop it.
  __device__ __forceinline__ long long offset(int dx, int dy) const {
    if constexpr (padded) return static_cast<long long>(dy) * pitch + dx;
    return static_cast<long long>(clamped(y + dy, ny - 1)) * pitch + clamped(x + dx, nx - lanes);
  }
  __device__ __forceinline__ Real* target(int c, int z) const {
    return out + (z * plane + static_cast<long long>(c) * pitch);
  }
  __device__ __forceinline__ bool has_item(int k) const {
    return (k + 1) * threads <= halo_items || last_item;
  }
  __device__ __forceinline__ bool inner_row(int c) const {
    return y + c >= radius && y + c < ny - radius;
  }
  __device__ __forceinline__ bool inner_plane(int z) const {
    return z >= radius && z < nz - radius;
  }
  __device__ __forceinline__ bool stored(int c) const {
    return padded || (x < nx && y + c < ny);
  }
};

constexpr unsigned all_lanes = (1u << lanes) - 1;

// Stores the lanes of `which`; whole vectors in one access.
__device__ __forceinline__ void store_lanes(Real* to, const Real* from, unsigned which) {
  if (which == all_lanes) {
    store_vector<Space::global>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      if (which >> i & 1u) to[i] = from[i];
    }
  }
}

// `from` below is plane_of() of the plane that is loaded.
// ---- loading
// --------------------------------------------------------------------------------------------------
__device__ __forceinline__ void load_own(Rows& to, const Tile& tile, const Real* from) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) load_vector<Space::global>(to[c], from + tile.offset(0, c));
}

// The halo of a plane on its way through registers.
struct Halo {
  Real cell[items][lanes];

  __device__ __forceinline__ void load(const Tile& tile, const Real* from) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) load_vector<Space::global>(cell[k], from + tile.halo_from[k]);
    }
  }
  __device__ __forceinline__ void store(const Tile& tile, Real* shared) const {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (tile.has_item(k)) store_vector<Space::shared>(shared + tile.halo_to[k], cell[k]);
    }
  }
};

__device__ __forceinline__ void store_own(const Rows& from, const Tile& tile, Real* shared) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c)
    store_vector<Space::shared>(shared + tile.own + c * shared_pitch, from[c]);
}

__device__ __forceinline__ void copy_own(const Tile& tile, Real* shared, const Real* from) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) {
    copy_vector(shared + tile.own + c * shared_pitch, from + tile.offset(0, c));
  }
}

__device__ __forceinline__ void copy_halo(const Tile& tile, Real* shared, const Real* from) {
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (tile.has_item(k)) copy_vector(shared + tile.halo_to[k], from + tile.halo_from[k]);
  }
}

__device__ __forceinline__ Real* next_stage(Real* stage) {
  Real* first = reinterpret_cast<Real*>(shared_bytes);
  return stage == first + (stages - 1) * shared_plane ? first : stage + shared_plane;
}

// The thread's surroundings in the current plane, vector by vector; offsets count from its first cell.
struct Neighbours {
  const Tile& tile;
  const Real* plane;  // in shared memory, at the thread's first cell; cache: in global memory, plane_of()

  __device__ __forceinline__ void load(Real* to, int dx, int dy) const {
    if constexpr (cache) {
      load_vector<Space::global>(to, plane + tile.offset(dx, dy));
    } else {
      load_vector<Space::shared>(to, plane + dy * shared_pitch + dx);
    }
  }
};

// ---- sums
// ----------------------------------------------------------------------------------------------------- Adds
// the x and y neighbours of the star and the cell itself.
__device__ __forceinline__ void add_star_plane(Rows& sum, const Rows& own, const Neighbours& near) {
#pragma unroll
  for (int row = -radius; row < cells_y + radius; ++row) {
    Real from[segment];
    if (row >= 0 && row < cells_y) {
#pragma unroll
      for (int v = 0; v < halo_vectors; ++v) {
        near.load(from + v * lanes, v * lanes - lead, row);
        near.load(from + lead + (v + 1) * lanes, (v + 1) * lanes, row);
      }
#pragma unroll
      for (int i = 0; i < lanes; ++i) from[lead + i] = own[row][i];
#pragma unroll
      for (int dx = -radius; dx <= radius; ++dx) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) sum[row][i] += stencil_weights[along_x(dx)] * from[lead + i + dx];
      }
    } else {
      near.load(from + lead, 0, row);
    }
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy == 0 || dy < -radius || dy > radius) continue;
#pragma unroll
      for (int i = 0; i < lanes; ++i) sum[c][i] += stencil_weights[along_y(dy)] * from[lead + i];
    }
  }
}

// Adds a plane of the box to the pending outputs; sums[k] is the output k - radius planes above.
__device__ __forceinline__ void add_box_plane(Rows (&sums)[width], const Neighbours& near) {
  constexpr int rows = cells_y + 2 * radius;
#pragma unroll(unroll_rows ? rows : 1)
  for (int row = -radius; row < cells_y + radius; ++row) {
    Real from[segment];
#pragma unroll
    for (int v = 0; v <= 2 * halo_vectors; ++v) near.load(from + v * lanes, v * lanes - lead, row);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const int dy = row - c;
      if (dy < -radius || dy > radius) continue;
#pragma unroll
      for (int k = 0; k < width; ++k) {
#pragma unroll
        for (int dx = -radius; dx <= radius; ++dx) {
          const Real weight = stencil_weights[in_box(dx, dy, radius - k)];
#pragma unroll
          for (int i = 0; i < lanes; ++i) sums[k][c][i] += weight * from[lead + i + dx];
        }
      }
    }
  }
}

__device__ __forceinline__ void shift(Rows (&rows)[width]) {
#pragma unroll
  for (int k = 0; k + 1 < width; ++k) {
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) rows[k][c][i] = rows[k + 1][c][i];
    }
  }
}

__device__ __forceinline__ void set(Rows& rows, Real value) {
#pragma unroll
  for (int c = 0; c < cells_y; ++c) {
#pragma unroll
    for (int i = 0; i < lanes; ++i) rows[c][i] = value;
  }
}

// ---- Queue::partial_sums
// -------------------------------------------------------------------------------------- Input planes begin -
// radius .. end + radius - 1 come one after another; plane p completes output p - radius.
struct PartialSums {
  const Tile& tile;
  Real* stage;       // the shared plane that is used
  Real* free_stage;  // async: the one that is filled next
  Rows sums[width];  // sums[k]: output p - radius + k
  Rows next;         // plain: own cells of the plane to come
  Halo halo;         // plain: its halo

  __device__ __forceinline__ explicit PartialSums(const Tile& tile)
      : tile(tile), stage(reinterpret_cast<Real*>(shared_bytes)), free_stage(stage) {
#pragma unroll
    for (int k = 0; k < width; ++k) set(sums[k], 0);
    if constexpr (async) {
#pragma unroll
      for (int s = 0; s < stages - 1; ++s) copy(tile.begin - radius + s);
    } else {
      fetch(tile.begin - radius);
    }
  }

  __device__ __forceinline__ int last() const {
    return tile.end + radius;
  }
  // The planes before and after the block's own give a star only their z contribution: no halo is needed.
  __device__ __forceinline__ bool has_halo(int p) const {
    return !star || (p >= tile.begin && p < tile.end);
  }

  __device__ __forceinline__ void copy(int p) {
    if (p < last()) {
      copy_own(tile, free_stage, tile.plane_of(p));
      if (has_halo(p)) copy_halo(tile, free_stage, tile.plane_of(p));
    }
    commit_async();
    free_stage = next_stage(free_stage);
  }
  __device__ __forceinline__ void fetch(int p) {
    if (p >= last()) return;
    load_own(next, tile, tile.plane_of(p));
    if (!cache && has_halo(p)) halo.load(tile, tile.plane_of(p));
  }

  // Brings plane p to `stage` and the thread's cells to `own`, and starts the loads of planes to come.
  __device__ __forceinline__ void arrive(Rows& own, int p) {
    if constexpr (async) {
      wait_async<async ? stages - 2 : 0>();
      __syncthreads();  // the plane is complete, and nobody reads the one before any more
      copy(p + stages - 1);
#pragma unroll
      for (int c = 0; c < cells_y; ++c)
        load_vector<Space::shared>(own[c], stage + tile.own + c * shared_pitch);
    } else {
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) own[c][i] = next[c][i];
      }
      if constexpr (!cache) {
        if constexpr (stages == 1) __syncthreads();
        if (has_halo(p)) {
          store_own(own, tile, stage);
          halo.store(tile, stage);
        }
        __syncthreads();
      }
      fetch(p + 1);
    }
  }

  __device__ __forceinline__ void add(const Rows& own, int p) {
    const Neighbours near{tile, cache ? tile.plane_of(p) : stage + tile.own};
    if constexpr (star) {
#pragma unroll
      for (int k = 0; k < width; ++k) {
        if (k == radius) continue;
#pragma unroll
        for (int c = 0; c < cells_y; ++c) {
#pragma unroll
          for (int i = 0; i < lanes; ++i) sums[k][c][i] += stencil_weights[along_z(radius - k)] * own[c][i];
        }
      }
      if (has_halo(p)) add_star_plane(sums[radius], own, near);
    } else {
      add_box_plane(sums, near);
    }
  }

  // Boundary cells of plane p are stored while their value is at hand, inner cells when their sum is
  // complete: keeping the values until then would cost radius more registers a cell.
  __device__ __forceinline__ void store(const Rows& own, int p) {
    const int done = p - radius;
    const bool completes = done >= tile.begin && tile.inner_plane(done);
    if (tile.inner) {
      const bool whole_plane = !tile.inner_plane(p) && p >= tile.begin && p < tile.end;
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
        if (whole_plane) store_vector<Space::global>(tile.target(c, p), own[c]);
        if (completes) store_vector<Space::global>(tile.target(c, done), sums[0][c]);
      }
      return;
    }
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (!tile.stored(c)) continue;
      const unsigned inner = tile.inner_row(c) ? tile.inner_lanes : 0;
      const unsigned boundary = tile.inner_plane(p) ? all_lanes & ~inner : all_lanes;
      if (p >= tile.begin && p < tile.end) store_lanes(tile.target(c, p), own[c], boundary);
      if (completes) store_lanes(tile.target(c, done), sums[0][c], inner);
    }
  }

  __device__ __forceinline__ void step(int p) {
    Rows own;
    arrive(own, p);
    add(own, p);
    store(own, p);
    shift(sums);
    set(sums[width - 1], 0);
    stage = next_stage(stage);
  }
};

// ---- Queue::inputs
// -------------------------------------------------------------------------------------------- Output planes
// begin .. end - 1 come one after another. The thread's own cells go from global memory to the queue and,
// when they have reached its middle, from there to shared memory; the loader brings the halo alone.
struct Inputs {
  const Tile& tile;
  Real* stage;
  Real* free_stage;
  Rows queued[width];  // queued[k]: input p - radius + k
  Rows next;           // own cells of the plane that enters the queue next
  Halo halo;           // plain: the halo of the output plane to come

  __device__ __forceinline__ explicit Inputs(const Tile& tile)
      : tile(tile), stage(reinterpret_cast<Real*>(shared_bytes)), free_stage(stage) {
#pragma unroll
    for (int k = 1; k < width; ++k) load_own(queued[k], tile, tile.plane_of(tile.begin - radius + k - 1));
    fetch(tile.begin);
    if constexpr (async) {
#pragma unroll
      for (int s = 0; s < stages - 1; ++s) copy(tile.begin + s);
    }
  }

  __device__ __forceinline__ int last() const {
    return tile.end;
  }

  __device__ __forceinline__ void copy(int p) {
    if (p < last()) copy_halo(tile, free_stage, tile.plane_of(p));
    commit_async();
    free_stage = next_stage(free_stage);
  }

  // Loads what output plane p needs and the queue does not have yet.
  __device__ __forceinline__ void fetch(int p) {
    load_own(next, tile, tile.plane_of(p + radius));
    if constexpr (loader == Loader::plain) halo.load(tile, tile.plane_of(p));
  }

  __device__ __forceinline__ void arrive(int p) {
    shift(queued);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) queued[width - 1][c][i] = next[c][i];
    }
    if constexpr (!cache) {
      if constexpr (stages == 1) __syncthreads();
      store_own(queued[radius], tile, stage);
      if constexpr (async) {
        wait_async<async ? stages - 2 : 0>();
      } else {
        halo.store(tile, stage);
      }
      __syncthreads();  // the plane is complete, and nobody reads the one before any more
    }
    if (p + 1 < last()) fetch(p + 1);
    if constexpr (async) copy(p + stages - 1);
  }

  __device__ __forceinline__ void keep_boundary(Rows& sum, int p) const {
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      const unsigned inner = tile.inner_row(c) && tile.inner_plane(p) ? tile.inner_lanes : 0;
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        if (!(inner >> i & 1u)) sum[c][i] = queued[radius][c][i];
      }
    }
  }

  __device__ __forceinline__ void step(int p) {
    arrive(p);
    Rows sum;
    set(sum, 0);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      if (k == radius) continue;
#pragma unroll
      for (int c = 0; c < cells_y; ++c) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) sum[c][i] += stencil_weights[along_z(k - radius)] * queued[k][c][i];
      }
    }
    add_star_plane(sum, queued[radius], {tile, cache ? tile.plane_of(p) : stage + tile.own});
    if (!(tile.inner && tile.inner_plane(p))) keep_boundary(sum, p);
#pragma unroll
    for (int c = 0; c < cells_y; ++c) {
      if (tile.stored(c)) store_vector<Space::global>(tile.target(c, p), sum[c]);
    }
    stage = next_stage(stage);
  }
};

// ---- kernel
// ---------------------------------------------------------------------------------------------------
template<class March>
__device__ __forceinline__ void march(March& block, int first) {
  // A loop with barriers is not unrolled by the compiler unless its length is known, so the turn is written
  // out.
  for (int p = first; p < block.last(); p += turn) {
#pragma unroll
    for (int u = 0; u < turn; ++u) {
      if (p + u >= block.last()) break;
      block.step(p + u);
    }
  }
}

// `in` and `out` point to cell (0, 0, 0), aligned to 16 bytes; pitch and plane are the distances of
// neighbouring rows and planes [cells]. Grid: ceil(nx / tile_x) * ceil(ny / tile_y) * ceil(nz / chunk) blocks
// along x; dynamic shared memory: stages * shared_plane cells.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    stencil3d(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz, long long pitch,
              long long plane) {
  const Tile tile(in, out, nx, ny, nz, pitch, plane);
  if constexpr (partial) {
    PartialSums block(tile);
    march(block, tile.begin - radius);
  } else {
    Inputs block(tile);
    march(block, tile.begin);
  }
}
