// SPDX-License-Identifier: Apache-2.0
// CUB's operations on neighbouring items of a block, and exchanges, loads and stores of a warp.
#pragma once

#include "cub_items.cuh"

namespace cub {

// Operations may take the place of the second item, too.
template<class Operation, class T>
TUNE_COLLECTIVE auto tune_pairwise(Operation& operation, const T& a, const T& b, int place) {
  if constexpr (requires { operation(a, b, place); })
    return operation(a, b, place);
  else
    return operation(a, b);
}
// Each thread shows an item at one end of its own and gets that of a neighbour behind a barrier.
template<class T, int threads>
struct tune_ends {
  tune_emulator::Cell<T> items[threads];
  TUNE_COLLECTIVE void show(int thread, const T& item) { items[thread].set(item); }
  TUNE_COLLECTIVE T of(int thread) const { return items[thread].get(); }
};

template<class T, int x, int y = 1, int z = 1, int = 0>
class BlockDiscontinuity {
  static constexpr int threads = x * y * z;

 public:
  struct TempStorage {
    tune_ends<T, threads> first, last;
  };

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();

  template<bool heads, bool tails, int items, class Head, class Tail, class Operation>
  TUNE_COLLECTIVE void flag(Head* head, const T* before, Tail* tail, const T* behind, T (&input)[items],
                            Operation operation, const char* file, int line) {
    if constexpr (tails) storage_.first.show(thread_, input[0]);
    if constexpr (heads) storage_.last.show(thread_, input[items - 1]);
    tune_barrier(tune_emulator::Barrier::plain, 0, file, line);
    const int place = thread_ * items;
    if constexpr (heads) {
      for (int i = 1; i < items; ++i) head[i] = tune_pairwise(operation, input[i - 1], input[i], place + i);
      if (thread_ > 0)
        head[0] = tune_pairwise(operation, storage_.last.of(thread_ - 1), input[0], place);
      else
        head[0] = before == nullptr ? Head(1) : Head(tune_pairwise(operation, *before, input[0], place));
    }
    if constexpr (tails) {
      for (int i = 1; i < items; ++i)
        tail[i - 1] = tune_pairwise(operation, input[i - 1], input[i], place + i);
      if (thread_ < threads - 1)
        tail[items - 1] =
            tune_pairwise(operation, input[items - 1], storage_.first.of(thread_ + 1), place + items);
      else
        tail[items - 1] = behind == nullptr
                              ? Tail(1)
                              : Tail(tune_pairwise(operation, input[items - 1], *behind, place + items));
    }
  }
  static constexpr int* none = nullptr;

 public:
  TUNE_COLLECTIVE explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockDiscontinuity)

#define TUNE_FLAGS(name, heads, tails, head, before, tail, behind, ...)                     \
  template<int items, class Flag, class Operation>                                          \
  TUNE_COLLECTIVE void name(__VA_ARGS__, TUNE_PLACE) {                                      \
    flag<heads, tails>(head, before, tail, behind, input, operation, tune_file, tune_line); \
  }
  TUNE_FLAGS(FlagHeads, true, false, flags, nullptr, none, nullptr, Flag (&flags)[items], T (&input)[items],
             Operation operation)
  TUNE_FLAGS(FlagHeads, true, false, flags, &before, none, nullptr, Flag (&flags)[items], T (&input)[items],
             Operation operation, T before)
  TUNE_FLAGS(FlagTails, false, true, none, nullptr, flags, nullptr, Flag (&flags)[items], T (&input)[items],
             Operation operation)
  TUNE_FLAGS(FlagTails, false, true, none, nullptr, flags, &behind, Flag (&flags)[items], T (&input)[items],
             Operation operation, T behind)
  TUNE_FLAGS(FlagHeadsAndTails, true, true, heads, nullptr, tails, nullptr, Flag (&heads)[items],
             Flag (&tails)[items], T (&input)[items], Operation operation)
  TUNE_FLAGS(FlagHeadsAndTails, true, true, heads, nullptr, tails, &behind, Flag (&heads)[items],
             Flag (&tails)[items], T behind, T (&input)[items], Operation operation)
  TUNE_FLAGS(FlagHeadsAndTails, true, true, heads, &before, tails, nullptr, Flag (&heads)[items], T before,
             Flag (&tails)[items], T (&input)[items], Operation operation)
  TUNE_FLAGS(FlagHeadsAndTails, true, true, heads, &before, tails, &behind, Flag (&heads)[items], T before,
             Flag (&tails)[items], T behind, T (&input)[items], Operation operation)
#undef TUNE_FLAGS
};

template<class T, int x, int y = 1, int z = 1, int = 0>
class BlockAdjacentDifference {
  static constexpr int threads = x * y * z;

 public:
  using TempStorage = tune_ends<T, threads>;

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();

  // Items without a neighbour, and from the first invalid one on, stay as they are.
  template<int items, class Out, class Operation>
  TUNE_COLLECTIVE void left(T (&input)[items], Out (&output)[items], Operation operation, const T* before,
                            int valid, const char* file, int line) {
    storage_.show(thread_, input[items - 1]);
    tune_barrier(tune_emulator::Barrier::plain, 0, file, line);
    for (int i = items - 1; i >= 0; --i) {
      const int place = thread_ * items + i;
      const bool alone = place >= valid || (place == 0 && before == nullptr);
      if (alone)
        output[i] = input[i];
      else
        output[i] = tune_pairwise(operation, input[i],
                                  i > 0         ? input[i - 1]
                                  : thread_ > 0 ? storage_.of(thread_ - 1)
                                                : *before,
                                  place);
    }
  }
  template<int items, class Out, class Operation>
  TUNE_COLLECTIVE void right(T (&input)[items], Out (&output)[items], Operation operation, const T* behind,
                             int valid, const char* file, int line) {
    storage_.show(thread_, input[0]);
    tune_barrier(tune_emulator::Barrier::plain, 0, file, line);
    for (int i = 0; i < items; ++i) {
      const int place = thread_ * items + i;
      const bool last = place == threads * items - 1;
      if (last ? behind == nullptr : place >= valid - 1)
        output[i] = input[i];
      else
        output[i] = tune_pairwise(operation, input[i],
                                  i < items - 1 ? input[i + 1]
                                  : last        ? *behind
                                                : storage_.of(thread_ + 1),
                                  place);
    }
  }

 public:
  TUNE_COLLECTIVE explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockAdjacentDifference)

#define TUNE_SUBTRACT(name, side, neighbour, valid, ...)                                            \
  template<int items, class Out, class Operation>                                                   \
  TUNE_COLLECTIVE void name(T(&input)[items], Out(&output)[items], Operation operation __VA_ARGS__, \
                            TUNE_PLACE) {                                                           \
    side(input, output, operation, neighbour, valid, tune_file, tune_line);                         \
  }
  TUNE_SUBTRACT(SubtractLeft, left, nullptr, tune_all)
  TUNE_SUBTRACT(SubtractLeft, left, &before, tune_all, , T before)
  TUNE_SUBTRACT(SubtractLeftPartialTile, left, nullptr, valid, , int valid)
  TUNE_SUBTRACT(SubtractLeftPartialTile, left, &before, valid, , int valid, T before)
  TUNE_SUBTRACT(SubtractRight, right, nullptr, tune_all)
  TUNE_SUBTRACT(SubtractRight, right, &behind, tune_all, , T behind)
  TUNE_SUBTRACT(SubtractRightPartialTile, right, nullptr, valid, , int valid)
#undef TUNE_SUBTRACT
};

template<class T, int x, int y = 1, int z = 1, int = 0>
class BlockShuffle {
  static constexpr int threads = x * y * z;

 public:
  using TempStorage = tune_ends<T, threads>;

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();
  TUNE_COLLECTIVE void show(const T& item, const char* file, int line) {
    storage_.show(thread_, item);
    tune_barrier(tune_emulator::Barrier::plain, 0, file, line);
  }

 public:
  TUNE_COLLECTIVE explicit BlockShuffle(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockShuffle)

  // Outputs without a partner stay as they are.
  TUNE_COLLECTIVE void Offset(T input, T& output, int distance = 1, TUNE_PLACE) {
    show(input, tune_file, tune_line);
    if (const int from = thread_ + distance; from >= 0 && from < threads) output = storage_.of(from);
  }
  TUNE_COLLECTIVE void Rotate(T input, T& output, unsigned distance = 1, TUNE_PLACE) {
    show(input, tune_file, tune_line);
    output = storage_.of((thread_ + static_cast<int>(distance)) % threads);
  }
  template<int items>
  TUNE_COLLECTIVE void Up(T (&input)[items], T (&output)[items], TUNE_PLACE) {
    show(input[items - 1], tune_file, tune_line);
    for (int i = items - 1; i > 0; --i) output[i] = input[i - 1];
    if (thread_ > 0) output[0] = storage_.of(thread_ - 1);
  }
  template<int items>
  TUNE_COLLECTIVE void Up(T (&input)[items], T (&output)[items], T& last, TUNE_PLACE) {
    Up(input, output, tune_file, tune_line);
    last = storage_.of(threads - 1);
  }
  template<int items>
  TUNE_COLLECTIVE void Down(T (&input)[items], T (&output)[items], TUNE_PLACE) {
    show(input[0], tune_file, tune_line);
    for (int i = 0; i < items - 1; ++i) output[i] = input[i + 1];
    if (thread_ < threads - 1) output[items - 1] = storage_.of(thread_ + 1);
  }
  template<int items>
  TUNE_COLLECTIVE void Down(T (&input)[items], T (&output)[items], T& first, TUNE_PLACE) {
    Down(input, output, tune_file, tune_line);
    first = storage_.of(0);
  }
};

// ---- warps ----

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template<class T, int items, int threads = 32, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
  static_assert(
      (threads & (threads - 1)) == 0,
      "tune_cannot_emulate: the emulator has no cub::WarpExchange of a number of threads that is not a "
      "power of two");

 public:
  using TempStorage = tune_cells<T, threads, items>;

 private:
  TempStorage& storage_;
  tune_emulator::Lanes<threads> lanes_;

 public:
  TUNE_COLLECTIVE explicit WarpExchange(TempStorage& storage) : storage_(storage) {}

  template<tune_order from, tune_order to, class Out>
  TUNE_COLLECTIVE void tune_exchange(const T (&input)[items], Out (&output)[items], TUNE_PLACE) {
    storage_.template put<from>(lanes_.rank(), input);
    __syncwarp(lanes_.mask(), tune_file, tune_line);
    storage_.template take<to>(lanes_.rank(), output);
  }
  template<class Out>
  TUNE_COLLECTIVE void StripedToBlocked(const T (&input)[items], Out (&output)[items], TUNE_PLACE) {
    tune_exchange<tune_order::striped, tune_order::blocked>(input, output, tune_file, tune_line);
  }
  template<class Out>
  TUNE_COLLECTIVE void BlockedToStriped(const T (&input)[items], Out (&output)[items], TUNE_PLACE) {
    tune_exchange<tune_order::blocked, tune_order::striped>(input, output, tune_file, tune_line);
  }
  template<class Out, class Rank>
  TUNE_COLLECTIVE void ScatterToStriped(const T (&input)[items], Out (&output)[items], Rank (&ranks)[items],
                                        TUNE_PLACE) {
    storage_.scatter(input, ranks);
    __syncwarp(lanes_.mask(), tune_file, tune_line);
    storage_.template take<tune_order::striped>(lanes_.rank(), output);
  }
  template<class Rank>
  TUNE_COLLECTIVE void ScatterToStriped(T (&both)[items], Rank (&ranks)[items], TUNE_PLACE) {
    ScatterToStriped(both, both, ranks, tune_file, tune_line);
  }
};

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

// Direct and striped ones use no shared memory.
template<class T, int items, int algorithm, int threads>
using tune_warp_items =
    tune_items<T, items, threads,
               algorithm == WARP_LOAD_TRANSPOSE || algorithm == WARP_LOAD_STRIPED ? tune_order::striped
                                                                                  : tune_order::blocked,
               std::conditional_t<algorithm == WARP_LOAD_TRANSPOSE, WarpExchange<T, items, threads>, void>>;

template<class T, int items, WarpLoadAlgorithm algorithm = WARP_LOAD_DIRECT, int threads = 32>
class WarpLoad : tune_warp_items<T, items, algorithm, threads> {
  using Items = tune_warp_items<T, items, algorithm, threads>;

 public:
  using TempStorage = typename Items::TempStorage;
  TUNE_COLLECTIVE explicit WarpLoad(TempStorage& storage)
      : Items(storage, static_cast<int>(tune_emulator::thread_of_block() % threads)) {}
  TUNE_NEEDS_STORAGE(WarpLoad)
  using Items::Load;
};

template<class T, int items, WarpStoreAlgorithm algorithm = WARP_STORE_DIRECT, int threads = 32>
class WarpStore : tune_warp_items<T, items, algorithm, threads> {
  using Items = tune_warp_items<T, items, algorithm, threads>;

 public:
  using TempStorage = typename Items::TempStorage;
  TUNE_COLLECTIVE explicit WarpStore(TempStorage& storage)
      : Items(storage, static_cast<int>(tune_emulator::thread_of_block() % threads)) {}
  TUNE_NEEDS_STORAGE(WarpStore)
  using Items::Store;
};

}  // namespace cub
