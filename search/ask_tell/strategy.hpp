// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "search/space/search_space.hpp"

namespace tune::search {

/// The result of one configuration.
struct Observation {
  ConfigurationId id = 0;
  std::optional<double> cost;  ///< to be minimised (seconds); nothing where the evaluation failed
  double seconds = 0;          ///< that evaluating it took, failed or not; 0 where unknown
  /// The two quantities of a Pareto front, whose product the cost is; 0 where there is no front.
  std::array<double, 2> parts = {};
};

/// Results of a related workload: the same problem at another size, type, radius or on another device. Its
/// costs compare with each other, not with those of the current workload.
struct RelatedRecord {
  std::vector<Observation> observations;  ///< configurations that are valid here too
};

/// The space that a strategy searches, and what it may begin with.
struct SearchTask {
  const SearchSpace& space;  ///< must outlive the strategy
  std::uint64_t seed = 1;
  std::vector<RelatedRecord> related = {};  ///< the most alike first
  /// Proven lower bounds of what any configuration with a value of the first parameter (the variant) costs,
  /// by the value's index, in the unit of costs; 0 where none is known. Empty: none at all. A strategy may
  /// leave out for good what cannot be cheaper than the best result so far.
  std::vector<double> variant_bounds = {};
};

/// Chooses what to evaluate next. It never owns the loop: the session asks for batches and tells what came
/// out.
///
/// Contract, checked for every strategy by one conformance suite: `ask` returns valid ids, at most `count`,
/// none twice in a life (told ones included) until all are out; an empty answer means that nothing is left
/// that could be the best (see SearchTask::variant_bounds).
/// The same seed and the same observations give the same trace. Any order and number of `tell`s is allowed,
/// also of configurations that were never asked for (known from the database).
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::vector<ConfigurationId> ask(std::size_t count) = 0;
  virtual void tell(std::span<const Observation> observations) = 0;
  /// Returns the expected gain of the most promising configuration left, as a share of the best cost, by all
  /// results so far; nothing where the strategy does not estimate it, or has too few results. May take some
  /// milliseconds; later answers of `ask` do not depend on it.
  virtual std::optional<double> expected_gain() { return std::nullopt; }
  /// Returns how many configurations may be asked for and not told before a session should wait for results:
  /// a strategy that learns chooses badly with few of them. Asking for more is allowed.
  virtual std::size_t max_in_flight() const { return std::numeric_limits<std::size_t>::max(); }
};

}  // namespace tune::search
