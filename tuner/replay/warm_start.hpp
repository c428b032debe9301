// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/replay/comparison.hpp"

namespace tune::replay {

/// Options of related records.
struct WarmOptions {
  /// Each source is limited to what a search of so many evaluations would have seen; nothing: all of it.
  std::optional<std::uint64_t> evaluations = 200;
  ComparedStrategy searched_by;  ///< the strategy of that search
  std::uint64_t seed = 1;
};

/// True where `source` holds the results of `space` itself: the same problem, workload and device, or equal
/// times for all common configurations (a copy in another format).
bool is_same_record(const RecordedSpace& source, const RecordedSpace& space);

/// Makes related records of other recordings. Leaves out, for each space, recordings of that space itself
/// (is_same_record) and those without a common configuration.
class WarmStart {
 public:
  /// All must outlive it. Strategies get the sources in this order.
  WarmStart(std::span<const RecordedSpace> spaces, std::span<const RecordedSpace> sources,
            WarmOptions options);

  /// Returns the records for one search of `spaces[space]`, the same for all strategies. Safe to call from
  /// several threads.
  std::vector<search::RelatedRecord> related(std::size_t space, std::uint64_t repeat) const;

  /// Lists, one line each for the user, what was left out and which spaces get nothing.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::span<const RecordedSpace> spaces_;
  std::span<const RecordedSpace> sources_;
  WarmOptions options_;
  std::vector<OutcomeTable> tables_;              ///< of the sources
  std::vector<std::vector<std::size_t>> usable_;  ///< by space: indices of sources
  std::vector<std::string> notes_;
};

}  // namespace tune::replay
