// SPDX-License-Identifier: Apache-2.0
// Compares an output with its reference where it lies, in the memory of the device: bringing half a gigabyte
// to the host takes longer than everything else of an evaluation together. One of the program's own kernels:
// compiled at the first use for a type of elements, launched by tuner/backends/cuda/checks/device_checks.cpp.
// The tests run the same text on the CPU.

#include "tuner/backends/cuda/checks/small_floats.cuh"
#include "tuner/backends/cuda/checks/types.cuh"

namespace tune::checks {

/// i / loop.count, by the reciprocal: a 64-bit division is a hundred instructions. Exact for i below 2^53,
/// which no memory holds elements of: the product is wrong by less than 1.
__device__ inline Count divide(Count i, const Loop& loop) {
  auto quotient = static_cast<Count>(static_cast<double>(i) * loop.reciprocal);
  const auto rest = static_cast<long long>(i - quotient * loop.count);
  if (rest < 0) --quotient;
  if (rest >= static_cast<long long>(loop.count)) ++quotient;
  return quotient;
}

/// Where element i lies, counted from element 0.
__device__ inline Count offset_of(Count i, const Placement& placement) {
  Count offset = 0;
#pragma unroll 1
  for (int l = 0; l < placement.loops; ++l) {
    const Loop& loop = placement.loop[l];
    const Count outer = divide(i, loop);
    offset += (i - outer * loop.count) * loop.stride;
    i = outer;
  }
  return offset + i * placement.outer_stride;
}

/// True where every bit is set, as outputs are poisoned before a run: no arithmetic makes such a NaN. Whole
/// numbers may be written like that.
template<class T>
__device__ inline bool is_poison(T) {
  return false;
}
__device__ inline bool is_poison(float value) {
  return __float_as_int(value) == -1;
}
__device__ inline bool is_poison(double value) {
  return __double_as_longlong(value) == -1;
}
__device__ inline bool is_poison(Half value) {
  return value.bits == 0xffff;
}
__device__ inline bool is_poison(Bfloat16 value) {
  return value.bits == 0xffff;
}

/// |value - reference|; 0 for equal infinities and for a NaN in place of a NaN; infinite for any other NaN,
/// which compares with nothing and would pass, and for poison.
template<class T>
__device__ inline double error_of(T element, double reference) {
  constexpr long long infinity = 0x7ff0000000000000;
  const auto value = static_cast<double>(element);
  if (is_poison(element)) return __longlong_as_double(infinity);
  if (value == reference || (value != value && reference != reference)) return 0;
  const double difference = value - reference;
  if (difference != difference) return __longlong_as_double(infinity);
  return difference < 0 ? -difference : difference;
}

/// Whether a (with its index) is the one to report of two errors.
__device__ inline bool is_worse(double a, Count index_a, double b, Count index_b) {
  return a > b || (a == b && index_a < index_b);
}

/// Elements begin, ..., begin + count - 1 of the dense tensor; `first` is element 0 in the allocation,
/// `reference` holds these `count` elements only. An error of max(absolute, each * |reference|) is allowed.
/// Every block writes one of `findings`. What comes out does not depend on the grid nor on the order in which
/// anything runs, but for the rounding of the total.
template<class T>
__global__ void compare(const T* first, Placement placement, const double* reference, Count begin,
                        Count count, double absolute, double each, Finding* findings) {
  constexpr long long infinity = 0x7ff0000000000000;
  double worst = -__longlong_as_double(infinity);
  double total = 0;
  Count index = ~Count{0};
  Count wrong = 0;
  const Count threads = Count{gridDim.x} * block_threads;
  for (Count i = Count{blockIdx.x} * block_threads + threadIdx.x; i < count; i += threads) {
    const double right = reference[i];
    const double error = error_of(first[offset_of(begin + i, placement)], right);
    const double own = each * (right < 0 ? -right : right);
    const double allowed = own > absolute ? own : absolute;
    const bool infinite = error == __longlong_as_double(infinity);
    if (infinite || !(error <= allowed)) ++wrong;
    total += error;
    const double rank = each > 0 && !infinite ? error - allowed : error;
    if (index == ~Count{0} || rank > worst) {
      worst = rank;
      index = begin + i;
    }
  }

  __shared__ double worst_of[block_threads];
  __shared__ double total_of[block_threads];
  __shared__ Count index_of[block_threads];
  __shared__ Count wrong_of[block_threads];
  const unsigned me = threadIdx.x;
  worst_of[me] = worst;
  total_of[me] = total;
  index_of[me] = index;
  wrong_of[me] = wrong;
  __syncthreads();
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    if (me < half) {
      wrong_of[me] += wrong_of[me + half];
      total_of[me] += total_of[me + half];
      if (is_worse(worst_of[me + half], index_of[me + half], worst_of[me], index_of[me])) {
        worst_of[me] = worst_of[me + half];
        index_of[me] = index_of[me + half];
      }
    }
    __syncthreads();
  }
  if (me != 0) return;
  Finding& mine = findings[blockIdx.x];
  mine.error = -1;
  mine.rank = worst_of[0];
  mine.total = total_of[0];
  mine.index = index_of[0];
  mine.wrong = wrong_of[0];
  mine.value = 0;
  mine.reference = 0;
  mine.unwritten = 0;
  if (mine.index == ~Count{0}) return;
  const T element = first[offset_of(mine.index, placement)];
  mine.value = static_cast<double>(element);
  mine.reference = reference[mine.index - begin];
  mine.error = error_of(element, mine.reference);
  mine.unwritten = is_poison(element) ? 1 : 0;
}

}  // namespace tune::checks
