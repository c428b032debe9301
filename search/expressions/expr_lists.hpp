// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/expressions/expr.hpp"

namespace tune::search {

/// A value of a list that is there under a condition is written as `value if condition else otherwise`;
/// `otherwise` is what it counts as where it is left out: 0 in a sum, 1 in a product, "" in a length.
Expr value_of_list(const std::optional<Expr>& condition, const Expr& value, const Expr& otherwise);

/// Returns the values of a set, each of them once: `otherwise` stands for one that an earlier one equals.
std::vector<Expr> distinct(const std::vector<Expr>& all, const Expr& otherwise);

/// How many values a list has, of which some are left out.
struct ListLength {
  Expr count;
  std::int64_t most;
  Expr all;  ///< holds where none is left out: `b != a and c != a and c != b` of `{a, b, c}`
};
/// `""` stands for a value that is left out.
ListLength length_of(const std::vector<Expr>& values);

/// Returns what `len({a, b, c}) == 3` means, which takes less to compute and to count: `b != a and c != a and
/// c != b`. Nothing where neither side is one of the lengths and the other one all that it can be.
std::optional<Expr> complete_length(const std::vector<ListLength>& lengths, const Expr& left,
                                    const Expr& right);

}  // namespace tune::search
