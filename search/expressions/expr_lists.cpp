// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr_lists.hpp"

#include <cstddef>
#include <utility>

#include "search/expressions/scalar.hpp"

namespace tune::search {

namespace {

/// A value, and the condition under which it is there; nothing: always.
struct Listed {
  std::optional<Expr> condition;
  Expr value;
};

Listed listed(const Expr& one, const Expr& otherwise) {
  if (one.op() != Expr::Op::conditional || !one.operands()[2].same_as(otherwise)) return {std::nullopt, one};
  return {one.operands()[0], one.operands()[1]};
}

/// Returns whether two literals are equal; nothing where that depends on parameters.
std::optional<bool> equal_literals(const Expr& a, const Expr& b) {
  if (a.op() != Expr::Op::literal || b.op() != Expr::Op::literal) return std::nullopt;
  return equal(Scalar::of(a.literal()), Scalar::of(b.literal()));
}

std::optional<Expr> both(std::optional<Expr> a, Expr b) {
  return a ? *std::move(a) && std::move(b) : std::move(b);
}

}  // namespace

Expr value_of_list(const std::optional<Expr>& condition, const Expr& value, const Expr& otherwise) {
  return condition ? if_else(*condition, value, otherwise) : value;
}

std::vector<Expr> distinct(const std::vector<Expr>& all, const Expr& otherwise) {
  std::vector<Expr> once;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Listed one = listed(all[i], otherwise);
    bool repeated = false;
    for (std::size_t j = 0; j < i && !repeated; ++j) {
      const Listed earlier = listed(all[j], otherwise);
      const std::optional<bool> known = equal_literals(one.value, earlier.value);
      if (known == false) continue;
      repeated = (known == true || one.value.same_as(earlier.value)) && !earlier.condition;
      if (repeated) continue;
      const Expr differs = one.value != earlier.value;
      one.condition =
          both(std::move(one.condition), earlier.condition ? !*earlier.condition || differs : differs);
    }
    if (!repeated) once.push_back(value_of_list(one.condition, one.value, otherwise));
  }
  return once;
}

ListLength length_of(const std::vector<Expr>& values) {
  std::optional<Expr> count, all;
  std::int64_t certain = 0;
  for (const Expr& value : values) {
    const Listed one = listed(value, Expr(""));
    if (!one.condition) {
      ++certain;
      continue;
    }
    const Expr counts = if_else(*one.condition, Expr(1), Expr(0));
    count = count ? *std::move(count) + counts : counts;
    all = both(std::move(all), *one.condition);
  }
  const auto most = static_cast<std::int64_t>(values.size());
  if (!count) return {Expr(certain), most, Expr(true)};
  return {certain > 0 ? *count + Expr(certain) : *count, most, *all};
}

std::optional<Expr> complete_length(const std::vector<ListLength>& lengths, const Expr& left,
                                    const Expr& right) {
  for (const ListLength& length : lengths) {
    const Expr most(length.most);
    if ((left.same_as(length.count) && right.same_as(most)) ||
        (right.same_as(length.count) && left.same_as(most)))
      return length.all;
  }
  return std::nullopt;
}

}  // namespace tune::search
