// SPDX-License-Identifier: Apache-2.0
// What the spaces of several variants have in common.
#pragma once

#include <vector>

#include "search/space/parameter.hpp"

namespace tune::kernels::convolution {

/// Unrolled multiply-adds that a kernel may have: more take seconds to compile and do not fit the cache of
/// instructions.
inline constexpr int max_terms = 4096;
inline constexpr const char* too_many_terms =
    "the unrolled sums are larger than the instruction cache and take seconds to compile";

/// `variant == name`.
search::Expr is_variant(const char* name);

/// Rules that hold wherever `applies` does.
class Rules {
 public:
  Rules(std::vector<search::Constraint>& rules, search::Expr applies)
      : rules_(rules), applies_(std::move(applies)) {}

  void add(const search::Expr& rule, const char* reason) { rules_.push_back({!applies_ || rule, reason}); }
  /// Limits of a block of so many threads: of the device, and for min_blocks of them with so many registers a
  /// thread and so many bytes of shared memory each.
  void add_block(const search::Expr& threads, const search::Expr& registers, const search::Expr& shared,
                 const search::Expr& min_blocks = search::var("min_blocks"));

 private:
  std::vector<search::Constraint>& rules_;
  search::Expr applies_;
};

}  // namespace tune::kernels::convolution
