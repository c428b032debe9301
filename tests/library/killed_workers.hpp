// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "search/space/search_space.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {

/// A tuning run whose device serves in a worker process, which is killed again and again.
struct KilledWorkers {
  const Problem& problem;
  Instance instance;
  const KernelSources& sources;
  std::function<std::unique_ptr<Backend>()> open;  ///< of a backend whose worker has the argument `device`
  std::function<search::SearchSpace(const DeviceProperties&)> space;
  std::chrono::microseconds longest_life;  ///< of a worker; longer where its start takes longer
  bool same_times;                         ///< of an evaluation and of its repetition
};

/// Tunes with killed workers until `kills` of them were killed, each time into a new database and a second
/// time undisturbed. Expects each time that the first run goes on to its end, that it stores all
/// evaluations, each once and as an undisturbed run would unless an accident is told as such, and that the
/// second run evaluates the accidents again and nothing else.
void expect_kills_cost_nothing(const KilledWorkers& setup, int kills);

}  // namespace tune::testing
