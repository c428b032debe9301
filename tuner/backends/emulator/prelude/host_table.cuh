// SPDX-License-Identifier: Apache-2.0
// What an emulated module and the program know of each other. Compiled on both sides: by the program, and
// with every batch of kernels. Holds no standard header, so that a batch compiles quickly.
#pragma once

namespace tune_emulator {

struct Index3 {
  unsigned x, y, z;
};

// Where a kernel stands: of an intrinsic, the place it is written at; of a memory access, the address of the
// code. The column, of barriers alone: two on one line are two.
struct Place {
  const char* file;
  int line;
  const void* code;
  int column = 0;
};

// Atomic: reads and writes. Volatile: others may do so meanwhile. Texture: reads through a cache that does
// not see what the launch writes. Bulk: by the copy engine, in pieces of no type.
enum Access : unsigned {
  access_read = 0,
  access_write = 1,
  access_atomic = 2,
  access_volatile = 4,
  access_texture = 8,
  access_bulk = 16
};

// How the threads of a block meet.
enum class Barrier : int { plain, count, all_of, any_of };

// What the lanes of a warp do together. An operand is a lane (from), a distance (up, down) or a mask
// (butterfly).
enum class WarpOperation : int {
  sync,
  shuffle_from,
  shuffle_up,
  shuffle_down,
  shuffle_butterfly,
  ballot,
  all_of,
  any_of,
  match_any,
  match_all,
  reduce_add,
  reduce_min_signed,
  reduce_max_signed,
  reduce_min_unsigned,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor,
  active_lanes,    // the lanes that come to one place before nothing else can go on
  matrix_product,  // `value` is the address of the lane's MatrixFragments
  wmma,            // all lanes come to an operation of nvcuda::wmma
  // Products of a warpgroup; `value` of start is the address of the lane's WarpgroupFragments, `operand` of
  // wait the groups that may be pending.
  warpgroup_start,
  warpgroup_commit,
  warpgroup_wait,
};

enum class MatrixType : int { tf32, f64 };

// What a lane has of C (16 x 8) += A (16 x inner) B (inner x 8), as PTX's mma.m16n8k4, k8 and k16 lay it out:
// with g = lane / 4 and t = lane % 4,
//   a[2 q + h] = A(g + 8 h, t + 4 q),   b[q] = B(t + 4 q, g),   c[2 h + i] = C(g + 8 h, 2 t + i).
// Elements are 4 bytes (tf32, whose sums are float) or 8.
struct MatrixFragments {
  MatrixType type;
  int inner;
  const void* a;
  const void* b;
  void* c;
};

// What a lane has of its warp's part (16 rows) of C (64 x columns) (+)= A (64 x 8) B (8 x columns) of tf32,
// as PTX's wgmma.m64nNk8 lays it out: with g = lane / 4 and t = lane % 4,
//   a[2 q + h] = A(g + 8 h, t + 4 q),   c[4 j + 2 h + i] = C(g + 8 h, 8 j + 2 t + i).
// B lies in shared memory, where its descriptor says.
// The address of dynamic shared memory: not 0, which would hide what is wrong with an address.
constexpr unsigned shared_address = 1024;
struct WarpgroupFragments {
  int columns;
  int add;  // 0: C = A B
  const float* a;
  float* c;
  unsigned long long descriptor;
};

struct WarpRequest {
  WarpOperation operation;
  unsigned mask;
  unsigned long long value;
  int operand;
  int width;
  Place place;
};

enum class TextureCall : int { fetch_1d, sample_1d, sample_2d, sample_3d, gather_2d };
enum class TextureResult : int { floating, is_signed, is_unsigned };

struct TextureRequest {
  unsigned long long texture;
  TextureCall call;
  float at[3];    // coordinates
  int index;      // instead of them: fetch_1d
  int component;  // gather_2d
  // The type that is asked for.
  TextureResult result;
  unsigned bytes;  // of a channel
  int channels;
  Place place;
};

// What threads do with an mbarrier, and the copies that arrive at one: of a box, or of bytes of the thread.
enum class AsyncCall : int { init, fence, arrive, drop, wait, copy, copy_bytes };

struct AsyncRequest {
  AsyncCall call;
  void* barrier;
  // init: arrivals of a phase; arrive: bytes that it announces; wait: the phase's parity; copy_bytes: bytes
  unsigned value;
  // Of a copy: where to, the kernel's parameter or the source of bytes, the place of the box.
  void* to;
  const void* map;
  int rank;
  int at[5];
  Place place;
};

// The program's side. Every function runs on the stack of the calling thread of the kernel and may switch to
// another thread of the block; one that finds an error that cannot be survived does not return.
struct HostTable {
  void* context;
  int (*barrier)(void* context, Barrier kind, int predicate, const Place* place);
  // Of all threads of a cooperative launch. The counter, which may be null, is what a device counts with.
  void (*grid_barrier)(void* context, unsigned* counter, const Place* place);
  // Of all threads of a cluster that have not ended.
  void (*cluster_barrier)(void* context, const Place* place);
  // The block of the cluster in whose shared memory the address lies; the calling one for others.
  unsigned (*rank_in_cluster)(void* context, const void* address);
  // What the address in shared memory is in that block of the cluster.
  void* (*in_cluster)(void* context, void* address, unsigned rank, const Place* place);
  unsigned long long (*warp)(void* context, const WarpRequest* request);
  void (*access)(void* context, const void* address, unsigned bytes, unsigned kind, const void* code);
  // An address that is no multiple of what the type that is accessed there asks for. Does not return.
  void (*misaligned)(void* context, const void* address, unsigned alignment, const void* code);
  // Copies of the calling thread that arrive when it waits for them.
  void (*copy_async)(void* context, void* to, const void* from, unsigned bytes, unsigned filled,
                     const Place* place);
  void (*commit_async)(void* context);
  void (*wait_async)(void* context, int pending);
  // The parity of the phase that the call belongs to.
  unsigned (*async)(void* context, const AsyncRequest* request);
  void (*fence)(void* context, int scope);
  // The bits of what a fetch gives, for each channel.
  void (*texture)(void* context, const TextureRequest* request, unsigned bits[4]);
  // Lets the other threads go on: for loops that wait.
  void (*yield)(void* context);
  // Ends the emulation of the launch with this message.
  void (*fail)(void* context, const char* reason, const Place* place);
  // Reads below `quick_end` and not below `quick_begin` are known to be right: the input that was read last.
  const char* quick_begin;
  const char* quick_end;
  // Where the stacks of the block's threads lie.
  const char* stacks;
  unsigned long stacks_bytes;
};

struct Indices {
  Index3 thread, block, block_extent, grid_extent, cluster_extent;
};
constexpr Index3 cluster_of(unsigned x = 1, unsigned y = 1, unsigned z = 1) {
  return {x, y, z};
}
constexpr Index3 cluster_of(Index3 extent) {
  return extent;
}

struct Entry {
  const char* name;
  void (*call)(void** arguments);  // with the convention of cuLaunchKernel
  int threads;                     // most threads of a block by __launch_bounds__; 0 where it does not say
  const unsigned long* sizes;      // of the parameters [bytes]
  int parameters;
  Index3 cluster;  // its extent in blocks
};

// One configuration of a batch.
struct Variant {
  const Entry* entries;
  int count;
};

struct ModuleTable {
  HostTable** host;
  Indices* indices;
  char* dynamic_shared;
  const Variant* variants;
  int count;
};

}  // namespace tune_emulator
