// SPDX-License-Identifier: Apache-2.0
// What the checking kernels and the program that launches them pass to each other. Plain data of fixed sizes
// and without headers, because the device compiler (NVRTC), the host compiler and tests on the CPU read it.
#pragma once

namespace tune::checks {

using Count = unsigned long long;

/// Threads of a block of all checking kernels: a power of two, for the reductions.
constexpr int block_threads = 256;

/// Where element i of a dense tensor lies in an allocation, in elements: loops, the innermost first, around
/// which there is an outer one without end. A dense layout is the outer one alone, with stride 1.
constexpr int most_loops = 8;
struct Loop {
  Count count = 1;
  Count stride = 1;
  double reciprocal = 1;  ///< of count
};
struct Placement {
  int loops = 0;
  Loop loop[most_loops];
  Count outer_stride = 1;
};

/// Limits of elements by their places along the axes, the fastest first; without axes there are none.
struct Limits {
  const double* table = nullptr;  ///< those of all axes, one axis after the other
  int axes = 0;
  struct Axis {
    Loop along;       ///< its stride is unused
    Count first = 0;  ///< of its limits in the table
    int limited = 0;  ///< 0: it has none
  } axis[most_loops];
};

/// What one block found among the elements that it compared: the worst error (negative where it had no
/// element), the smallest index that has it, and how many are beyond the tolerance. One beyond it is worse
/// than all within.
struct Finding {
  double error = -1;
  double rank = 0;   ///< of that element: the error, or how far it is beyond what is allowed there
  double total = 0;  ///< of the errors of all elements
  double value = 0;
  double reference = 0;
  Count index = 0;
  Count wrong = 0;
  Count unwritten = 0;  ///< 1: that element still has the poison of before the run
};

/// Memory around a buffer that no kernel may write to. It need not begin at a word, but must end at one.
struct Zone {
  unsigned char* begin = nullptr;
  Count bytes = 0;
};

/// As many as one launch looks after: they travel as an argument.
constexpr int most_zones = 32;
struct Zones {
  int count = 0;
  Zone zone[most_zones];
};

/// What guards are filled with. As float and as (half of a) double it is NaN, so that what is read from
/// outside a buffer spoils a result and shows; it is neither the poison of outputs nor a NaN that arithmetic
/// makes, so that a copy of these is noticed too; its bytes differ from each other.
constexpr unsigned guard_word = 0x7ff5a3c7u;

/// Bytes behind one sum of `sum_tiles`.
constexpr Count tile_bytes = Count{1} << 18;

}  // namespace tune::checks
