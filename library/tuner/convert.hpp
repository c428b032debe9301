// SPDX-License-Identifier: Apache-2.0
// Between the types of the interface and those inside.
#pragma once

#include <string>
#include <tune/tuner.hpp>

#include "search/space/configuration.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::api {

search::Value to_search(const Value& value);
Value from_search(const search::Value& value);
search::Configuration from_values(const Values& values);
Values to_values(const search::Configuration& configuration);
/// Sizes and settings.
Sizes sizes_of(const Instance& instance);
Evaluation to_api(const tune::Evaluation& evaluation);
/// What --strategy takes: `auto`, a strategy's name, or one with options. Throws UsageError.
search::StrategyChoice strategy_named(const std::string& text);

/// Calls `work`; what the inside throws for a broken environment or wrong use becomes an Error. Lack of
/// memory passes.
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
