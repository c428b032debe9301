// SPDX-License-Identifier: Apache-2.0
// Conversions between the types of the interface and those inside.
#pragma once

#include <tune/tuner.hpp>

#include "search/space/configuration.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::api {

search::Value to_search(const Value& value);
Value from_search(const search::Value& value);
search::Configuration from_values(const Values& values);
Values to_values(const search::Configuration& configuration);
/// Returns the sizes and settings of an instance.
Sizes sizes_of(const Instance& instance);
Evaluation to_api(const tune::Evaluation& evaluation);

/// Calls the function. Exceptions for a broken environment or wrong use become an Error; std::bad_alloc
/// passes.
template<class Function>
auto guarded(Function function) -> decltype(function());

[[noreturn]] void rethrow_as_error();

template<class Function>
auto guarded(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    rethrow_as_error();
  }
}

}  // namespace tune::api
