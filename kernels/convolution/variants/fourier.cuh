// SPDX-License-Identifier: Apache-2.0
// A convolution of complex numbers by a Fourier transform within a block: each thread holds `points` of them
// in registers, and what it needs from others comes through shared memory.
//
// The transform of N numbers is N = r * m: for each j < m the numbers j, j + m, j + 2 m, ... are transformed
// (r of them, by one thread), multiplied by exp(-2 pi i j k / N), and stay in their places, which leaves r
// transforms of m numbers each. So frequencies come out with their digits reversed, and as the way back is
// the way there turned around, nobody has to put them in order.
#pragma once

constexpr int points = 16;

struct Complex {
  Real re, im;
};

__device__ __forceinline__ Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ __forceinline__ Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
__device__ __forceinline__ Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// The same number, without the compiler's knowledge: what was computed from it before is computed again
// rather than kept in registers. All threads of a warp come here.
template<class T>
__device__ __forceinline__ T anew(T value) {
  return __shfl_sync(0xffffffffu, value, threadIdx.x % 32);
}

// a * conj(b) for the way back, else a * b.
template<bool back>
__device__ __forceinline__ Complex turned(Complex a, Complex b) {
  return a * Complex{b.re, back ? -b.im : b.im};
}

// a * exp(-2 pi i k / 16), or its conjugate for the way back.
template<bool back, int k>
__device__ __forceinline__ Complex turned_by_16th(Complex a) {
  constexpr Real half = Real(0.70710678118654752440), cosine = Real(0.92387953251128675613),
                 sine = Real(0.38268343236508977173);
  if constexpr (k == 0) {
    return a;
  } else if constexpr (k == 4) {
    return back ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
  } else if constexpr (k > 4) {
    return turned_by_16th<back, k - 4>(turned_by_16th<back, 4>(a));
  } else if constexpr (k == 2) {
    return back ? Complex{half * (a.re - a.im), half * (a.re + a.im)}
                : Complex{half * (a.re + a.im), half * (a.im - a.re)};
  } else {
    constexpr Real re = k == 1 ? cosine : sine, im = k == 1 ? -sine : -cosine;
    return turned<back>(a, {re, im});
  }
}

// Transforms of 4, 8 and 16 numbers; results in order.
template<bool back>
__device__ __forceinline__ void transform_4(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex sum = a + c, difference = a - c, odd_sum = b + d;
  const Complex odd_difference = turned_by_16th<back, 4>(b - d);
  a = sum + odd_sum;
  c = sum - odd_sum;
  b = difference + odd_difference;
  d = difference - odd_difference;
}

template<bool back>
__device__ __forceinline__ void transform_8(Complex* x) {
  transform_4<back>(x[0], x[2], x[4], x[6]);
  transform_4<back>(x[1], x[3], x[5], x[7]);
  const Complex odd[4] = {x[1], turned_by_16th<back, 2>(x[3]), turned_by_16th<back, 4>(x[5]),
                          turned_by_16th<back, 6>(x[7])};
  const Complex even[4] = {x[0], x[2], x[4], x[6]};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

template<bool back>
__device__ __forceinline__ void transform_16(Complex* x) {
#pragma unroll
  for (int n = 0; n < 4; ++n) transform_4<back>(x[n], x[4 + n], x[8 + n], x[12 + n]);
  // x[4 k + n] is the sum of x[4 l + n] exp(-2 pi i l k / 4).
  x[5] = turned_by_16th<back, 1>(x[5]);
  x[6] = turned_by_16th<back, 2>(x[6]);
  x[7] = turned_by_16th<back, 3>(x[7]);
  x[9] = turned_by_16th<back, 2>(x[9]);
  x[10] = turned_by_16th<back, 4>(x[10]);
  x[11] = turned_by_16th<back, 6>(x[11]);
  x[13] = turned_by_16th<back, 3>(x[13]);
  x[14] = turned_by_16th<back, 6>(x[14]);
  x[15] = turned_by_16th<back, 9>(x[15]);
#pragma unroll
  for (int k = 0; k < 4; ++k) transform_4<back>(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    // x[4 k + l] is that of frequency k + 4 l.
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int l = 0; l < k; ++l) {
      const Complex kept = x[4 * k + l];
      x[4 * k + l] = x[4 * l + k];
      x[4 * l + k] = kept;
    }
}

template<int count, bool back>
__device__ __forceinline__ void transform(Complex* x) {
  static_assert(count == 2 || count == 4 || count == 8 || count == 16, "2, 4, 8 or 16 numbers");
  if constexpr (count == 2) {
    const Complex sum = x[0] + x[1], difference = x[0] - x[1];
    x[0] = sum;
    x[1] = difference;
  } else if constexpr (count == 4) {
    transform_4<back>(x[0], x[1], x[2], x[3]);
  } else if constexpr (count == 8) {
    transform_8<back>(x);
  } else {
    transform_16<back>(x);
  }
}

// The radix of the first step of `length` numbers.
__device__ constexpr int radix_of(int length) {
  return length >= points ? points : length;
}

// Which frequency comes out at a place.
template<int length>
__device__ __forceinline__ int frequency_at(int place) {
  if constexpr (length == 1) {
    return 0;
  } else {
    constexpr int radix = radix_of(length), rest = length / radix;
    return place / rest + radix * frequency_at<rest>(place % rest);
  }
}

// `count` transforms of `length` numbers in a block. interleaved: neighbouring threads belong to different
// transforms, and so do neighbouring numbers in shared memory; else the threads of one are neighbours.
template<int length, int count, bool interleaved>
struct BlockTransforms {
  static constexpr int threads_each = length / points, threads = threads_each * count;
  // After 16 numbers there is a gap: the numbers that threads read together lie in different banks then.
  static constexpr int pitch = length + length / 16, numbers = pitch * count;

  Complex* shared;
  const Complex* turns;     // exp(-2 pi i n / length), length of them
  const Complex* spectrum;  // of the filter: that of a thread's p-th number at p * threads_each + thread
  int thread;               // of the transform
  int which;                // transform of the block

  __device__ __forceinline__ BlockTransforms(Complex* to, const Complex* tables)
      : shared(to),
        turns(tables),
        spectrum(tables + length),
        thread(interleaved ? threadIdx.x / count : threadIdx.x % threads_each),
        which(interleaved ? threadIdx.x % count : threadIdx.x / threads_each) {}

  // The place of a thread's p-th number in the step of `size`.
  template<int size>
  __device__ __forceinline__ static int place(int thread, int p) {
    constexpr int radix = radix_of(size), rest = size / radix;
    const int group = thread + p / radix * threads_each;
    return group / rest * size + group % rest + p % radix * rest;
  }

  // The same in the last step, in which numbers are frequencies.
  template<int size = length>
  __device__ __forceinline__ static int last_place(int thread, int p) {
    if constexpr (size == radix_of(size)) {
      return place<size>(thread, p);
    } else {
      return last_place<size / radix_of(size)>(thread, p);
    }
  }

  // Where a thread's first number of a step lies in shared memory, and how far behind it the p-th one: places
  // differ by whole groups of 16, or lie within one.
  template<int size>
  __device__ __forceinline__ Complex* home() const {
    const int first = place<size>(thread, 0), padded = first + first / 16;
    return shared + (interleaved ? padded * count + which : which * pitch + padded);
  }
  template<int size>
  __device__ static constexpr int distance(int p) {
    constexpr int radix = radix_of(size), rest = size / radix;
    const int behind = p / radix * threads_each * size + p % radix * rest;
    return (behind + behind / 16) * (interleaved ? count : 1);
  }

  template<int from, int to>
  __device__ __forceinline__ void exchange(Complex (&x)[points]) const {
    Complex* target = home<from>();
#pragma unroll
    for (int p = 0; p < points; ++p) target[distance<from>(p)] = x[p];
    __syncthreads();
    const Complex* source = home<to>();
#pragma unroll
    for (int p = 0; p < points; ++p) x[p] = source[distance<to>(p)];
  }

  // x[k] *= first^k or its conjugate. Powers are products of at most five factors, of which few are kept.
  template<bool back>
  __device__ __forceinline__ static void turn(Complex (&x)[points], Complex first) {
    const Complex second = first * first, third = second * first, fourth = second * second;
    x[1] = turned<back>(x[1], first);
    x[2] = turned<back>(x[2], second);
    x[3] = turned<back>(x[3], third);
    Complex base = fourth;
#pragma unroll
    for (int k = 4; k < points; k += 4) {
      x[k] = turned<back>(x[k], base);
      x[k + 1] = turned<back>(x[k + 1], base * first);
      x[k + 2] = turned<back>(x[k + 2], base * second);
      x[k + 3] = turned<back>(x[k + 3], base * third);
      base = base * fourth;
    }
  }

  // There, times the spectrum, and back. x[p] is number place<size>(thread, p) before and after.
  template<int size = length>
  __device__ __forceinline__ void convolve(Complex (&x)[points]) const {
    constexpr int radix = radix_of(size), rest = size / radix;
#pragma unroll
    for (int p = 0; p < points; p += radix) transform<radix, false>(x + p);
    if constexpr (rest == 1) {
#pragma unroll
      for (int p = 0; p < points; ++p) {
        Real factor[2];
        load_vector<2, Load::readonly>(factor, &spectrum[p * threads_each + thread].re);
        x[p] = x[p] * Complex{factor[0], factor[1]};
      }
    } else {
      Real first[2];
      load_vector<2, Load::readonly>(first, &turns[thread % rest * (length / size)].re);
      turn<false>(x, {first[0], first[1]});
      exchange<size, rest>(x);
      convolve<rest>(x);
      exchange<rest, size>(x);
      turn<true>(x, {anew(first[0]), anew(first[1])});
    }
#pragma unroll
    for (int p = 0; p < points; p += radix) transform<radix, true>(x + p);
  }
};
