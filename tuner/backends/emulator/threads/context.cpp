// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/context.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "tuner/backends/emulator/memory/unpoison.hpp"
#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

constexpr std::size_t guard_page = 4096;
constexpr std::size_t stride = guard_page + Stacks::bytes;

/// makecontext only passes integers: pointers are split into halves.
void start_portable(unsigned entry_low, unsigned entry_high, unsigned argument_low, unsigned argument_high) {
  const auto join = [](unsigned low, unsigned high) {
    return static_cast<std::uintptr_t>(low) | static_cast<std::uintptr_t>(std::uint64_t{high} << 32);
  };
  const auto entry = reinterpret_cast<void (*)(void*)>(join(entry_low, entry_high));
  entry(reinterpret_cast<void*>(join(argument_low, argument_high)));
}

}  // namespace

Stacks::Stacks(int count) {
  map(count);
}

Stacks::~Stacks() {
  munmap(memory_, total_);
}

void Stacks::provide(int count) {
  if (count > count_) {
    munmap(memory_, total_);
    memory_ = nullptr;
    map(count);
  }
  give_back_all();
}

void Stacks::map(int count) {
  count_ = count;
  total_ = static_cast<std::size_t>(count) * stride;
  void* const memory =
      mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    count_ = 0;
    total_ = 0;
    throw Error("not enough address space for the stacks of a kernel's threads: raise the limit (ulimit -v)");
  }
  memory_ = static_cast<char*>(memory);
  for (int i = 0; i < std::min(count, guarded); ++i)
    if (mprotect(stack(i) - guard_page, guard_page, PROT_NONE) != 0)
      break;  // a thread without a guard is still correct
  give_back_all();
}

char* Stacks::stack(int number) const {
  return memory_ + static_cast<std::size_t>(number) * stride + guard_page;
}

std::size_t Stacks::usable(int number) {
  return bytes - static_cast<std::size_t>(number % 16) * 256;
}

bool Stacks::contains(const void* address) const {
  const auto* const at = static_cast<const char*>(address);
  return at >= memory_ && at < memory_ + total_;
}

bool Stacks::in_guard(const void* address) const {
  return contains(address) &&
         static_cast<std::size_t>(static_cast<const char*>(address) - memory_) % stride < guard_page;
}

int Stacks::take() {
  const int number = free_.back();
  free_.pop_back();
  return number;
}

void Stacks::give_back_all() {
  free_.clear();
  for (int i = count_; i-- > 0;) free_.push_back(i);
}

void PortableContext::prepare(char* stack, std::size_t bytes, void (*entry)(void*), void* argument) {
  unpoison(stack, bytes);  // of frames that an earlier context has left without a return
  getcontext(&state_);
  state_.uc_stack.ss_sp = stack;
  state_.uc_stack.ss_size = bytes;
  state_.uc_link = nullptr;
  const auto function = reinterpret_cast<std::uint64_t>(entry);
  const auto value = reinterpret_cast<std::uint64_t>(argument);
  makecontext(&state_, reinterpret_cast<void (*)()>(&start_portable), 4, static_cast<unsigned>(function),
              static_cast<unsigned>(function >> 32), static_cast<unsigned>(value),
              static_cast<unsigned>(value >> 32));
}

void PortableContext::switch_to(PortableContext& other) {
  swapcontext(&state_, &other.state_);
}

#if defined(__x86_64__)

extern "C" void tune_emulator_switch(void** save, void* load);
extern "C" void tune_emulator_start();

// The registers that a function must preserve (System V ABI) go to the old stack and come from the new one.
// `jmp` in place of `ret`: the processor's prediction of returns would be wrong every time. A new context
// finds its entry and its argument in two of those registers.
__asm__(R"(
.text
.hidden tune_emulator_switch
.globl tune_emulator_switch
.type tune_emulator_switch, @function
tune_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size tune_emulator_switch, .-tune_emulator_switch
.hidden tune_emulator_start
.globl tune_emulator_start
.type tune_emulator_start, @function
tune_emulator_start:
  movq %rbx, %rdi
  call *%r12
  ud2
.size tune_emulator_start, .-tune_emulator_start
)");

void FastContext::prepare(char* stack, std::size_t bytes, void (*entry)(void*), void* argument) {
  unpoison(stack, bytes);
  // From the top: a word of padding so that the stack is aligned at the call, the start, then the registers
  // in the order in which the switch takes them.
  auto** top =
      reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(stack + bytes) & ~std::uintptr_t{15});
  *--top = nullptr;
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&tune_emulator_start);
  *--top = nullptr;                              // rbp
  *--top = argument;                             // rbx
  *--top = reinterpret_cast<void*>(entry);       // r12
  for (int i = 0; i < 3; ++i) *--top = nullptr;  // r13, r14, r15
  stack_pointer_ = top;
}

void FastContext::switch_to(FastContext& other) {
  tune_emulator_switch(&stack_pointer_, other.stack_pointer_);
}

#endif

}  // namespace tune::emulator
