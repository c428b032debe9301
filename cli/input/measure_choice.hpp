// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/input/command.hpp"
#include "tuner/evaluation/rerank.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::cli {

/// How a run measures and what it looks for.
struct MeasureChoice {
  MeasureOptions measure;
  bool race = true;
  RerankOptions rerank;
  Objective objective = Objective::time;
  CacheState cache = CacheState::cold;
};

/// `1%` or `0.01`. Throws UsageError that names the option.
double chosen_share(const std::string& text, const std::string& option);

/// --objective, --cache, --samples, --spread, --no-race, --finalists.
void add_measure_options(po::options_description& options);
/// Throws UsageError.
MeasureChoice chosen_measuring(const po::variables_map& values);

}  // namespace tune::cli
