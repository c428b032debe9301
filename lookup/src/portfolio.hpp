// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lookup/src/loss.hpp"

namespace tune::lookup {

/// Few configurations for many works.
struct Cover {
  /// One work, and which of the configurations is the best for it.
  struct Served {
    const RecordedWorkload* workload = nullptr;
    std::size_t configuration = 0;
    double loss = 0;
  };

  std::vector<RankedRecord> configurations;
  std::vector<Served> workloads;  ///< in the order given
  bool exact = false;             ///< no smaller number would do
};

/// As many works as are covered exactly; beyond, the configuration that serves most of those left is taken
/// again and again.
constexpr std::size_t max_exact_workloads = 16;

/// The smallest set of configurations, each work served by one of them with a loss of at most `bound` (0.05:
/// 5 %). Only what was measured in a work can serve it, so that each work's own winner is always there to
/// choose. Works without a measurement are left out. Throws Failed.
Cover cover(Records& records, const std::vector<const RecordedWorkload*>& workloads, double bound);

/// The one configuration for everything.
struct Default {
  RankedRecord entry;                         ///< as in `nearest`
  const RecordedWorkload* nearest = nullptr;  ///< the best fitting of the works that it was measured in
  Loss loss;                                  ///< `pairs`: works that it was measured in
  int workloads = 0;                          ///< there are
  bool any_architecture = false;              ///< nothing was recorded on the one that is asked for
  Ranked fit;                                 ///< of `nearest`
};

/// The configuration with the smallest worst loss over all works of `ranked` on the architecture that is
/// asked for, or over all of them where there is none; stale ones count only where there are no others. Exact
/// over the configurations that were measured in all of the works, as far as one of the 32 fastest of the
/// work with the fewest measurements has it. Where none has, the winner of a work that was measured in most
/// of them, and among those the one with the smallest worst loss. What failed in one of them is never taken.
/// Nothing where nothing was measured.
std::optional<Default> portfolio_default(Records& records, const std::vector<Ranked>& ranked);

}  // namespace tune::lookup
