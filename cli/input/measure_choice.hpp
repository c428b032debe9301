// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/input/options.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::cli {

/// What is looked for: `--objective`; `what` is the help's text.
void add_objective_option(OptionTable& table, const std::string& what, Objective& objective);
/// `--cache`.
void add_cache_state_option(OptionTable& table, const std::string& what, CacheState& cache);

/// How a run measures and what it looks for.
struct MeasureChoice {
  Objective objective = Objective::time;
  CacheState cache = CacheState::cold;
  int min_samples = MeasureOptions{}.min_samples, max_samples = MeasureOptions{}.max_samples;
  double spread = 0;
  bool no_race = false;
  std::optional<std::size_t> top_k;  ///< of the re-ranking

  void add_to(OptionTable& table);

  MeasureOptions measure() const;
  RerankOptions rerank() const;
  bool race() const;
};

}  // namespace tune::cli
