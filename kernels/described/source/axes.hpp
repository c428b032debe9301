// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/source/source_tree.hpp"

namespace tune::described {

inline constexpr std::array<std::string_view, 3> axis_names = {"x", "y", "z"};

/// What a kernel does along x, y or z.
struct Axis {
  bool has_threads = false;  ///< threadIdx, blockDim
  bool has_blocks = false;   ///< blockIdx, gridDim
  bool asks_block = false;   ///< blockDim: it takes blocks of any size
  bool asks_grid = false;    ///< gridDim
  bool has_rim = false;      ///< its index is compared with what is not 0 at the lower end, `x > 0`
  /// Factors of blockIdx, the elements from block to block; divisors begin with `/`.
  std::vector<std::string> per_block = {};
  /// What its index is divided by before it is compared: a row for each warp, `(i / 32) < rows`.
  std::vector<std::string> divisors = {};
  std::vector<std::string> strides = {};        ///< steps of loops that begin at threadIdx
  std::vector<std::string> bounds = {};         ///< what its index is compared with
  std::vector<std::string> thread_bounds = {};  ///< what an index of threadIdx alone is compared with
};

/// Adds what a function does along the axes.
void read_axes(const SourceTree& tree, const FunctionOfFile& function, std::array<Axis, 3>& axes);

}  // namespace tune::described
