// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lookup/src/loss.hpp"

namespace tune::lookup {

/// Few configurations for many workloads.
struct Cover {
  /// One workload, and the number of the configuration that serves it best.
  struct Served {
    const RecordedWorkload* workload = nullptr;
    std::size_t configuration = 0;
    double loss = 0;
  };

  std::vector<RankedRecord> configurations;
  std::vector<Served> workloads;  ///< in the order given
  bool exact = false;             ///< no smaller number would do
};

/// The number of workloads up to which a cover is exact; beyond, the configuration that serves most of those
/// left is taken repeatedly.
constexpr std::size_t max_exact_workloads = 16;

/// Returns the smallest set of configurations, one of which serves each workload with a loss of at most
/// `bound` (0.05: 5 %). Only configurations that were measured in a workload can serve it; its own winner
/// always can. Workloads without a measurement are left out. Throws Failed.
Cover cover(Records& records, const std::vector<const RecordedWorkload*>& workloads, double bound);

/// One configuration for all workloads.
struct Default {
  RankedRecord entry;                         ///< as in `nearest`
  const RecordedWorkload* nearest = nullptr;  ///< the best fitting workload that it was measured in
  Loss loss;                                  ///< `pairs`: workloads that it was measured in
  int workloads = 0;                          ///< there are
  bool any_architecture = false;              ///< there are no records on the one that is asked for
  Ranked fit;                                 ///< of `nearest`
};

/// Returns the configuration with the smallest worst loss over all workloads of `ranked` on the architecture
/// that is asked for, or over all of them where it has none; stale ones count only where there are no others.
/// Exact over the configurations that were measured in all of the workloads and are among the 32 fastest of
/// the one with the fewest measurements. Where there is none, returns the winner of a workload that was
/// measured in most of them, and among those the one with the smallest worst loss. A configuration that
/// failed in one of them is never taken. Returns nothing without measurements.
std::optional<Default> portfolio_default(Records& records, const std::vector<Ranked>& ranked);

}  // namespace tune::lookup
