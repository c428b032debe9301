// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune::testing {

/// Whether every case is to run: ./run-tests --long sets $TUNE_LONG_TESTS.
inline bool runs_all_cases() {
  return std::getenv("TUNE_LONG_TESTS") != nullptr;
}

/// Architectures for which samples of whole spaces are compiled: the others only with ./run-tests --long. For
/// each of them architectures_test.cpp compiles some configurations of every problem.
inline std::vector<const char*> tried_architectures() {
  if (!runs_all_cases()) return {"sm_90"};
  return {"sm_90", "sm_80", "sm_120"};
}

/// One case of so many runs by default.
inline constexpr std::size_t sampled_share = 10;

/// Returns how many of so many random cases run: a tenth; all of them with ./run-tests --long.
inline std::size_t sampled_count(std::size_t all) {
  return runs_all_cases() ? all : (all + sampled_share - 1) / sampled_share;
}

/// Returns one of so many cases, and the first of each kind that these lack; all of them with ./run-tests
/// --long.
template<class Case, class KindOf>
std::vector<Case> sampled(std::vector<Case> all, const KindOf& kind_of, std::size_t share = sampled_share) {
  if (runs_all_cases()) return all;
  std::set<std::decay_t<std::invoke_result_t<KindOf, const Case&>>> kinds;
  for (std::size_t i = 0; i < all.size(); i += share) kinds.insert(kind_of(all[i]));
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % share == 0 || kinds.insert(kind_of(all[i])).second) some.push_back(std::move(all[i]));
  return some;
}

/// Returns a fifth of the faults that are planted in kernels, and one of each file; all with ./run-tests
/// --long.
template<class Fault>
std::vector<Fault> sampled_faults(std::vector<Fault> all) {
  return sampled(
      std::move(all), [](const Fault& fault) { return std::string(fault.file); }, 5);
}

template<class Case>
std::vector<Case> sampled(std::vector<Case> all) {
  return sampled(std::move(all), [](const Case&) { return 0; });
}

}  // namespace tune::testing
