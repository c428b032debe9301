// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/scalar.hpp"
#include "search/expressions/value.hpp"
#include "search/expressions/value_range.hpp"

namespace tune::search {

/// Expressions over numbered parameters, for evaluating them millions of times while the parameters are
/// assigned in order. Equal parts of all expressions are one term. A term is computed where it is asked for,
/// and once for each assignment of the last parameter in it: the others are older. Values and failures are
/// those of Expr::evaluate. Operands of a sum, a product, a maximum and the like are combined in the order of
/// the parameters where that is exact, whatever order they were written in. One thread at a time.
class Terms {
 public:
  using Id = std::uint32_t;

  struct Term {
    Expr::Op op = Expr::Op::literal;
    bool failed = false;  ///< it cannot be computed: a division by zero
    /// All its parameters are among the first `known_from` ones; 0 for a constant.
    std::uint32_t known_from = 0;
    std::uint32_t first_operand = 0;
    std::uint32_t operands = 0;  ///< two at most; three of a conditional, all choices of `in`
    std::uint64_t version = 0;   ///< of the last parameter when the value was computed
    Scalar value = {};
  };

  /// `slots` numbers the parameters, `values` has all that each can be assigned.
  Terms(std::map<std::string, std::size_t> slots, std::span<const std::vector<Scalar>> values);

  /// Adds the expression and its parts. Throws ExprError for a variable that is not a parameter.
  Id add(const Expr& expr);

  /// Assigns a parameter. Its value makes those of all later parameters meaningless.
  void assign(std::size_t parameter, const Scalar& value) {
    values_[parameter] = value;
    ++versions_[parameter + 1];
  }
  /// Passes over a parameter that does not exist.
  void pass_over(std::size_t parameter) { ++versions_[parameter + 1]; }

  /// Returns a number that changes with each assignment of the parameter before this one.
  std::uint64_t version(std::size_t known_from) const { return versions_[known_from]; }

  /// Returns the term with its value, or `failed`. The parameters that it needs must be assigned.
  const Term& compute(Id id) {
    Term& term = terms_[id];
    const std::uint64_t now = versions_[term.known_from];
    if (term.version != now) {
      term.version = now;
      ++evaluated_;
      term.failed = !evaluate(term);
    }
    return term;
  }

  /// Returns how many terms were computed so far.
  std::uint64_t evaluated() const { return evaluated_; }

  /// A part of a comparison with a constant, over its first parameters. Where its value is not within the
  /// bounds, the comparison is false whatever the other parameters are.
  struct Bound {
    Id part;
    double lowest, highest;
  };
  /// Returns the bounds of the parts of a comparison of a sum or a product; nothing for other terms, and
  /// where something could fail.
  std::vector<Bound> bounds(Id comparison) const;

  /// True where no assignment makes it fail.
  bool is_computable(Id id) const { return ranges_[id].computable; }
  const Term& term(Id id) const { return terms_[id]; }
  std::span<const Id> operands(Id id) const { return operands(terms_[id]); }
  /// Returns the parameters that the term mentions, increasing.
  const std::vector<std::uint32_t>& parameters(Id id) const { return parameters_[id]; }

 private:
  std::span<const Id> operands(const Term& term) const {
    return std::span(operands_).subspan(term.first_operand, term.operands);
  }
  /// An operand of a sum or another chain of equal operations; `negative`: it is subtracted.
  struct Link {
    Id term;
    bool negative = false;
  };
  void add_links(const Expr& expr, Expr::Op op, bool negative, std::vector<Link>& links);
  Id add_chain(const Expr& expr);
  Id combined(const Expr& expr, Expr::Op op, std::vector<Link> links);
  Id add_comparison(Expr::Op op, const Expr& left, const Expr& right);
  /// Combines them as they were written, from `next` on.
  Id as_written(const Expr& expr, Expr::Op op, std::span<const Link> links, std::size_t& next);
  Id in_order(Expr::Op op, std::vector<Link> links);
  bool any_order_is_exact(Expr::Op op, std::span<const Link> links) const;
  Id add_literal(const Value& value);
  Id add_term(Expr::Op op, std::span<const Id> operands);
  /// Returns false where it fails.
  bool evaluate(Term& term);
  bool evaluate_choice(Term& term);
  bool evaluate_member(Term& term);
  bool evaluate_call(Term& term);

  std::uint64_t evaluated_ = 0;
  std::map<std::string, std::size_t> slots_;
  std::vector<ValueRange> of_parameters_;
  std::vector<Scalar> values_;           ///< of the parameters
  std::vector<std::uint64_t> versions_;  ///< of each parameter, behind that of constants
  std::vector<Term> terms_;
  std::vector<std::vector<std::uint32_t>> parameters_;  ///< of each term
  std::vector<ValueRange> ranges_;                      ///< of each term
  std::vector<Id> operands_;
  std::deque<Value> literals_;  ///< whose texts the values borrow
  std::map<std::string, Id> literal_ids_;
  std::map<std::vector<std::uint32_t>, Id> ids_;  ///< by operation and operands
};

}  // namespace tune::search
