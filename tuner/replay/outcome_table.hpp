// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::replay {

/// What a recording says of one configuration.
struct Outcome {
  bool recorded = false;       ///< false: nothing is known of it
  std::optional<double> cost;  ///< seconds; nothing where it failed
  double seconds = 0;  ///< that compiling, checking and measuring took; 0 where the recording does not say
};

/// What is known of every configuration of a space: all that a simulation needs. Safe to read from several
/// threads.
class OutcomeTable {
 public:
  /// One entry for each id of a space.
  explicit OutcomeTable(std::vector<Outcome> by_id);
  /// Evaluations of other configurations are left out; of one configuration's the first counts.
  OutcomeTable(const search::SearchSpace& space, const std::vector<Evaluation>& evaluations);

  const Outcome& at(search::ConfigurationId id) const { return by_id_.at(id); }
  /// Configurations that a search can choose from, unknown ones included.
  std::uint64_t size() const { return by_id_.size(); }
  /// Of these, recorded ones: those that failed, and those with a time.
  std::uint64_t recorded() const { return recorded_; }
  std::uint64_t failed() const { return recorded_ - costs_.size(); }

  /// What a recorded evaluation took on average, failures included; 0 where the recording does not say.
  double seconds_each() const;

  /// All times in seconds, in increasing order.
  const std::vector<double>& costs() const { return costs_; }
  /// The best, the middle and the worst of them. Throw std::logic_error where all failed.
  double optimum() const;
  double median() const;
  double worst() const;
  /// How many configurations are within that share of the optimum (see is_within): 0.05 for 5 %.
  std::uint64_t within(double share) const;

 private:
  void summarise();

  std::vector<Outcome> by_id_;
  std::uint64_t recorded_ = 0;
  std::vector<double> costs_;
};

/// Whether a cost reaches at least 1 - `share` of the optimum: `within 5 %` is optimum / cost >= 0.95. One
/// rule for all that counts such configurations.
inline bool is_within(double cost, double optimum, double share) {
  return optimum >= (1 - share) * cost;
}

}  // namespace tune::replay
