// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/pso.hpp"

#include <algorithm>
#include <cmath>

namespace tune::search {

ParticleSwarm::ParticleSwarm(const SearchTask& task) : StepwiseSearch(task, kParticles) {}

void ParticleSwarm::learn(ConfigurationId id, double cost) {
  const auto particle = std::ranges::find(particles_, std::optional(id), &Particle::out);
  if (particle == particles_.end()) return;  // the swarm's best is all that is learned from others
  particle->out.reset();
  ++particle->vain;
  if (!std::isfinite(cost) || (!particle->best.empty() && cost >= particle->best_cost)) return;
  particle->best = particle->place;
  particle->best_cost = cost;
  particle->vain = 0;
}

std::optional<ConfigurationId> ParticleSwarm::throw_anywhere(Particle& particle) {
  const auto id = sample();
  if (!id) return id;
  particle.place = moves_.wish_of(*id, random_);
  particle.best.clear();
  particle.vain = 0;
  particle.velocity.assign(particle.place.size(), 0.0);
  for (std::size_t p = 0; p < particle.place.size(); ++p) {
    const auto range = static_cast<double>(moves_.values(p) - 1);
    particle.velocity[p] = (random_.uniform() - 0.5) * range / 2;
  }
  return id;
}

void ParticleSwarm::move(Particle& particle, std::size_t parameter, const Wish& swarm_best) {
  double& place = particle.place[parameter];
  const double own = particle.best.empty() ? place : particle.best[parameter];
  if (!moves_.ordinal(parameter)) {
    const double choice = random_.uniform();
    if (choice < kStay) return;
    if (choice < kStay + kOwn)
      place = own;
    else if (choice < kStay + kOwn + kSwarm)
      place = swarm_best[parameter];
    else
      place = static_cast<double>(random_.below(moves_.values(parameter)));
    return;
  }
  const auto last = static_cast<double>(moves_.values(parameter) - 1);
  double& velocity = particle.velocity[parameter];
  velocity = kInertia * velocity + kPull * random_.uniform() * (own - place) +
             kPull * random_.uniform() * (swarm_best[parameter] - place);
  velocity = std::clamp(velocity, -last / 2, last / 2);
  place = std::clamp(place + velocity, 0.0, last);
}

/// The nearest unseen configuration to where the particle comes; it lands there, but for the fraction of an
/// index that is within rounding.
std::optional<ConfigurationId> ParticleSwarm::fly(Particle& particle) {
  const Wish swarm_best = moves_.wish_of(*visited_.best(), random_);
  for (std::size_t p = 0; p < particle.place.size(); ++p) move(particle, p, swarm_best);
  const auto id = moves_.nearest(particle.place, random_, unseen());
  if (!id) return id;
  visited_.take(*id);
  const std::vector<int> indices = space_.value_indices(*id);
  for (std::size_t p = 0; p < indices.size(); ++p)
    if (indices[p] >= 0)
      particle.place[p] = std::clamp(particle.place[p], indices[p] - 0.5, indices[p] + 0.5);
  return id;
}

std::optional<ConfigurationId> ParticleSwarm::choose() {
  for (std::size_t tried = 0; tried < kParticles; ++tried) {
    Particle& particle = particles_[turn_++ % kParticles];
    if (particle.out) continue;
    const bool lost = particle.vain >= kPatience || !visited_.best();
    if (!lost) particle.out = fly(particle);
    if (!particle.out) particle.out = throw_anywhere(particle);
    return particle.out;
  }
  return sample();
}

}  // namespace tune::search
