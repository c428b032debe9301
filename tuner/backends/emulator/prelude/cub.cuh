// SPDX-License-Identifier: Apache-2.0
// Collectives of blocks and warps from CUB. They use shared memory and barriers where the library does, so
// that a barrier that is missing between two uses of a temporary storage is a race here, too.
#pragma once

#include "collectives.cuh"
#include "cub_items.cuh"
#include "standard_library.cuh"
#include "warp.cuh"

namespace cub {

using tune_emulator::undefined;

struct tune_no_storage {};
// Results that the library leaves undefined are all ones.
#define TUNE_THREADS(x, y, z) ((x) * (y) * (z))

// The operations of releases before CUDA 13.
using Sum = std::plus<>;
using Difference = std::minus<>;
using Division = std::divides<>;
using Max = cuda::maximum<>;
using Min = cuda::minimum<>;
using Equality = std::equal_to<>;
using Inequality = std::not_equal_to<>;

template<class KeyType, class ValueType>
struct KeyValuePair {
  using Key = KeyType;
  using Value = ValueType;
  Key key;
  Value value;
};
// The smaller key where values are equal.
struct ArgMax {
  template<class Pair>
  TUNE_COLLECTIVE Pair operator()(const Pair& a, const Pair& b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template<class Pair>
  TUNE_COLLECTIVE Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
TUNE_COLLECTIVE unsigned LaneId() {
  return tune_emulator::thread_of_block() % 32;
}
TUNE_COLLECTIVE unsigned WarpId() {
  return tune_emulator::thread_of_block() / 32;
}

// ---- warps ----

template<class T, int threads = 32>
class WarpReduce {
  static_assert(
      (threads & (threads - 1)) == 0,
      "tune_cannot_emulate: the emulator has no cub::WarpReduce of a number of threads that is not a power of two");

 public:
  using TempStorage = tune_no_storage;
  TUNE_COLLECTIVE explicit WarpReduce(TempStorage&) {}

  template<class Operation>
  TUNE_COLLECTIVE T Reduce(T input, Operation operation, TUNE_PLACE) {
    return Reduce(input, operation, threads, tune_file, tune_line);
  }
  template<class Operation>
  TUNE_COLLECTIVE T Reduce(T input, Operation operation, int valid, TUNE_PLACE) {
    const tune_emulator::Lanes<threads> lanes;
    const T sum = lanes.reduce(input, operation, valid, tune_file, tune_line);
    return lanes.rank() == 0 ? sum : undefined<T>();
  }
  TUNE_COLLECTIVE T Sum(T input, TUNE_PLACE) { return Reduce(input, std::plus<>(), tune_file, tune_line); }
  TUNE_COLLECTIVE T Sum(T input, int valid, TUNE_PLACE) {
    return Reduce(input, std::plus<>(), valid, tune_file, tune_line);
  }
  TUNE_COLLECTIVE T Max(T input, TUNE_PLACE) {
    return Reduce(input, cuda::maximum<>(), tune_file, tune_line);
  }
  TUNE_COLLECTIVE T Min(T input, TUNE_PLACE) {
    return Reduce(input, cuda::minimum<>(), tune_file, tune_line);
  }
};

template<class T, int threads = 32>
class WarpScan {
  static_assert(
      (threads & (threads - 1)) == 0,
      "tune_cannot_emulate: the emulator has no cub::WarpScan of a number of threads that is not a power of two");
  using Lanes = tune_emulator::Lanes<threads>;

 public:
  using TempStorage = tune_no_storage;
  TUNE_COLLECTIVE explicit WarpScan(TempStorage&) {}

  template<class Operation>
  TUNE_COLLECTIVE void InclusiveScan(T input, T& output, Operation operation, TUNE_PLACE) {
    output = Lanes().scan(input, operation, tune_file, tune_line);
  }
  template<class Operation>
  TUNE_COLLECTIVE void InclusiveScan(T input, T& output, Operation operation, T& aggregate, TUNE_PLACE) {
    output = Lanes().scan(input, operation, tune_file, tune_line);
    aggregate = Lanes().from(output, threads - 1, tune_file, tune_line);
  }
  // The first lane's output is undefined.
  template<class Operation>
  TUNE_COLLECTIVE void ExclusiveScan(T input, T& output, Operation operation, TUNE_PLACE) {
    T sum;
    Scan(input, sum, output, operation, tune_file, tune_line);
  }
  template<class Operation>
  TUNE_COLLECTIVE void ExclusiveScan(T input, T& output, T initial, Operation operation, TUNE_PLACE) {
    T sum;
    Scan(input, sum, output, initial, operation, tune_file, tune_line);
  }
  template<class Operation>
  TUNE_COLLECTIVE void ExclusiveScan(T input, T& output, Operation operation, T& aggregate, TUNE_PLACE) {
    T sum;
    Scan(input, sum, output, operation, tune_file, tune_line);
    aggregate = Lanes().from(sum, threads - 1, tune_file, tune_line);
  }
  template<class Operation>
  TUNE_COLLECTIVE void ExclusiveScan(T input, T& output, T initial, Operation operation, T& aggregate,
                                     TUNE_PLACE) {
    T sum;
    Scan(input, sum, output, operation, tune_file, tune_line);
    aggregate = Lanes().from(sum, threads - 1, tune_file, tune_line);
    output = Lanes().rank() == 0 ? initial : operation(initial, output);
  }
  template<class Operation>
  TUNE_COLLECTIVE void Scan(T input, T& inclusive, T& exclusive, Operation operation, TUNE_PLACE) {
    inclusive = Lanes().scan(input, operation, tune_file, tune_line);
    const T before = Lanes().up(inclusive, 1, tune_file, tune_line);
    exclusive = Lanes().rank() == 0 ? undefined<T>() : before;
  }
  template<class Operation>
  TUNE_COLLECTIVE void Scan(T input, T& inclusive, T& exclusive, T initial, Operation operation, TUNE_PLACE) {
    Scan(input, inclusive, exclusive, operation, tune_file, tune_line);
    inclusive = operation(initial, inclusive);
    exclusive = Lanes().rank() == 0 ? initial : operation(initial, exclusive);
  }
  TUNE_COLLECTIVE void InclusiveSum(T input, T& output, TUNE_PLACE) {
    InclusiveScan(input, output, std::plus<>(), tune_file, tune_line);
  }
  TUNE_COLLECTIVE void InclusiveSum(T input, T& output, T& aggregate, TUNE_PLACE) {
    InclusiveScan(input, output, std::plus<>(), aggregate, tune_file, tune_line);
  }
  TUNE_COLLECTIVE void ExclusiveSum(T input, T& output, TUNE_PLACE) {
    ExclusiveScan(input, output, T(), std::plus<>(), tune_file, tune_line);
  }
  TUNE_COLLECTIVE void ExclusiveSum(T input, T& output, T& aggregate, TUNE_PLACE) {
    ExclusiveScan(input, output, T(), std::plus<>(), aggregate, tune_file, tune_line);
  }
  TUNE_COLLECTIVE T Broadcast(T input, unsigned lane, TUNE_PLACE) {
    return Lanes().from(input, static_cast<int>(lane), tune_file, tune_line);
  }
};

// ---- reductions of a block ----

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};

// Each warp writes its sum, or, raking, each thread its value; the first thread reads them behind a barrier.
template<class T, int x, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1,
         int = 0>
class BlockReduce {
  static constexpr int threads = TUNE_THREADS(x, y, z), width = threads < 32 ? threads : 32;
  static constexpr bool by_warps = algorithm == BLOCK_REDUCE_WARP_REDUCTIONS || threads <= 32;
  static constexpr int parts = by_warps ? (threads + 31) / 32 : threads;

 public:
  struct TempStorage {
    tune_emulator::Cell<T> sums[parts];
  };

 private:
  TempStorage& storage_;

 public:
  TUNE_COLLECTIVE explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockReduce)

  template<class Operation>
  TUNE_COLLECTIVE T Reduce(T input, Operation operation, int valid, TUNE_PLACE) {
    const int thread = RowMajorTid<x, y, z>(), warp = thread / 32;
    if constexpr (by_warps) {
      const int left = valid - warp * 32;
      const T sum = tune_emulator::Lanes<32>().reduce(input, operation, left < width ? left : width,
                                                      tune_file, tune_line);
      if (thread % 32 == 0 && left > 0) storage_.sums[warp].set(sum);
    } else if (thread < valid) {
      storage_.sums[thread].set(input);
    }
    tune_barrier(tune_emulator::Barrier::plain, 0, tune_file, tune_line);
    if (thread != 0) return undefined<T>();
    T sum = storage_.sums[0].get();
    const int count = by_warps ? (valid + 31) / 32 : valid;
    for (int part = 1; part < count; ++part) sum = operation(sum, storage_.sums[part].get());
    return sum;
  }
  template<class Operation>
  TUNE_COLLECTIVE T Reduce(T input, Operation operation, TUNE_PLACE) {
    return Reduce(input, operation, threads, tune_file, tune_line);
  }
  template<int items, class Operation>
  TUNE_COLLECTIVE T Reduce(T (&inputs)[items], Operation operation, TUNE_PLACE) {
    T sum = inputs[0];
    for (int i = 1; i < items; ++i) sum = operation(sum, inputs[i]);
    return Reduce(sum, operation, threads, tune_file, tune_line);
  }
  TUNE_COLLECTIVE T Sum(T input, TUNE_PLACE) {
    return Reduce(input, std::plus<>(), threads, tune_file, tune_line);
  }
  TUNE_COLLECTIVE T Sum(T input, int valid, TUNE_PLACE) {
    return Reduce(input, std::plus<>(), valid, tune_file, tune_line);
  }
  template<int items>
  TUNE_COLLECTIVE T Sum(T (&inputs)[items], TUNE_PLACE) {
    return Reduce(inputs, std::plus<>(), tune_file, tune_line);
  }
};

// ---- scans of a block ----

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template<class T, int x, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan {
  static constexpr int threads = TUNE_THREADS(x, y, z);
  static constexpr bool by_warps = algorithm == BLOCK_SCAN_WARP_SCANS && threads % 32 == 0;
  using Cell = tune_emulator::Cell<T>;
  struct None {
    TUNE_COLLECTIVE T operator()(T) { return undefined<T>(); }
  };

 public:
  struct TempStorage {
    Cell parts[by_warps ? threads / 32 : threads];
    Cell aggregate, prefix;
  };

 private:
  TempStorage& storage_;
  int thread_ = RowMajorTid<x, y, z>();
  static TUNE_COLLECTIVE void sync(const char* file, int line) {
    tune_barrier(tune_emulator::Barrier::plain, 0, file, line);
  }

  // The sum of the threads before this one, undefined for the first, and of all.
  template<class Operation>
  TUNE_COLLECTIVE T before(T input, Operation operation, T& all, const char* file, int line) {
    if constexpr (by_warps) {
      const tune_emulator::Lanes<32> lanes;
      const T sum = lanes.scan(input, operation, file, line);
      T previous = lanes.up(sum, 1, file, line);
      if (lanes.rank() == 31) storage_.parts[thread_ / 32].set(sum);
      sync(file, line);
      T warps = storage_.parts[0].get();
      for (int warp = 1; warp < threads / 32; ++warp) {
        if (warp == thread_ / 32) previous = lanes.rank() == 0 ? warps : operation(warps, previous);
        warps = operation(warps, storage_.parts[warp].get());
      }
      all = warps;
      return previous;
    } else {
      storage_.parts[thread_].set(input);
      sync(file, line);
      if (thread_ == 0) {
        T sum = storage_.parts[0].get();
        for (int other = 1; other < threads; ++other) {
          const T value = storage_.parts[other].get();
          storage_.parts[other].set(sum);
          sum = operation(sum, value);
        }
        storage_.aggregate.set(sum);
      }
      sync(file, line);
      all = storage_.aggregate.get();
      return storage_.parts[thread_].get();
    }
  }

  template<bool inclusive, int items, class Operation, class Prefix>
  TUNE_COLLECTIVE void scan(const T (&input)[items], T (&output)[items], Operation operation,
                            const T* initial, T* aggregate, Prefix* prefix, const char* file, int line) {
    T own = input[0];
    for (int i = 1; i < items; ++i) own = operation(own, input[i]);
    T all = undefined<T>();
    T sum = before(own, operation, all, file, line);
    bool any = thread_ > 0;
    if (initial != nullptr) {
      sum = any ? operation(*initial, sum) : *initial;
      any = true;
    }
    if (prefix != nullptr) {
      // The first warp calls it, and the first thread's answer counts.
      if (thread_ < 32) {
        const T answer = (*prefix)(all);
        if (thread_ == 0) storage_.prefix.set(answer);
      }
      sync(file, line);
      const T answer = storage_.prefix.get();
      sum = any ? operation(answer, sum) : answer;
      any = true;
    }
    if (aggregate != nullptr) *aggregate = all;
    for (int i = 0; i < items; ++i) {
      const T value = input[i], next = any ? operation(sum, value) : value;
      output[i] = inclusive ? next : any ? sum : undefined<T>();
      sum = next;
      any = true;
    }
  }
  template<bool inclusive, class Operation, class Prefix>
  TUNE_COLLECTIVE void scan(T input, T& output, Operation operation, const T* initial, T* aggregate,
                            Prefix* prefix, const char* file, int line) {
    const T inputs[1] = {input};
    T outputs[1] = {input};
    scan<inclusive>(inputs, outputs, operation, initial, aggregate, prefix, file, line);
    output = outputs[0];
  }
  static constexpr None* none = nullptr;

 public:
  TUNE_COLLECTIVE explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  TUNE_NEEDS_STORAGE(BlockScan)

// For one item and several of a thread: with nothing, with the sum of all, with a call-back.
#define TUNE_SCANS(more, of_template, input_type, output_type)                                         \
  of_template(class Operation) TUNE_COLLECTIVE void InclusiveScan(input_type, output_type,             \
                                                                  Operation operation, TUNE_PLACE) {   \
    scan<true>(input, output, operation, nullptr, nullptr, none, tune_file, tune_line);                \
  }                                                                                                    \
  of_template(class Operation) TUNE_COLLECTIVE void InclusiveScan(                                     \
      input_type, output_type, Operation operation, T& aggregate, TUNE_PLACE) {                        \
    scan<true>(input, output, operation, nullptr, &aggregate, none, tune_file, tune_line);             \
  }                                                                                                    \
  of_template(class Operation, class Prefix) TUNE_COLLECTIVE void InclusiveScan(                       \
      input_type, output_type, Operation operation, Prefix& prefix, TUNE_PLACE) {                      \
    scan<true>(input, output, operation, nullptr, nullptr, &prefix, tune_file, tune_line);             \
  }                                                                                                    \
  of_template(class Operation) TUNE_COLLECTIVE void ExclusiveScan(input_type, output_type,             \
                                                                  Operation operation, TUNE_PLACE) {   \
    scan<false>(input, output, operation, nullptr, nullptr, none, tune_file, tune_line);               \
  }                                                                                                    \
  of_template(class Operation) TUNE_COLLECTIVE void ExclusiveScan(                                     \
      input_type, output_type, Operation operation, T& aggregate, TUNE_PLACE) {                        \
    scan<false>(input, output, operation, nullptr, &aggregate, none, tune_file, tune_line);            \
  }                                                                                                    \
  of_template(class Operation) TUNE_COLLECTIVE void ExclusiveScan(input_type, output_type, T initial,  \
                                                                  Operation operation, TUNE_PLACE) {   \
    scan<false>(input, output, operation, &initial, nullptr, none, tune_file, tune_line);              \
  }                                                                                                    \
  of_template(class Operation) TUNE_COLLECTIVE void ExclusiveScan(                                     \
      input_type, output_type, T initial, Operation operation, T& aggregate, TUNE_PLACE) {             \
    scan<false>(input, output, operation, &initial, &aggregate, none, tune_file, tune_line);           \
  }                                                                                                    \
  of_template(class Operation, class Prefix) TUNE_COLLECTIVE void ExclusiveScan(                       \
      input_type, output_type, Operation operation, Prefix& prefix, TUNE_PLACE) {                      \
    scan<false>(input, output, operation, nullptr, nullptr, &prefix, tune_file, tune_line);            \
  }                                                                                                    \
  more TUNE_COLLECTIVE void InclusiveSum(input_type, output_type, TUNE_PLACE) {                        \
    scan<true>(input, output, std::plus<>(), nullptr, nullptr, none, tune_file, tune_line);            \
  }                                                                                                    \
  more TUNE_COLLECTIVE void InclusiveSum(input_type, output_type, T& aggregate, TUNE_PLACE) {          \
    scan<true>(input, output, std::plus<>(), nullptr, &aggregate, none, tune_file, tune_line);         \
  }                                                                                                    \
  of_template(class Prefix) TUNE_COLLECTIVE void InclusiveSum(input_type, output_type, Prefix& prefix, \
                                                              TUNE_PLACE) {                            \
    scan<true>(input, output, std::plus<>(), nullptr, nullptr, &prefix, tune_file, tune_line);         \
  }                                                                                                    \
  more TUNE_COLLECTIVE void ExclusiveSum(input_type, output_type, TUNE_PLACE) {                        \
    const T zero{};                                                                                    \
    scan<false>(input, output, std::plus<>(), &zero, nullptr, none, tune_file, tune_line);             \
  }                                                                                                    \
  more TUNE_COLLECTIVE void ExclusiveSum(input_type, output_type, T& aggregate, TUNE_PLACE) {          \
    const T zero{};                                                                                    \
    scan<false>(input, output, std::plus<>(), &zero, &aggregate, none, tune_file, tune_line);          \
  }                                                                                                    \
  of_template(class Prefix) TUNE_COLLECTIVE void ExclusiveSum(input_type, output_type, Prefix& prefix, \
                                                              TUNE_PLACE) {                            \
    scan<false>(input, output, std::plus<>(), nullptr, nullptr, &prefix, tune_file, tune_line);        \
  }
#define TUNE_ONE(...) template<__VA_ARGS__>
#define TUNE_SEVERAL(...) template<int items, __VA_ARGS__>
#define TUNE_NOTHING
  TUNE_SCANS(TUNE_NOTHING, TUNE_ONE, T input, T& output)
  TUNE_SCANS(template<int items>, TUNE_SEVERAL, const T (&input)[items], T (&output)[items])
#undef TUNE_SCANS
#undef TUNE_ONE
#undef TUNE_SEVERAL
#undef TUNE_NOTHING
};

}  // namespace cub

#include "cub_neighbours.cuh"
#include "cub_sorts.cuh"
