// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/scalar.hpp"

namespace tune::search {

/// An expression compiled to a short postfix program over numbered slots instead of names, for evaluating it
/// millions of times. Gives what Expr::evaluate gives, errors included. One thread at a time.
class Program {
 public:
  /// `slots` numbers the variables; throws ExprError for a variable that is not among them.
  Program(Expr expr, const std::map<std::string, std::size_t>& slots);

  /// The texts in `slots` are borrowed, by the result too.
  Scalar run(std::span<const Scalar> slots);

 private:
  enum class Code : std::uint8_t {
    push,         // the literal
    load,         // the slot `argument`
    unary,        // `op` on the top
    binary,       // `op` on the two topmost
    settle_no,    // pop; if false push it and jump to `argument`  (and)
    settle_yes,   // pop; if true push it and jump to `argument`   (or)
    to_boolean,   // top becomes a truth value
    jump,         // to `argument`
    jump_unless,  // pop; if false jump to `argument`
    member,       // is the value below the `argument` topmost one of them? `op` says in or not_in
  };
  struct Instruction {
    Code code;
    Expr::Op op = Expr::Op::literal;
    std::uint32_t argument = 0;
    Scalar literal = {};
  };

  void compile(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  void compile_connective(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  void compile_conditional(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  std::size_t emit(Code code, Expr::Op op = Expr::Op::literal, std::size_t argument = 0);
  /// Lets an earlier jump lead to here.
  void land(std::size_t jump) { code_[jump].argument = static_cast<std::uint32_t>(code_.size()); }

  Expr expr_;  // owns the texts that the literals borrow
  std::vector<Instruction> code_;
  std::vector<Scalar> stack_;
};

}  // namespace tune::search
