// SPDX-License-Identifier: Apache-2.0
// Functions of cuRAND, from the toolkit's own header as its host code. Its other headers are left out: the
// prelude has what they declare.
#pragma once

#include "collectives.cuh"
#include "standard_library.cuh"

#define _MATH_H
#define _GLIBCXX_MATH_H
#define _STDLIB_H
#define _GLIBCXX_STDLIB_H
#define _STRING_H
#define _MEMORY_H
#define _GLIBCXX_TYPE_TRAITS
#define __CUDA_RUNTIME_H__
#define _NV_TARGET_H
#define __NV_TARGET_H
#define __CUDA_ARCH__ 900
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
// Code for the host and for a device; a branch may have commas.
#define TUNE_CHOICE_NV_IS_HOST(host, ...) host
#define TUNE_CHOICE_NV_IS_DEVICE(device, ...) __VA_ARGS__
#define TUNE_CHOICE_NV_PROVIDES_SM_61(device, ...) __VA_ARGS__
#define TUNE_CHOICE_NV_PROVIDES_SM_35(device, ...) __VA_ARGS__
#define NV_IF_ELSE_TARGET(target, code, ...) TUNE_CHOICE_##target(code, __VA_ARGS__)
#define TUNE_PART_NV_IS_HOST(...) __VA_ARGS__
#define TUNE_PART_NV_IS_DEVICE(...)
#define TUNE_PART_NV_PROVIDES_SM_61(...)
#define NV_IF_TARGET(target, ...) TUNE_PART_##target(__VA_ARGS__)

namespace tune_common {
typedef int libraryPropertyType;
#include <curand_kernel.h>

// The header leaves members alone that a copy of the state reads.
template<class State>
TUNE_COLLECTIVE void tune_clear(State* state) {
  *state = State{};
}
template<class First, class... Others>
TUNE_COLLECTIVE void tune_clear(First, Others... others) {
  tune_clear(others...);
}
template<class... Arguments>
TUNE_COLLECTIVE void tune_curand_init(Arguments... arguments) {
  tune_clear(arguments...);
  curand_init(arguments...);
}
#define curand_init(...) tune_curand_init(__VA_ARGS__)
}  // namespace tune_common
using namespace tune_common;

#undef __CUDA_ARCH__
