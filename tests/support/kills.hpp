// SPDX-License-Identifier: Apache-2.0
// How often the tests kill processes at random moments: 1,000 times with ./run-tests --long, else a sample.
#pragma once

#include "tests/support/sampled.hpp"

namespace tune::testing::kills {

/// What is killed, and how often.
struct Count {
  int all;
  int sample;

  /// Returns the whole number with ./run-tests --long.
  int now() const { return runs_all_cases() ? all : sample; }
};

inline constexpr Count runs = {300, 20};
inline constexpr Count merges = {100, 4}, imports = {100, 4}, compactions = {100, 4}, rerankings = {100, 4};
inline constexpr Count migrations = {160, 4};  ///< of files of all older schemas together
inline constexpr Count device_workers = {140, 8};

static_assert(runs.all + merges.all + imports.all + compactions.all + rerankings.all + migrations.all +
                  device_workers.all ==
              1000);

}  // namespace tune::testing::kills
