// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {

struct SwarmOptions {
  std::size_t particles = 12;  ///< several flights each within the usual budgets
  double inertia = 0.729;      ///< Clerc and Kennedy's constriction
  double pull = 1.494;         ///< to either best
  std::size_t patience = 10;   ///< flights in vain before a particle is thrown
};

void visit_options(SwarmOptions& options, OptionVisitor& visitor);

/// Particle swarm (J. Kennedy, R. Eberhart, ICNN 1995; inertia and pulls as in M. Clerc, J. Kennedy, IEEE
/// Trans. Evol. Comput. 6, 2002): particles that fly through the space of value indices, pulled to the best
/// place that each has seen itself and to the best of the swarm.
///
/// An ordinal parameter is a coordinate in real numbers. A parameter of texts has no directions: it takes its
/// value from the one best, the other, or stays, by chance. A particle's evaluation is that of the nearest
/// valid configuration that was not seen yet, and draws the particle to itself. Each flies on as soon as its
/// own result is known. A particle without success for long, also the leading one, forgets its best and is
/// thrown to a random unseen place; where all are out, so are further choices. A result from outside becomes
/// the place of a particle that was worse.
class ParticleSwarm : public StepwiseSearch {
 public:
  static constexpr double stay_chance = 0.4;         ///< chance that a text stays,
  static constexpr double own_best_chance = 0.25;    ///< becomes its own best's,
  static constexpr double swarm_best_chance = 0.25;  ///< the swarm's best's; else any value

  /// The task's space must outlive the strategy.
  explicit ParticleSwarm(const SearchTask& task, const SwarmOptions& options = {});

  std::size_t max_in_flight() const override { return options_.particles; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  struct Particle {
    Proposal place;
    std::vector<double> velocity;  ///< indices a flight
    Proposal best;                 ///< its own; empty before its first success
    double best_cost = std::numeric_limits<double>::infinity();
    std::optional<ConfigurationId> out;  ///< the configuration that it waits for
    std::size_t vain = 0;                ///< flights since its best
  };

  std::optional<ConfigurationId> fly(Particle& particle);
  void move(Particle& particle, std::size_t parameter, const Proposal& swarm_best);
  void settle(Particle& particle, ConfigurationId id);
  void take_up(ChosenCandidate found);
  /// Returns the particle with the best place of its own, or null where none has one.
  const Particle* leader() const;

  SwarmOptions options_;
  std::vector<Particle> particles_;
  std::size_t turn_ = 0;
};

}  // namespace tune::search
