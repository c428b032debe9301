// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "search/strategies/stratified.hpp"

namespace tune::search {

/// A place in the space of all combinations of values, valid or not: for each parameter the index of the
/// value that it should have. Between two values of an ordinal parameter there are places too. A parameter
/// has a place also where it does not exist: it takes effect if another change lets it exist.
using Proposal = std::vector<double>;

/// The steps that search strategies take. A proposal becomes the nearest valid configuration: strategies need
/// not consider which parameters exist, or what constraints forbid.
class Moves {
 public:
  /// Accepts the configurations that a step may return: those not asked for yet, for example. Empty: all.
  using Allowed = std::function<bool(ConfigurationId)>;

  /// The space must outlive the moves.
  explicit Moves(const SearchSpace& space);

  /// True when the parameter's values are numbers, so that their order means something: all but texts.
  bool ordinal(std::size_t parameter) const { return ordinal_[parameter]; }
  /// Returns the number of the parameter's values.
  std::size_t values(std::size_t parameter) const { return space_.parameters()[parameter].values.size(); }

  /// Returns the values of a configuration; where a parameter does not exist, any of its values with equal
  /// chances.
  Proposal proposal_from(ConfigurationId id, Random& random) const;

  /// Returns the valid and allowed configuration nearest to a proposal; one of equally near ones with equal
  /// chances. The distance is a sum over the parameters that exist: for ordinal ones the distance of the
  /// indices, 1 from end to end; for others 1 where the value differs. Exact but for spaces so large and
  /// constrained that `SearchSpace::cheapest` stops; returns nothing where that found nothing.
  std::optional<ConfigurationId> repair(std::span<const double> proposal, Random& random,
                                        const Allowed& allowed = {}) const;

  /// Returns the neighbours of `id` (of SearchSpace::neighbours) in which an ordinal parameter has the next
  /// lower or the next higher of its values that are valid there, or another one any other value. In
  /// increasing order.
  std::vector<ConfigurationId> adjacent(ConfigurationId id,
                                        std::span<const ConfigurationId> neighbours) const;

  /// Returns the configuration nearest to one in which `count` of the parameters that exist in `id` (or all
  /// of them, where there are fewer) took other values, every choice having equal chances. Never `id` itself,
  /// and not one of its neighbours if the proposal is valid and `count` is above 1.
  std::optional<ConfigurationId> perturb(ConfigurationId id, std::size_t count, Random& random,
                                         const Allowed& allowed = {}) const;

  /// Returns a child that has each value from one parent or the other with equal chances, or from the one in
  /// which the parameter exists.
  Proposal cross(ConfigurationId a, ConfigurationId b, Random& random) const;
  /// Gives each parameter, independently with this chance, another of its values: the next one up or down
  /// every other time where it is ordinal, else any.
  void mutate(Proposal& proposal, double chance, Random& random) const;

 private:
  double any_value(std::size_t parameter, Random& random) const;
  /// Returns any value but this one; there must be two.
  double other_value(std::size_t parameter, double current, Random& random) const;

  const SearchSpace& space_;
  std::vector<bool> ordinal_;
};

/// The base of strategies that choose one configuration after the other and learn from one result after the
/// other: the bookkeeping of the contract, a stratified start and moves. A batch is as many choices as it has
/// places, made without the results of those before: each choice must be sensible while others are out.
class StepwiseSearch : public Strategy {
 public:
  std::vector<ConfigurationId> ask(std::size_t count) final;
  void tell(std::span<const Observation> observations) final;

 protected:
  /// `start` is the size of the stratified design that `sample` begins with.
  StepwiseSearch(const SearchTask& task, std::size_t start);

  /// Returns the next configuration, taken from `visited_`; nothing if and only if all were seen.
  virtual std::optional<ConfigurationId> choose() = 0;
  /// Learns from a result, which `visited_` already has. The cost is infinite where it failed. Results come
  /// in any order, late, again, and of configurations that were not chosen here.
  virtual void learn(ConfigurationId id, double cost) = 0;

  /// Returns one of the stratified design, after its end one of the unseen at random; nothing where all were
  /// seen.
  std::optional<ConfigurationId> sample();
  /// Takes and returns `id`, or a sample where there is none.
  std::optional<ConfigurationId> take_or_sample(std::optional<ConfigurationId> id);
  /// For moves that must lead to something new.
  Moves::Allowed unseen() const {
    return [this](ConfigurationId id) { return !visited_.seen(id); };
  }
  void shuffle(std::vector<ConfigurationId>& ids);

  // These are protected for the strategies that consist of them.
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
