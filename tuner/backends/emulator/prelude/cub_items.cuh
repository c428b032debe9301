// SPDX-License-Identifier: Apache-2.0
// CUB's loads, stores and exchanges of the items of a block.
#pragma once

#include "collectives.cuh"
#include "standard_library.cuh"

namespace cub {

template<int x, int y, int z>
TUNE_COLLECTIVE int RowMajorTid() {
  return static_cast<int>((threadIdx.z * y + threadIdx.y) * x + threadIdx.x);
}

// How the items of a thread lie among those of its block, or of its warp.
enum class tune_order { blocked, striped, warp_striped };
template<tune_order order, int items>
TUNE_COLLECTIVE int tune_place_of(int thread, int i, int threads) {
  if constexpr (order == tune_order::blocked) return thread * items + i;
  if constexpr (order == tune_order::striped) return i * threads + thread;
  return thread / 32 * 32 * items + i * (threads < 32 ? threads : 32) + thread % 32;
}

template<tune_order order, int items, int threads, class T, class Iterator>
TUNE_COLLECTIVE void tune_load(int thread, Iterator from, T (&to)[items], int valid) {
  for (int i = 0; i < items; ++i)
    if (const int at = tune_place_of<order, items>(thread, i, threads); at < valid) to[i] = from[at];
}
template<tune_order order, int items, int threads, class T, class Iterator>
TUNE_COLLECTIVE void tune_store(int thread, Iterator to, const T (&from)[items], int valid) {
  for (int i = 0; i < items; ++i)
    if (const int at = tune_place_of<order, items>(thread, i, threads); at < valid) to[at] = from[i];
}
constexpr int tune_all = 0x7fffffff;

template<class T, int items, class Iterator>
TUNE_COLLECTIVE void LoadDirectBlocked(int thread, Iterator from, T (&to)[items], int valid = tune_all) {
  tune_load<tune_order::blocked, items, 0>(thread, from, to, valid);
}
template<int threads, class T, int items, class Iterator>
TUNE_COLLECTIVE void LoadDirectStriped(int thread, Iterator from, T (&to)[items], int valid = tune_all) {
  tune_load<tune_order::striped, items, threads>(thread, from, to, valid);
}
template<class T, int items, class Iterator>
TUNE_COLLECTIVE void StoreDirectBlocked(int thread, Iterator to, T (&from)[items], int valid = tune_all) {
  tune_store<tune_order::blocked, items, 0>(thread, to, from, valid);
}
template<int threads, class T, int items, class Iterator>
TUNE_COLLECTIVE void StoreDirectStriped(int thread, Iterator to, T (&from)[items], int valid = tune_all) {
  tune_store<tune_order::striped, items, threads>(thread, to, from, valid);
}

// Shared memory for the items of so many threads.
template<class T, int threads, int items>
struct tune_cells {
  tune_emulator::Cell<T> all[threads * items];
  template<tune_order order>
  TUNE_COLLECTIVE void put(int thread, const T (&from)[items]) {
    for (int i = 0; i < items; ++i) all[tune_place_of<order, items>(thread, i, threads)].set(from[i]);
  }
  template<tune_order order, class Out>
  TUNE_COLLECTIVE void take(int thread, Out (&to)[items]) const {
    for (int i = 0; i < items; ++i) to[i] = all[tune_place_of<order, items>(thread, i, threads)].get();
  }
  template<class Rank>
  TUNE_COLLECTIVE void scatter(const T (&from)[items], const Rank (&ranks)[items]) {
    for (int i = 0; i < items; ++i) all[ranks[i]].set(from[i]);
  }
};

// Writes the items to shared memory in one order and reads them behind a barrier in another.
template<class T, int x, int items, bool = false, int y = 1, int z = 1, int = 0>
class BlockExchange {
  static constexpr int threads = x * y * z;

 public:
  using TempStorage = tune_cells<T, threads, items>;

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();

 public:
  template<tune_order from, tune_order to, class Out>
  TUNE_COLLECTIVE void tune_exchange(const T (&input)[items], Out (&output)[items], TUNE_PLACE) {
    storage_.template put<from>(thread_, input);
    if constexpr (from == tune_order::warp_striped || to == tune_order::warp_striped)
      __syncwarp(0xffffffffu, tune_file, tune_line);
    else
      tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    storage_.template take<to>(thread_, output);
  }
  TUNE_COLLECTIVE explicit BlockExchange(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockExchange)

#define TUNE_EXCHANGE(name, from, to)                                                     \
  template<class Out>                                                                     \
  TUNE_COLLECTIVE void name(const T(&input)[items], Out(&output)[items], TUNE_PLACE) {    \
    tune_exchange<tune_order::from, tune_order::to>(input, output, tune_file, tune_line); \
  }                                                                                       \
  TUNE_COLLECTIVE void name(T(&both)[items], TUNE_PLACE) {                                \
    tune_exchange<tune_order::from, tune_order::to>(both, both, tune_file, tune_line);    \
  }
  TUNE_EXCHANGE(StripedToBlocked, striped, blocked)
  TUNE_EXCHANGE(BlockedToStriped, blocked, striped)
  TUNE_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  TUNE_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef TUNE_EXCHANGE

#define TUNE_SCATTER(name, order)                                                                           \
  template<class Out, class Rank>                                                                           \
  TUNE_COLLECTIVE void name(const T(&input)[items], Out(&output)[items], Rank(&ranks)[items], TUNE_PLACE) { \
    storage_.scatter(input, ranks);                                                                         \
    tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);                                   \
    storage_.template take<tune_order::order>(thread_, output);                                             \
  }                                                                                                         \
  template<class Rank>                                                                                      \
  TUNE_COLLECTIVE void name(T(&both)[items], Rank(&ranks)[items], TUNE_PLACE) {                             \
    name(both, both, ranks, tune_file, tune_line);                                                          \
  }
  TUNE_SCATTER(ScatterToBlocked, blocked)
  TUNE_SCATTER(ScatterToStriped, striped)
#undef TUNE_SCATTER

  // Places that no item goes to are undefined.
  template<class Out, class Rank, class Flag>
  TUNE_COLLECTIVE void ScatterToStripedFlagged(const T (&input)[items], Out (&output)[items],
                                               Rank (&ranks)[items], Flag (&valid)[items], TUNE_PLACE) {
    for (int i = 0; i < items; ++i) storage_.all[thread_ * items + i].set(tune_emulator::undefined<T>());
    tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    for (int i = 0; i < items; ++i)
      if (valid[i]) storage_.all[ranks[i]].set(input[i]);
    tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    storage_.template take<tune_order::striped>(thread_, output);
  }
  template<class Rank, class Flag>
  TUNE_COLLECTIVE void ScatterToStripedFlagged(T (&both)[items], Rank (&ranks)[items], Flag (&valid)[items],
                                               TUNE_PLACE) {
    ScatterToStripedFlagged(both, both, ranks, valid, tune_file, tune_line);
  }
  // Items with a negative rank go nowhere.
  template<class Out, class Rank>
  TUNE_COLLECTIVE void ScatterToStripedGuarded(const T (&input)[items], Out (&output)[items],
                                               Rank (&ranks)[items], TUNE_PLACE) {
    bool valid[items];
    for (int i = 0; i < items; ++i) valid[i] = ranks[i] >= 0;
    ScatterToStripedFlagged(input, output, ranks, valid, tune_file, tune_line);
  }
  template<class Rank>
  TUNE_COLLECTIVE void ScatterToStripedGuarded(T (&both)[items], Rank (&ranks)[items], TUNE_PLACE) {
    ScatterToStripedGuarded(both, both, ranks, tune_file, tune_line);
  }
};

#define TUNE_ALGORITHMS(name, kind)  \
  enum name {                        \
    kind##_DIRECT,                   \
    kind##_STRIPED,                  \
    kind##_VECTORIZE,                \
    kind##_TRANSPOSE,                \
    kind##_WARP_TRANSPOSE,           \
    kind##_WARP_TRANSPOSE_TIMESLICED \
  };
TUNE_ALGORITHMS(BlockLoadAlgorithm, BLOCK_LOAD)
TUNE_ALGORITHMS(BlockStoreAlgorithm, BLOCK_STORE)
#undef TUNE_ALGORITHMS

// Loads and stores in an order, from and to which an exchange in shared memory puts the items.
template<class T, int items, int threads, tune_order order, class Exchange>
class tune_items {
  static constexpr bool exchanges = !std::is_same_v<Exchange, void>;
  struct None {
    struct TempStorage {};
  };

 public:
  using TempStorage = typename std::conditional_t<exchanges, Exchange, None>::TempStorage;

 private:
  TempStorage& storage_;
  int thread_;

 protected:
  TUNE_COLLECTIVE tune_items(TempStorage& storage, int thread) : storage_(storage), thread_(thread) {}

  template<class Iterator>
  TUNE_COLLECTIVE void Load(Iterator from, T (&to)[items], int valid, TUNE_PLACE) {
    tune_load<order, items, threads>(thread_, from, to, valid);
    if constexpr (exchanges)
      Exchange(storage_).template tune_exchange<order, tune_order::blocked>(to, to, tune_file, tune_line);
  }
  template<class Iterator>
  TUNE_COLLECTIVE void Load(Iterator from, T (&to)[items], TUNE_PLACE) {
    Load(from, to, tune_all, tune_file, tune_line);
  }
  template<class Iterator, class Default>
  TUNE_COLLECTIVE void Load(Iterator from, T (&to)[items], int valid, Default other, TUNE_PLACE) {
    for (int i = 0; i < items; ++i) to[i] = other;
    Load(from, to, valid, tune_file, tune_line);
  }
  template<class Iterator>
  TUNE_COLLECTIVE void Store(Iterator to, T (&from)[items], int valid, TUNE_PLACE) {
    if constexpr (exchanges)
      Exchange(storage_).template tune_exchange<tune_order::blocked, order>(from, from, tune_file, tune_line);
    tune_store<order, items, threads>(thread_, to, from, valid);
  }
  template<class Iterator>
  TUNE_COLLECTIVE void Store(Iterator to, T (&from)[items], TUNE_PLACE) {
    Store(to, from, tune_all, tune_file, tune_line);
  }
};

// Direct and striped ones use no shared memory.
template<class T, int x, int items, int algorithm, int y, int z>
struct tune_block_items {
  static constexpr bool exchanges = algorithm >= BLOCK_LOAD_TRANSPOSE;
  static_assert(algorithm < BLOCK_LOAD_WARP_TRANSPOSE || x * y * z % 32 == 0,
                "a transposition by warps needs a multiple of 32 threads");
  static constexpr tune_order order = algorithm == BLOCK_LOAD_STRIPED || algorithm == BLOCK_LOAD_TRANSPOSE
                                          ? tune_order::striped
                                      : exchanges ? tune_order::warp_striped
                                                  : tune_order::blocked;
  using type = tune_items<T, items, x * y * z, order,
                          std::conditional_t<exchanges, BlockExchange<T, x, items, false, y, z>, void>>;
};

template<class T, int x, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1,
         int = 0>
class BlockLoad : tune_block_items<T, x, items, algorithm, y, z>::type {
  using Items = typename tune_block_items<T, x, items, algorithm, y, z>::type;

 public:
  using TempStorage = typename Items::TempStorage;
  TUNE_COLLECTIVE explicit BlockLoad(TempStorage& storage) : Items(storage, RowMajorTid<x, y, z>()) {}
  TUNE_NEEDS_STORAGE(BlockLoad)
  using Items::Load;
};

template<class T, int x, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1,
         int = 0>
class BlockStore : tune_block_items<T, x, items, algorithm, y, z>::type {
  using Items = typename tune_block_items<T, x, items, algorithm, y, z>::type;

 public:
  using TempStorage = typename Items::TempStorage;
  TUNE_COLLECTIVE explicit BlockStore(TempStorage& storage) : Items(storage, RowMajorTid<x, y, z>()) {}
  TUNE_NEEDS_STORAGE(BlockStore)
  using Items::Store;
};

}  // namespace cub
