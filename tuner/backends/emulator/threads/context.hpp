// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <vector>

namespace tune::emulator {

/// Stacks of the running threads, each above a protected page. Memory is taken when it is first touched.
class Stacks {
 public:
  /// Throws Error where the address space does not suffice.
  explicit Stacks(int count);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  static constexpr std::size_t bytes = std::size_t{256} << 10;
  /// A process may have 65530 mappings by default, and a guard adds one: later stacks have no guard. Earlier
  /// ones run the same kernel.
  static constexpr int guarded = 8192;

  /// Takes all stacks back and provides at least `count`. Throws Error like the constructor.
  void provide(int count);

  char* stack(int number) const;
  /// Returns the bytes of the stack to use: all but a part that differs between neighbours, so that their
  /// tops do not share cache lines.
  static std::size_t usable(int number);
  const char* begin() const { return memory_; }
  std::size_t size() const { return total_; }
  bool contains(const void* address) const;
  /// True for an address in the page below a stack, which a thread with too much local memory reaches.
  bool in_guard(const void* address) const;

  int take();
  void give_back(int number) { free_.push_back(number); }
  void give_back_all();

 private:
  void map(int count);

  int count_ = 0;
  char* memory_ = nullptr;
  std::size_t total_ = 0;
  std::vector<int> free_;
};

/// A coroutine with its own stack: `switch_to` runs another context and returns when that switches back. This
/// one works on every processor, with two system calls a switch.
class PortableContext {
 public:
  /// Makes the context start with `entry(argument)` on that stack, which must outlive it. `entry` must not
  /// return, but switch away.
  void prepare(char* stack, std::size_t bytes, void (*entry)(void*), void* argument);
  void switch_to(PortableContext& other);

 private:
  ucontext_t state_{};
};

#if defined(__x86_64__)
/// A context that switches in a dozen instructions: saves the registers that a function must preserve and
/// exchanges stack pointers.
class FastContext {
 public:
  void prepare(char* stack, std::size_t bytes, void (*entry)(void*), void* argument);
  void switch_to(FastContext& other);

 private:
  void* stack_pointer_ = nullptr;
};
using Context = FastContext;
#else
using Context = PortableContext;
#endif

}  // namespace tune::emulator
