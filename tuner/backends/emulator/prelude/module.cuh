// SPDX-License-Identifier: Apache-2.0
// The module's end of the connection: how a launch calls a kernel, and the call-backs of -fsanitize=thread,
// which tell the program about every memory access before it happens.
#pragma once

#include "language.cuh"

namespace tune_emulator {

template<int... indices>
struct Sequence {};
template<class T>
struct Stored {
  using type = T;
};
template<class T>
struct Stored<const T> {
  using type = T;
};

template<class T>
struct Passed {
  using type = T;
};
template<class T>
struct Passed<T&> {
  using type = T*;
};

// Calls a kernel with arguments of which only the addresses are known.
template<class Function, Function* function>
struct Caller;
template<class... Parameters, void (*function)(Parameters...)>
struct Caller<void(Parameters...), function> {
  static constexpr int count = sizeof...(Parameters);
  static constexpr unsigned long sizes[count + 1] = {sizeof(typename Passed<Parameters>::type)..., 0};
  template<int... indices>
  static TUNE_UNCHECKED void call_with(void** arguments, Sequence<indices...>) {
    function(*static_cast<typename Stored<Parameters>::type*>(arguments[indices])...);
  }
  static TUNE_UNCHECKED void call(void** arguments) {
    call_with(arguments, Sequence<__integer_pack(sizeof...(Parameters))...>());
  }
};
template<class Function>
struct Pointed;
template<class Function>
struct Pointed<Function*> {
  using type = Function;
};

}  // namespace tune_emulator

#define TUNE_CALLER(...) \
  ::tune_emulator::Caller<typename ::tune_emulator::Pointed<decltype(&__VA_ARGS__)>::type, &__VA_ARGS__>
// What stands between the commas that __cluster_dims__ is here; nothing where the kernel lacks the attribute.
#define TUNE_EXTENT(...) TUNE_SECOND(__VA_ARGS__, (), ())
#define TUNE_SECOND(first, second, ...) second
#define TUNE_ENTRY(name, cluster, ...)                                        \
  {                                                                           \
    name, TUNE_CALLER(__VA_ARGS__)::call, 0, TUNE_CALLER(__VA_ARGS__)::sizes, \
        TUNE_CALLER(__VA_ARGS__)::count, ::tune_emulator::cluster_of cluster  \
  }
