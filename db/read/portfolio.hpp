// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/read/best.hpp"
#include "search/space/configuration.hpp"

namespace tune::db {

/// A recorded work that a portfolio serves.
struct ServedWorkload {
  std::string device;  ///< name
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::vector<std::int64_t> extents;
  std::string size;
  std::size_t configuration = 0;  ///< of Portfolio::configurations
  double loss = 0;                ///< against the best that was measured there
  bool stale = false;             ///< recorded with other kernel sources than asked for
};

/// Few configurations for everything that was recorded.
struct Portfolio {
  std::vector<search::Configuration> configurations;
  std::vector<ServedWorkload> workloads;  ///< by device and size
  bool exact = false;                     ///< no smaller set would do

  std::size_t stale() const;  ///< how many of the works are
};

/// The smallest set of configurations with which no recorded work of the problem and settings loses more than
/// `bound` (0.05: 5 %). The query's size does not matter; its device, where one is named, leaves others out.
/// Of several works that differ in versions alone, the freshest: stale ones stand for a device and size of
/// which there is nothing fresh. No works where nothing fits. Throws Error.
Portfolio portfolio(std::span<const Database* const> databases, const BestQuery& query, double bound);

}  // namespace tune::db
