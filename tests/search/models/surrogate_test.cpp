// SPDX-License-Identifier: Apache-2.0
#include "search/models/surrogate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

/// A prior mean that equals the true slowdowns.
class Oracle : public PriorMean {
 public:
  explicit Oracle(const Landscape& landscape) : landscape_(landscape) {}
  WeightPrior weight() const override { return {1, 0.1}; }
  double at(ConfigurationId id) const override {
    return slowdown(landscape_.observe(id).cost.value_or(9), landscape_.optimum());
  }

 private:
  const Landscape& landscape_;
};

Landscape grid(const std::function<std::optional<double>(int x, int y)>& cost) {
  SpaceDefinition definition;
  definition.parameters = {{"x", "", {}, 0}, {"y", "", {}, 0}};
  for (Parameter& parameter : definition.parameters)
    for (int i = 0; i < 12; ++i) parameter.values.emplace_back(i);
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 12; ++y) costs.push_back(cost(x, y));
  return {"grid", std::move(space), std::move(costs)};
}

/// Number of the grid's configuration.
ConfigurationId at(int x, int y) {
  return static_cast<ConfigurationId>(12 * x + y);
}

/// Slow away from (8, 3).
std::optional<double> bowl(int x, int y) {
  return std::exp(0.02 * ((x - 8) * (x - 8) + (y - 3) * (y - 3)));
}

double feasible(const Surrogate& surrogate, const std::vector<Level>& levels, const Evidence& evidence) {
  const Eigen::Map<const LevelMatrix> one(levels.data(), 1, static_cast<Eigen::Index>(levels.size()));
  return surrogate.feasibility(one, levels.data(), evidence)(0);
}

/// A surrogate of a grid, and all its configurations as candidates.
struct Model {
  explicit Model(Landscape of, bool with_oracle = false)
      : landscape(std::move(of)), surrogate(encoding, prior_means(with_oracle), {}) {
    for (ConfigurationId id = 0; id < landscape.space().size(); ++id) all.push_back(id);
  }

  PriorMeans prior_means(bool with_oracle) const {
    PriorMeans result;
    if (with_oracle) result.push_back(std::make_unique<Oracle>(landscape));
    return result;
  }
  void tell(ConfigurationId id) { evidence.add({id, encoding.encode(id), landscape.observe(id).cost}); }
  void tell_random(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) tell(landscape.space().sample(random));
  }
  /// On its way, as a search notes it.
  void expect(ConfigurationId id) {
    surrogate.expect(id, encoding.encode(id));
    evidence.seen.take(id);
    evidence.pending.emplace(id, encoding.encode(id));
  }
  void fit() { surrogate.fit(evidence, all); }
  double feasibility(ConfigurationId id) const { return feasible(surrogate, encoding.encode(id), evidence); }
  /// By single configurations, not by the rows of candidates.
  std::optional<ConfigurationId> best_of_all() const {
    const auto best = surrogate.best_of(all, all.front(), evidence);
    return best ? std::optional(best->id) : std::nullopt;
  }
  double correlation(ConfigurationId a, ConfigurationId b) const {
    return static_cast<double>(surrogate.kernel()(encoding.encode(a).data(), encoding.encode(b).data()));
  }

  Landscape landscape;
  Encoding encoding{landscape.space()};
  Surrogate surrogate;
  Evidence evidence{landscape.space().size()};
  std::vector<ConfigurationId> all;
};

TEST(Surrogate, TakesWhatIsLikeFailuresForInfeasible) {
  Model model(grid([](int x, int y) { return x > 6 ? std::nullopt : bowl(x, y); }));
  EXPECT_EQ(model.feasibility(at(0, 0)), 1) << "nothing is known";
  model.tell(at(2, 5));
  EXPECT_EQ(model.feasibility(at(11, 5)), 1) << "nothing failed";
  model.tell(at(10, 5));
  EXPECT_LT(model.feasibility(at(10, 5)), 0.5);
  EXPECT_LT(model.feasibility(at(10, 5)), model.feasibility(at(9, 5)));
  EXPECT_LT(model.feasibility(at(9, 5)), model.feasibility(at(6, 5)));
  EXPECT_LT(model.feasibility(at(6, 5)), model.feasibility(at(2, 5)));
  const double before = model.feasibility(at(6, 5));
  model.tell(at(6, 6));
  EXPECT_GT(model.feasibility(at(6, 5)), before) << "a success next to it";
  const double then = model.feasibility(at(6, 5));
  model.tell(at(7, 5));
  EXPECT_LT(model.feasibility(at(6, 5)), then) << "a failure next to it";
}

TEST(Surrogate, AvoidsWhereEvaluationsFail) {
  Model model(grid([](int x, int y) { return x > 7 ? std::nullopt : bowl(x, y); }));
  for (int y = 0; y < 12; y += 2) {
    model.tell(at(9, y));
    model.tell(at(11, y));
    model.tell(at(1, y));
    model.tell(at(4, y));
  }
  model.fit();
  for (int i = 0; i < 6; ++i) {
    const ConfigurationId next = model.surrogate.best_candidate().value();
    EXPECT_LE(next / 12, 8U) << i;
    model.tell(next);
    model.surrogate.update(model.evidence);
  }
}

TEST(Surrogate, FindsTheMinimumOfABowl) {
  Model model(grid(bowl));
  model.tell_random(6, 1);
  for (int i = 0; i < 14; ++i) {
    if (model.surrogate.wants_fit(model.evidence))
      model.fit();
    else
      model.surrogate.update(model.evidence);
    model.tell(model.surrogate.best_candidate().value());
  }
  EXPECT_EQ(model.evidence.best_one().id, at(8, 3));
}

// Two ways to the same score: rows of all candidates in single precision, and one configuration alone.
TEST(Surrogate, RanksCandidatesAsItRanksSingleConfigurations) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Model model(grid([](int x, int y) { return x + y > 18 ? std::nullopt : bowl(x, y); }), seed % 2 == 0);
    model.tell_random(15, seed);
    model.fit();
    for (int i = 0; i < 4; ++i) {
      const auto next = model.surrogate.best_candidate();
      EXPECT_EQ(model.best_of_all(), next) << "seed " << seed << ", " << i;
      if (i % 2 == 0) {
        model.expect(next.value());  // on its way
      } else {
        model.tell(next.value());
        model.surrogate.update(model.evidence);
      }
    }
  }
}

TEST(Surrogate, KeepsAwayFromWhatIsOnItsWay) {
  int further = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Model pushed(grid(bowl)), ignorant(grid(bowl));
    for (Model* model : {&pushed, &ignorant}) {
      model->tell_random(8, seed);
      model->fit();
    }
    const ConfigurationId first = pushed.surrogate.best_candidate().value();
    pushed.expect(first);
    ignorant.evidence.seen.take(first);  // not to be chosen, but nothing is on its way
    ignorant.surrogate.update(ignorant.evidence);
    const ConfigurationId second = pushed.surrogate.best_candidate().value();
    EXPECT_NE(second, first);
    const double apart = pushed.correlation(first, second);
    const double otherwise = pushed.correlation(first, ignorant.surrogate.best_candidate().value());
    EXPECT_LE(apart, otherwise) << seed;
    further += apart < otherwise ? 1 : 0;
    pushed.surrogate.update(pushed.evidence);
    EXPECT_EQ(pushed.surrogate.best_candidate(), second) << "an update does not forget it";
    EXPECT_EQ(pushed.best_of_all(), second);
  }
  EXPECT_GE(further, 4);
}

TEST(Surrogate, FollowsABeliefUntilTheDataSpeak) {
  Model model(grid(bowl), true);
  EXPECT_NEAR(model.surrogate.prior_mean_at(at(8, 3)), 0, 1e-12);
  EXPECT_GT(model.surrogate.prior_mean_at(at(0, 11)), 0.5);
  for (const ConfigurationId id : {at(0, 0), at(0, 11), at(1, 6)}) model.tell(id);
  model.fit();
  // One step from (8, 3), or that: beside it an unknown rest may promise as much.
  EXPECT_LT(model.surrogate.prior_mean_at(model.surrogate.best_candidate().value()), 0.025);
}

TEST(Surrogate, HasNothingToSayBeforeAFitAndAfterTheLast) {
  Model model(grid(bowl));
  EXPECT_EQ(model.surrogate.largest_gain(), std::nullopt);
  EXPECT_EQ(model.surrogate.best_candidate(), std::nullopt);
  model.surrogate.expect(at(1, 1), model.encoding.encode(at(1, 1)));
  for (ConfigurationId id = 0; id < 140; ++id) model.tell(id);
  model.fit();
  EXPECT_TRUE(model.surrogate.largest_gain().has_value());
  EXPECT_GE(model.surrogate.best_candidate().value(), 140U);
  for (ConfigurationId id = 140; id < 144; ++id) model.tell(id);
  model.surrogate.update(model.evidence);
  EXPECT_EQ(model.surrogate.largest_gain(), std::nullopt);
  EXPECT_EQ(model.surrogate.best_candidate(), std::nullopt);
  EXPECT_EQ(model.best_of_all(), std::nullopt);
}

TEST(Surrogate, WantsAFitWhenEnoughIsNewOrNoCandidateIsLeft) {
  Model model(grid(bowl));
  EXPECT_TRUE(model.surrogate.wants_fit(model.evidence));
  for (ConfigurationId id = 0; id < 40; ++id) model.tell(id);
  model.surrogate.fit(model.evidence, {50, 60});
  EXPECT_FALSE(model.surrogate.wants_fit(model.evidence));
  for (ConfigurationId id = 100; id < 103; ++id) model.tell(id);
  EXPECT_FALSE(model.surrogate.wants_fit(model.evidence)) << "less than a tenth";
  model.tell(103);
  EXPECT_TRUE(model.surrogate.wants_fit(model.evidence));
  model.surrogate.fit(model.evidence, {50, 60});
  EXPECT_FALSE(model.surrogate.wants_fit(model.evidence));
  model.expect(50);
  model.expect(60);
  EXPECT_TRUE(model.surrogate.wants_fit(model.evidence)) << "both candidates are out";
}

TEST(Surrogate, FeasibilityOfASpaceWithoutFailuresIsCertain) {
  const Landscape landscape = variants(1);
  const Encoding encoding(landscape.space());
  Surrogate surrogate(encoding, {}, {});
  Evidence evidence(landscape.space().size());
  for (ConfigurationId id = 0; id < 50; ++id) evidence.add({id, encoding.encode(id), 1e-3, 0});
  EXPECT_EQ(feasible(surrogate, encoding.encode(60), evidence), 1);
  evidence.add({50, encoding.encode(50), std::nullopt, 0});
  EXPECT_LT(feasible(surrogate, encoding.encode(50), evidence), 1);
}

}  // namespace
}  // namespace tune::search::testing
