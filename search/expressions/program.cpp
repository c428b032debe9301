// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/program.hpp"

#include <algorithm>

namespace tune::search {

namespace {
using Op = Expr::Op;
using Slots = std::map<std::string, std::size_t>;
}  // namespace

Program::Program(Expr expr, const Slots& slots) : expr_(std::move(expr)) {
  compile(expr_, slots);
  // No instruction pushes more than one value.
  stack_.resize(code_.size());
}

std::size_t Program::emit(Code code, Op op, std::size_t argument) {
  code_.push_back({code, op, static_cast<std::uint32_t>(argument)});
  return code_.size() - 1;
}

void Program::compile(const Expr& expr, const Slots& slots) {
  const auto& operands = expr.operands();
  switch (expr.op()) {
    case Op::literal:
      code_[emit(Code::push)].literal = Scalar::of(expr.literal());
      return;
    case Op::variable: {
      const auto slot = slots.find(expr.name());
      if (slot == slots.end()) throw ExprError("'" + expr.name() + "' is not known here");
      emit(Code::load, expr.op(), slot->second);
      return;
    }
    case Op::logical_and:
    case Op::logical_or:
      compile_connective(expr, slots);
      return;
    case Op::conditional:
      compile_conditional(expr, slots);
      return;
    case Op::list:
      throw ExprError("a list has no value of its own");
    case Op::in:
    case Op::not_in:
      compile(operands[0], slots);
      for (const Expr& choice : operands[1].operands()) compile(choice, slots);
      emit(Code::member, expr.op(), operands[1].operands().size());
      return;
    case Op::negate:
    case Op::logical_not:
    case Op::absolute:
      compile(operands[0], slots);
      emit(Code::unary, expr.op());
      return;
    default:
      compile(operands[0], slots);
      for (std::size_t i = 1; i < operands.size(); ++i) {
        compile(operands[i], slots);
        emit(Code::binary, expr.op());
      }
  }
}

void Program::compile_connective(const Expr& expr, const Slots& slots) {
  compile(expr.operands()[0], slots);
  const std::size_t settle = emit(expr.op() == Op::logical_and ? Code::settle_no : Code::settle_yes);
  compile(expr.operands()[1], slots);
  emit(Code::to_boolean);
  land(settle);
}

void Program::compile_conditional(const Expr& expr, const Slots& slots) {
  compile(expr.operands()[0], slots);
  const std::size_t to_otherwise = emit(Code::jump_unless);
  compile(expr.operands()[1], slots);
  const std::size_t to_end = emit(Code::jump);
  land(to_otherwise);
  compile(expr.operands()[2], slots);
  land(to_end);
}

Scalar Program::run(std::span<const Scalar> slots) {
  Scalar* top = stack_.data();  // one beyond the topmost
  for (std::size_t at = 0; at < code_.size(); ++at) {
    const Instruction& instruction = code_[at];
    const std::size_t argument = instruction.argument;
    switch (instruction.code) {
      case Code::push:
        *top++ = instruction.literal;
        break;
      case Code::load:
        *top++ = slots[argument];
        break;
      case Code::unary:
        top[-1] = apply(instruction.op, top[-1]);
        break;
      case Code::binary:
        --top;
        top[-1] = apply(instruction.op, top[-1], top[0]);
        break;
      case Code::settle_no:
      case Code::settle_yes: {
        const bool boolean = (--top)->to_bool();
        if (boolean != (instruction.code == Code::settle_yes)) break;
        *top++ = Scalar::of(boolean);
        at = argument - 1;
        break;
      }
      case Code::to_boolean:
        top[-1] = Scalar::of(top[-1].to_bool());
        break;
      case Code::jump:
        at = argument - 1;
        break;
      case Code::jump_unless:
        if (!(--top)->to_bool()) at = argument - 1;
        break;
      case Code::member: {
        top -= argument;
        const bool found =
            std::any_of(top, top + argument, [top](const Scalar& s) { return equal(top[-1], s); });
        top[-1] = Scalar::of(found == (instruction.op == Op::in));
        break;
      }
    }
  }
  return top[-1];
}

}  // namespace tune::search
