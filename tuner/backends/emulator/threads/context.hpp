// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace tune::emulator {

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
