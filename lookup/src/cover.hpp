// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

}  // namespace tune::lookup
