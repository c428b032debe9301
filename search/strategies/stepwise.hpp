// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/ask_tell/visited.hpp"
#include "search/strategies/moves.hpp"
#include "search/strategies/stratified.hpp"

namespace tune::search {

/// What strategies have in common that choose one configuration after the other and learn from one result
/// after the other: the bookkeeping of the contract, a stratified start and moves. A batch is as many choices
/// as it has places, made without the results of those before: each choice must be sensible while others
/// are out.
class StepwiseSearch : public Strategy {
 public:
  std::vector<ConfigurationId> ask(std::size_t count) final;
  void tell(std::span<const Observation> observations) final;

 protected:
  /// `start`: size of the stratified design that `sample` begins with.
  StepwiseSearch(const SearchTask& task, std::size_t start);

  /// The next configuration, taken from `visited_`; nothing if and only if all were seen.
  virtual std::optional<ConfigurationId> choose() = 0;
  /// Learns from a result, which `visited_` already knows. The cost is infinite where it failed. Results come
  /// in any order, late, again, and of configurations that were not chosen here.
  virtual void learn(ConfigurationId id, double cost) = 0;

  /// One of the stratified design, after its end uniform over the unseen; nothing where all were seen.
  std::optional<ConfigurationId> sample();
  /// `id`, now taken, or where there is none a sample.
  std::optional<ConfigurationId> take_or_sample(std::optional<ConfigurationId> id);
  /// For moves that must lead to something new.
  Moves::Allowed unseen() const {
    return [this](ConfigurationId id) { return !visited_.seen(id); };
  }
  void shuffle(std::vector<ConfigurationId>& ids);

  // Open to the strategies: they are what a strategy consists of, not an interface to keep.
  const SearchSpace& space_;  // NOLINT(*-non-private-member-*)
  Random random_;             // NOLINT(*-non-private-member-*)
  Visited visited_;           // NOLINT(*-non-private-member-*)
  Moves moves_;               // NOLINT(*-non-private-member-*)

 private:
  StratifiedDesign design_;
};

/// A configuration and what it costs.
struct ChosenCandidate {
  ConfigurationId id = 0;
  double cost = 0;
};

}  // namespace tune::search
