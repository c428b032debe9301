// SPDX-License-Identifier: Apache-2.0
#include "tests/support/landscapes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tune::search::testing {

namespace {

using Cost = std::function<std::optional<double>(const std::vector<int>& indices)>;

Landscape make(std::string name, SpaceDefinition definition, const Cost& cost) {
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id) costs.push_back(cost(space.value_indices(id)));
  return {std::move(name), std::move(space), std::move(costs)};
}

SpaceDefinition seven_parameters() {
  SpaceDefinition definition;
  definition.parameters = {{"block_x", "", {8, 16, 32, 64, 128, 256}, 32},
                           {"block_y", "", {1, 2, 4, 8, 16}, 2},
                           {"tile", "", {1, 2, 3, 4, 5, 6}, 1},
                           {"unroll", "", {1, 2, 4, 8}, 1},
                           {"stages", "", {1, 2, 3}, 1},
                           {"padding", "", {false, true}, false},
                           {"loader", "", {"plain", "vector", "async"}, "plain"}};
  definition.constraints = {{var("block_x") * var("block_y") <= 512, "too many threads"},
                            {var("tile") * var("block_y") <= 48, "too much shared memory"}};
  return definition;
}

int values_of(const SpaceDefinition& definition, std::size_t parameter) {
  return static_cast<int>(definition.parameters[parameter].values.size());
}

/// Each parameter costs a factor that grows with the distance from its best index.
Cost slopes(const SpaceDefinition& definition, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> best;
  std::vector<double> steepness;
  for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
    best.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(values_of(definition, p)))));
    steepness.push_back((0.2 + random.uniform()) / values_of(definition, p));
  }
  return [best, steepness](const std::vector<int>& indices) {
    double log_cost = 0;
    for (std::size_t p = 0; p < indices.size(); ++p)
      log_cost += steepness[p] * std::abs(indices[p] - best[p]);
    return 1e-3 * std::exp(log_cost);
  };
}

}  // namespace

Landscape::Landscape(std::string name, SearchSpace space, std::vector<std::optional<double>> costs)
    : name_(std::move(name)), space_(std::move(space)), costs_(std::move(costs)) {
  for (const auto& cost : costs_) optimum_ = std::min(optimum_, cost.value_or(optimum_));
}

Landscape separable(std::uint64_t seed) {
  const SpaceDefinition definition = seven_parameters();
  return make("separable", definition, slopes(definition, seed));
}

Landscape rugged(std::uint64_t seed) {
  const SpaceDefinition definition = seven_parameters();
  const std::size_t count = definition.parameters.size();
  Random random(seed);
  std::vector<std::vector<std::size_t>> parts;  // parameters that decide together
  std::vector<std::vector<double>> tables;
  for (std::size_t p = 0; p < count; ++p) {
    parts.push_back({p, (p + 1 + random.below(3)) % count, (p + 4 + random.below(3)) % count});
    tables.emplace_back();
    for (int i = 0; i < 6 * 6 * 6; ++i) tables[p].push_back(random.uniform());
  }
  return make("rugged", definition, [=](const std::vector<int>& indices) {
    double log_cost = 0;
    for (std::size_t p = 0; p < count; ++p) {
      int place = 0;
      for (const std::size_t part : parts[p]) place = place * 6 + indices[part];
      log_cost += 0.5 * tables[p][static_cast<std::size_t>(place)];
    }
    return 1e-3 * std::exp(log_cost);
  });
}

Landscape needle(std::uint64_t seed) {
  SpaceDefinition definition = seven_parameters();
  definition.parameters.resize(4);
  SearchSpace space(definition);
  std::vector<std::optional<double>> costs(space.size(), 2e-3);
  costs[Random(seed).below(space.size())] = 1e-3;
  return {"needle", std::move(space), std::move(costs)};
}

Landscape failing_region(std::uint64_t seed) {
  const SpaceDefinition definition = seven_parameters();
  const Cost cost = slopes(definition, seed);
  return make("failing region", definition, [cost](const std::vector<int>& indices) -> std::optional<double> {
    // Too many registers, say: many stages of large tiles, unrolled.
    if ((indices[2] + 1) * (indices[3] + 1) * (indices[4] + 1) > 16) return std::nullopt;
    return cost(indices);
  });
}

Landscape variants(std::uint64_t seed) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"direct", "tiled", "fft"}, "direct"},
                           {"block_x", "", {8, 16, 32, 64, 128, 256}, 32},
                           {"block_y", "", {1, 2, 4, 8}, 2},
                           {"tile", "", {1, 2, 3, 4, 5, 6}, 1, var("variant") == "tiled"},
                           {"stages", "", {1, 2, 3, 4}, 1, var("variant") == "tiled"},
                           {"radix", "", {2, 4, 8, 16}, 4, var("variant") == "fft"},
                           {"unroll", "", {1, 2, 4, 8}, 1}};
  definition.constraints = {{var("block_x") * var("block_y") <= 512, "too many threads"}};
  const Cost cost = slopes(definition, seed);
  return make("variants", definition, [cost](const std::vector<int>& indices) -> std::optional<double> {
    // The tiled variant is steeper: 1.6 times as slow where it is badly set, but the fastest at its best.
    constexpr double base_factors[] = {1.3, 0.6, 1.1};
    std::vector<int> shared = indices;
    shared[0] = 0;
    return base_factors[indices[0]] * *cost(shared);
  });
}

Landscape plateau(std::uint64_t seed) {
  const SpaceDefinition definition = seven_parameters();
  const Cost cost = slopes(definition, seed);
  return make("plateau", definition, [cost](const std::vector<int>& indices) {
    return 1e-3 * std::exp(0.4 * std::floor(std::log(*cost(indices) * 1e3) / 0.4));
  });
}

double best_score(Strategy& strategy, const Landscape& landscape, std::size_t budget, std::size_t batch) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t spent = 0; spent < budget;) {
    const auto ids = strategy.ask(std::min(batch, budget - spent));
    if (ids.empty()) break;
    spent += ids.size();
    std::vector<Observation> observations;
    for (const ConfigurationId id : ids) {
      observations.push_back(landscape.observe(id));
      best = std::min(best, observations.back().cost.value_or(best));
    }
    strategy.tell(observations);
  }
  return landscape.score(best);
}

}  // namespace tune::search::testing
