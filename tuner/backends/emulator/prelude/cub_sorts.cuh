// SPDX-License-Identifier: Apache-2.0
// CUB's sorts and histograms of blocks and warps. As in the library, keys and values lie in shared memory and
// change places behind barriers; the first thread finds the order.
#pragma once

#include "cub_items.cuh"

namespace cub {

struct NullType {};

// The bits of a key in an order that unsigned numbers have.
template<class T>
TUNE_COLLECTIVE unsigned long long tune_radix(const T& key) {
  static_assert(std::is_arithmetic_v<T>,
                "tune_cannot_emulate: the emulator has no cub::BlockRadixSort of keys that are no numbers");
  constexpr unsigned long long sign = 1ULL << (8 * sizeof(T) - 1), all = sign | (sign - 1);
  if constexpr (std::is_floating_point_v<T>) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &key, sizeof(T));
    if (bits == sign) bits = 0;  // both zeros are equal
    return bits & sign ? ~bits & all : bits | sign;
  } else {
    return (static_cast<unsigned long long>(key) & all) ^ (T(-1) < T(0) ? sign : 0);
  }
}

// Sorts places by their keys, which do not change: places of equal keys keep their order. `before(a, b)`
// compares the keys of two places.
template<int count, class Before>
TUNE_UNCHECKED void tune_sort_places(unsigned (&places)[count], unsigned (&other)[count],
                                     const Before& before) {
  for (int i = 0; i < count; ++i) places[i] = static_cast<unsigned>(i);
  unsigned *from = places, *to = other;
  for (int width = 1; width < count; width *= 2) {
    for (int begin = 0; begin < count; begin += 2 * width) {
      const int middle = begin + width < count ? begin + width : count;
      const int end = middle + width < count ? middle + width : count;
      int left = begin, right = middle;
      for (int i = begin; i < end; ++i)
        to[i] = left < middle && (right == end || !before(from[right], from[left])) ? from[left++]
                                                                                    : from[right++];
    }
    unsigned* const swapped = from;
    from = to, to = swapped;
  }
  if (from != places)
    for (int i = 0; i < count; ++i) places[i] = from[i];
}

// Keys and values of `threads` threads, `items` each. `Sync` is the barrier that they meet at.
template<class Key, class Value, int threads, int items>
struct tune_sorter {
  static constexpr int count = threads * items;
  static constexpr bool has_values = !std::is_same_v<Value, NullType>;
  union Storage {
    tune_cells<Key, threads, items> keys;
    tune_cells<Value, threads, items> values;
    unsigned ranks[count];
  };

  // `compare(a, b)`: whether a comes before b.
  template<tune_order order, class Compare, class Sync>
  static TUNE_COLLECTIVE void sort(Storage& storage, int thread, Key (&keys)[items], Value (*values)[items],
                                   const Compare& compare, const Sync& sync) {
    storage.keys.template put<tune_order::blocked>((thread + 1) % threads, keys);
    sync();
    if (thread == 0) find_ranks(storage, compare);
    sync();
    unsigned ranks[items];
    for (int i = 0; i < items; ++i) ranks[i] = storage.ranks[thread * items + i];
    sync();
    storage.keys.scatter(keys, ranks);
    sync();
    storage.keys.template take<order>(thread, keys);
    if constexpr (has_values) {
      if (values == nullptr) return;
      sync();
      storage.values.scatter(*values, ranks);
      sync();
      storage.values.template take<order>(thread, *values);
    }
  }

 private:
  // Not where the thread has read its results before: a barrier that is missing is a race, as in the library.
  static TUNE_COLLECTIVE int of_neighbour(int place) { return (place + items) % count; }
  // Only one thread is here at a time, and it does not wait.
  template<class Compare>
  static TUNE_COLLECTIVE void find_ranks(Storage& storage, const Compare& compare) {
    static unsigned places[count], other[count];
    tune_sort_places(places, other, [&](unsigned a, unsigned b) {
      const Key left = storage.keys.all[of_neighbour(static_cast<int>(a))].get();
      const Key right = storage.keys.all[of_neighbour(static_cast<int>(b))].get();
      return compare(left, right);
    });
    store_ranks(storage, places);
  }
  static TUNE_UNCHECKED unsigned place(const unsigned* places, int i) { return places[i]; }
  static TUNE_COLLECTIVE void store_ranks(Storage& storage, const unsigned* places) {
    for (int i = 0; i < count; ++i) storage.ranks[place(places, i)] = static_cast<unsigned>(i);
  }
};

#define TUNE_BLOCK_SYNC [&] { tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line); }

template<class Key, int x, int items, class Value = NullType, int = 4, bool = true,
         BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int y = 1, int z = 1>
class BlockRadixSort {
  using T = Key;
  using Sorter = tune_sorter<Key, Value, x * y * z, items>;

 public:
  using TempStorage = typename Sorter::Storage;

 private:
  TempStorage& storage_;
  struct Compare {
    int begin;
    unsigned long long mask;
    bool descending;
    TUNE_COLLECTIVE unsigned long long digits(const Key& key) const {
      return tune_radix(key) >> begin & mask;
    }
    TUNE_COLLECTIVE bool operator()(const Key& a, const Key& b) const {
      return descending ? digits(b) < digits(a) : digits(a) < digits(b);
    }
  };
  template<tune_order order>
  TUNE_COLLECTIVE void sort(Key (&keys)[items], Value (*values)[items], bool descending, int begin, int end,
                            const char* tune_file, int tune_line) {
    const Compare compare{begin, end - begin >= 64 ? ~0ULL : (1ULL << (end - begin)) - 1, descending};
    const int thread = RowMajorTid<x, y, z>();
    Sorter::template sort<order>(storage_, thread, keys, values, compare, TUNE_BLOCK_SYNC);
  }

 public:
  TUNE_COLLECTIVE explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockRadixSort)

#define TUNE_SORT(name, order, descending)                                                             \
  TUNE_COLLECTIVE void name(Key(&keys)[items], int begin = 0, int end = 8 * sizeof(Key), TUNE_PLACE) { \
    sort<tune_order::order>(keys, nullptr, descending, begin, end, tune_file, tune_line);              \
  }                                                                                                    \
  TUNE_COLLECTIVE void name(Key(&keys)[items], Value(&values)[items], int begin = 0,                   \
                            int end = 8 * sizeof(Key), TUNE_PLACE) {                                   \
    sort<tune_order::order>(keys, &values, descending, begin, end, tune_file, tune_line);              \
  }
  TUNE_SORT(Sort, blocked, false)
  TUNE_SORT(SortDescending, blocked, true)
  TUNE_SORT(SortBlockedToStriped, striped, false)
  TUNE_SORT(SortDescendingBlockedToStriped, striped, true)
#undef TUNE_SORT
};

// With a comparison; items from the first invalid one on count as `other`, which comes last.
#define TUNE_MERGE_SORTS(name, threads, thread, SYNC)                                                        \
  template<class Compare>                                                                                    \
  TUNE_COLLECTIVE void name(Key(&keys)[items], Compare compare, TUNE_PLACE) {                                \
    Sorter::template sort<tune_order::blocked>(storage_, thread, keys, nullptr, compare, SYNC);              \
  }                                                                                                          \
  template<class Compare>                                                                                    \
  TUNE_COLLECTIVE void name(Key(&keys)[items], Compare compare, int valid, Key other, TUNE_PLACE) {          \
    for (int i = 0; i < items; ++i)                                                                          \
      if (thread * items + i >= valid) keys[i] = other;                                                      \
    name(keys, compare, tune_file, tune_line);                                                               \
  }                                                                                                          \
  template<class Compare>                                                                                    \
  TUNE_COLLECTIVE void name(Key(&keys)[items], Value(&values)[items], Compare compare, TUNE_PLACE) {         \
    Sorter::template sort<tune_order::blocked>(storage_, thread, keys, &values, compare, SYNC);              \
  }                                                                                                          \
  template<class Compare>                                                                                    \
  TUNE_COLLECTIVE void name(Key(&keys)[items], Value(&values)[items], Compare compare, int valid, Key other, \
                            TUNE_PLACE) {                                                                    \
    for (int i = 0; i < items; ++i)                                                                          \
      if (thread * items + i >= valid) keys[i] = other;                                                      \
    name(keys, values, compare, tune_file, tune_line);                                                       \
  }

template<class Key, int x, int items, class Value = NullType, int y = 1, int z = 1>
class BlockMergeSort {
  using T = Key;
  using Sorter = tune_sorter<Key, Value, x * y * z, items>;

 public:
  using TempStorage = typename Sorter::Storage;

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();

 public:
  TUNE_COLLECTIVE explicit BlockMergeSort(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockMergeSort)
  TUNE_MERGE_SORTS(Sort, x* y* z, thread_, TUNE_BLOCK_SYNC)
  TUNE_MERGE_SORTS(StableSort, x* y* z, thread_, TUNE_BLOCK_SYNC)
};

template<class Key, int items, int threads = 32, class Value = NullType>
class WarpMergeSort {
  static_assert(
      (threads & (threads - 1)) == 0,
      "tune_cannot_emulate: the emulator has no cub::WarpMergeSort of a number of threads that is not a "
      "power of two");
  using Sorter = tune_sorter<Key, Value, threads, items>;

 public:
  using TempStorage = typename Sorter::Storage;

 private:
  TempStorage& storage_;
  tune_emulator::Lanes<threads> lanes_;

 public:
  TUNE_COLLECTIVE explicit WarpMergeSort(TempStorage& storage) : storage_(storage) {}
#define TUNE_WARP_SYNC [&] { __syncwarp(lanes_.mask(), tune_file, tune_line); }
  TUNE_MERGE_SORTS(Sort, threads, lanes_.rank(), TUNE_WARP_SYNC)
  TUNE_MERGE_SORTS(StableSort, threads, lanes_.rank(), TUNE_WARP_SYNC)
#undef TUNE_WARP_SYNC
};
#undef TUNE_MERGE_SORTS

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// Sorting, the library meets at barriers before it counts.
template<class T, int x, int items, int bins, BlockHistogramAlgorithm algorithm = BLOCK_HISTO_SORT, int y = 1,
         int z = 1>
class BlockHistogram {
  static constexpr int threads = x * y * z;
  static constexpr bool sorts = algorithm == BLOCK_HISTO_SORT;

 public:
  using TempStorage = tune_cells<T, sorts ? threads : 1, sorts ? items : 1>;

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();

 public:
  TUNE_COLLECTIVE explicit BlockHistogram(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockHistogram)

  template<class Counter>
  TUNE_COLLECTIVE void InitHistogram(Counter* histogram) {
    for (int bin = thread_; bin < bins; bin += threads) histogram[bin] = 0;
  }
  template<class Counter>
  TUNE_COLLECTIVE void Composite(T (&values)[items], Counter* histogram, TUNE_PLACE) {
    if constexpr (sorts) {
      storage_.template put<tune_order::blocked>(thread_, values);
      tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    }
    for (int i = 0; i < items; ++i) atomicAdd(histogram + static_cast<int>(values[i]), Counter(1));
  }
  template<class Counter>
  TUNE_COLLECTIVE void Histogram(T (&values)[items], Counter* histogram, TUNE_PLACE) {
    InitHistogram(histogram);
    tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    Composite(values, histogram, tune_file, tune_line);
  }
};

}  // namespace cub
