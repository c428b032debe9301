// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tune::checks {

/// Floating point of 16 bits, as its bits: these kernels need no header of the toolkit.
struct Bfloat16 {
  unsigned short bits;
  __device__ explicit operator double() const { return __int_as_float(static_cast<int>(bits) << 16); }
};
struct Half {
  unsigned short bits;
  __device__ explicit operator double() const {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = mantissa / 16777216.0;  // below 2^-14, in steps of 2^-24
    if (exponent == 31)
      value =
          mantissa != 0 ? __longlong_as_double(0x7ff8000000000000) : __longlong_as_double(0x7ff0000000000000);
    else if (exponent != 0)
      value = (1 + mantissa / 1024.0) * __longlong_as_double(static_cast<long long>(exponent + 1008) << 52);
    return bits >> 15 != 0 ? -value : value;
  }
};

}  // namespace tune::checks
