// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <vector>

namespace tune::emulator {

/// Stacks of the threads that are on their way, each with a page below it that no access survives. Memory is
/// taken as it is touched.
class Stacks {
 public:
  /// Throws Error where the address space does not suffice.
  explicit Stacks(int count);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  static constexpr std::size_t bytes = std::size_t{256} << 10;
  /// A process may have 65530 pieces of memory by default, and a guard makes two of one: later stacks have
  /// none. Earlier ones run the same kernel.
  static constexpr int guarded = 8192;

  /// Takes all stacks back and has so many from now on, at least. Throws Error like the constructor.
  void provide(int count);

  char* stack(int number) const;
  /// What of the stack is used: all but a part that differs between neighbours, so that their tops do not
  /// compete for the same lines of the cache.
  static std::size_t usable(int number);
  const char* begin() const { return memory_; }
  std::size_t size() const { return total_; }
  bool contains(const void* address) const;
  /// The page below a stack: where a thread with too much local memory ends up.
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

/// Where a thread of execution stands that has a stack of its own but shares its processor with the caller.
/// Like a call that may return in the middle: `switch_to` gives the processor to another context and returns
/// when somebody switches back. This one works on every processor, at two system calls a switch.
class PortableContext {
 public:
  /// Makes the context start with `entry(argument)` on that stack, which must outlive it. `entry` never
  /// returns: it ends by switching away.
  void prepare(char* stack, std::size_t bytes, void (*entry)(void*), void* argument);
  void switch_to(PortableContext& other);

 private:
  ucontext_t state_{};
};

#if defined(__x86_64__)
/// The same in a dozen instructions: saves what a called function must preserve and exchanges stack pointers.
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
