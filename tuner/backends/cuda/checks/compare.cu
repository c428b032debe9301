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

/// Returns the smallest of `absolute` and the limits of element i.
__device__ inline double limit_of(Count i, const Limits& limits, double absolute) {
#pragma unroll 1
  for (int a = 0; a < limits.axes; ++a) {
    const Limits::Axis& axis = limits.axis[a];
    const Count outer = divide(i, axis.along);
    if (axis.limited != 0) {
      const double limit = limits.table[axis.first + (i - outer * axis.along.count)];
      absolute = limit < absolute ? limit : absolute;
    }
    i = outer;
  }
  return absolute;
}

/// The elements that a thread compared. `wrong` are beyond what is allowed; `worst` is the rank of one of
/// these, or of one of all where there are none, and `index` is its place.
struct Compared {
  double worst;
  double total;
  Count index;
  Count wrong;
};

/// Whether the worst of a is the one to report.
__device__ inline bool is_worse(const Compared& a, const Compared& b) {
  if ((a.wrong != 0) != (b.wrong != 0)) return a.wrong != 0;
  return a.worst > b.worst || (a.worst == b.worst && a.index < b.index);
}

/// Compares one thread's elements. Without limits along axes, an element that is wrong has a higher rank than
/// all that are not.
template<bool limited, class T>
__device__ inline Compared compare_some(const T* first, const Placement& placement, const double* reference,
                                        Count begin, Count count, double absolute, double each,
                                        const Limits& limits) {
  constexpr long long infinity = 0x7ff0000000000000;
  Compared found{-__longlong_as_double(infinity), 0, ~Count{0}, 0};
  const Count threads = Count{gridDim.x} * block_threads;
  for (Count i = Count{blockIdx.x} * block_threads + threadIdx.x; i < count; i += threads) {
    const double right = reference[i];
    const double error = error_of(first[offset_of(begin + i, placement)], right);
    const double own = each * (right < 0 ? -right : right);
    const double limit = limited ? limit_of(begin + i, limits, absolute) : absolute;
    const double allowed = own > limit ? own : limit;
    const bool infinite = error == __longlong_as_double(infinity);
    const bool is_wrong = infinite || !(error <= allowed);
    const double rank = each > 0 && !infinite ? error - allowed : error;
    const bool other_group = limited && is_wrong != (found.wrong != 0);
    if (found.index == ~Count{0} || (other_group ? is_wrong : rank > found.worst)) {
      found.worst = rank;
      found.index = begin + i;
    }
    if (is_wrong) ++found.wrong;
    found.total += error;
  }
  return found;
}

/// Elements begin, ..., begin + count - 1 of the dense tensor; `first` is element 0 in the allocation,
/// `reference` holds these `count` elements only. An error of max(limit, each * |reference|) is allowed, the
/// limit being the smallest of `absolute` and those along the axes. Every block writes one of `findings`.
/// What comes out does not depend on the grid nor on the order in which anything runs, but for the rounding
/// of the total.
template<class T>
__global__ void compare(const T* first, Placement placement, const double* reference, Count begin,
                        Count count, double absolute, double each, Limits limits, Finding* findings) {
  __shared__ Compared found[block_threads];
  const unsigned me = threadIdx.x;
  found[me] = limits.axes == 0
                  ? compare_some<false>(first, placement, reference, begin, count, absolute, each, limits)
                  : compare_some<true>(first, placement, reference, begin, count, absolute, each, limits);
  __syncthreads();
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    if (me < half) {
      const Compared& other = found[me + half];
      Compared& mine = found[me];
      if (is_worse(other, mine)) {
        mine.worst = other.worst;
        mine.index = other.index;
      }
      mine.wrong += other.wrong;
      mine.total += other.total;
    }
    __syncthreads();
  }
  if (me != 0) return;
  Finding& mine = findings[blockIdx.x];
  mine.error = -1;
  mine.rank = found[0].worst;
  mine.total = found[0].total;
  mine.index = found[0].index;
  mine.wrong = found[0].wrong;
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
