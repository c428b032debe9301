// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/described/source/source_tree.hpp"

namespace tune::described {

/// The largest subscripts with which a kernel reaches the elements of an array.
struct Subscripts {
  /// Expressions in C over sums, products, quotients, `min` and `max` of names that the kernel does not
  /// declare in its body, `threadIdx.x` and the like: variables are replaced by their largest values.
  std::vector<std::string> largest = {};
  bool unknown = false;  ///< there are others

  void add(const Subscripts& other);
};

struct ArrayOfKernel {
  std::string name;
  std::size_t bytes = 0;  ///< of an element; 0: not known
};

/// Returns those of the arrays that these names point to, in the body of the function at `definition` and in
/// pointers made of them there. What other functions do with an array is unknown.
std::vector<Subscripts> subscripts_of(const SourceTree& tree, int definition,
                                      const std::vector<ArrayOfKernel>& arrays);

}  // namespace tune::described
