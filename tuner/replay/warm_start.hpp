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

/// What strategies know beforehand.
struct WarmOptions {
  /// Of each source only what a search of so many evaluations would have seen; all of it where there is none.
  std::optional<std::uint64_t> evaluations = 200;
  ComparedStrategy searched_by;  ///< who makes that search
  std::uint64_t seed = 1;
};

/// Whether `source` holds the answers for `space`: the same problem, work and device, or times of which every
/// one that both have is equal (a copy in another format).
bool is_same_record(const RecordedSpace& source, const RecordedSpace& space);

/// Related records out of other recordings. Those that a space would be told its own answers by are left out
/// for that space, and so are those that have no configuration in common with it.
class WarmStart {
 public:
  /// All must outlive it. Sources in the order in which strategies are to see them.
  WarmStart(std::span<const RecordedSpace> spaces, std::span<const RecordedSpace> sources,
            WarmOptions options);

  /// For one search of `spaces[space]`: the same for all contenders. Safe to call from several threads.
  std::vector<search::RelatedRecord> related(std::size_t space, std::uint64_t repeat) const;

  /// What was left out, and which space gets nothing: one line each, for people.
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
