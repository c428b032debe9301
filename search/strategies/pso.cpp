// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {
namespace {

struct SwarmOptions {
  std::size_t particles = 12;  ///< several flights each within the usual budgets
  double inertia = 0.729;      ///< Clerc and Kennedy's constriction
  double pull = 1.494;         ///< to either best
  std::size_t patience = 10;   ///< flights without a gain before a particle moves at random
};

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

void visit_options(SwarmOptions& options, OptionVisitor& visitor) {
  visitor.count("particles", options.particles, 2, 10'000, "that fly");
  visitor.number("inertia", options.inertia, 0, 1, "share of its velocity that a particle keeps");
  visitor.number("pull", options.pull, 0, 100, "attraction to its own best place and to the best of all");
  visitor.count("patience", options.patience, 1, 1'000'000,
                "flights without a gain before a particle moves at random");
}

/// At first each particle is placed at random.
ParticleSwarm::ParticleSwarm(const SearchTask& task, const SwarmOptions& options)
    : StepwiseSearch(task, options.particles), options_(options), particles_(options.particles) {
  for (Particle& particle : particles_) particle.vain = options_.patience;
}

void ParticleSwarm::learn(ConfigurationId id, double cost) {
  auto particle = std::ranges::find(particles_, std::optional(id), &Particle::out);
  if (particle == particles_.end()) {
    if (std::isfinite(cost)) take_up({id, cost});
    return;
  }
  particle->out.reset();
  ++particle->vain;
  if (cost >= particle->best_cost) return;
  particle->best = moves_.proposal_from(id, random_);
  particle->best_cost = cost;
  particle->vain = 0;
}

/// A result that no particle waits for becomes the place of the worst idle one, if it is better.
void ParticleSwarm::take_up(ChosenCandidate found) {
  Particle* worst = nullptr;
  for (Particle& particle : particles_) {
    if (particle.out || particle.best_cost <= found.cost) continue;
    if (worst == nullptr || particle.best_cost > worst->best_cost) worst = &particle;
  }
  if (worst == nullptr) return;
  settle(*worst, found.id);
  worst->best = worst->place;
  worst->best_cost = found.cost;
}

/// Places a particle there, without a best place and with a random velocity.
void ParticleSwarm::settle(Particle& particle, ConfigurationId id) {
  particle.place = moves_.proposal_from(id, random_);
  particle.best.clear();
  particle.best_cost = std::numeric_limits<double>::infinity();
  particle.vain = 0;
  particle.velocity.resize(particle.place.size());
  for (std::size_t p = 0; p < particle.place.size(); ++p) {
    const auto range = static_cast<double>(moves_.values(p) - 1);
    particle.velocity[p] = (random_.uniform() - 0.5) * range / 2;
  }
}

const ParticleSwarm::Particle* ParticleSwarm::leader() const {
  const auto best = std::ranges::min_element(particles_, {}, &Particle::best_cost);
  return best->best.empty() ? nullptr : &*best;
}

void ParticleSwarm::move(Particle& particle, std::size_t parameter, const Proposal& swarm_best) {
  double& place = particle.place[parameter];
  const double own = particle.best.empty() ? place : particle.best[parameter];
  if (!moves_.ordinal(parameter)) {
    const double choice = random_.uniform();
    if (choice < stay_chance) return;
    if (choice < stay_chance + own_best_chance)
      place = own;
    else if (choice < stay_chance + own_best_chance + swarm_best_chance)
      place = swarm_best[parameter];
    else
      place = static_cast<double>(random_.below(moves_.values(parameter)));
    return;
  }
  const auto last = static_cast<double>(moves_.values(parameter) - 1);
  double& velocity = particle.velocity[parameter];
  velocity = options_.inertia * velocity + options_.pull * random_.uniform() * (own - place) +
             options_.pull * random_.uniform() * (swarm_best[parameter] - place);
  velocity = std::clamp(velocity, -last / 2, last / 2);
  place = std::clamp(place + velocity, 0.0, last);
}

/// Returns the nearest unseen configuration to the place that the particle reaches; it lands there, but for
/// the fraction of an index that is within rounding.
std::optional<ConfigurationId> ParticleSwarm::fly(Particle& particle) {
  const Proposal swarm_best = leader()->best;
  for (std::size_t p = 0; p < particle.place.size(); ++p) move(particle, p, swarm_best);
  const auto id = moves_.repair(particle.place, random_, unseen());
  if (!id) return id;
  visited_.take(*id);
  const std::vector<int> indices = space_.value_indices(*id);
  for (std::size_t p = 0; p < indices.size(); ++p)
    if (indices[p] >= 0)
      particle.place[p] = std::clamp(particle.place[p], indices[p] - 0.5, indices[p] + 0.5);
  return id;
}

std::optional<ConfigurationId> ParticleSwarm::choose() {
  for (std::size_t tried = 0; tried < options_.particles; ++tried) {
    Particle& particle = particles_[turn_++ % options_.particles];
    if (particle.out) continue;
    const bool lost = particle.vain >= options_.patience || leader() == nullptr;
    if (!lost) particle.out = fly(particle);
    if (particle.out) return particle.out;
    particle.out = sample();
    if (particle.out) settle(particle, *particle.out);
    return particle.out;
  }
  return sample();
}

}  // namespace

StrategyEntry pso_strategy() {
  return strategy_entry<ParticleSwarm, SwarmOptions>("pso", "particle swarm");
}

}  // namespace tune::search
