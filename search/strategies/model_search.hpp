// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/models/gaussian_process.hpp"
#include "search/models/surrogate.hpp"
#include "search/random.hpp"

namespace tune::search {

/// The variants of a problem: the values of its first parameter, where these are a few texts. Other
/// parameters depend on them, and the best variant may have a thousandth of all configurations: drawn
/// uniformly, a search would never see it.
class Variants {
 public:
  /// A parameter with more texts is not a choice of variants.
  static constexpr std::size_t max = 8;

  /// The space must outlive it.
  explicit Variants(const SearchSpace& space);

  /// Returns how many variants have valid configurations; 0 where fewer than two have.
  std::size_t size() const { return members_.size(); }
  /// Returns the number of the variant of a configuration; only where there are variants.
  std::size_t of(ConfigurationId id) const;
  /// Returns the number of its configurations.
  ConfigurationId members(std::size_t variant) const {
    return members_[variant].end - members_[variant].begin;
  }
  /// Draws one of its unseen configurations; returns nothing where some tries meet seen ones only.
  std::optional<ConfigurationId> draw(std::size_t variant, const Visited& seen, Random& random) const;
  /// Returns its configuration nearest to its guess (SpaceDefinition::guesses) and the defaults.
  ConfigurationId typical(std::size_t variant, Random& random) const;

 private:
  struct Members {
    int value;                   ///< index
    ConfigurationId begin, end;  ///< all of these
  };

  const SearchSpace& space_;
  std::vector<Members> members_;
};

/// The options of a model search, which hardly depends on any of them; docs/search.md describes how the
/// values were chosen. Each is an option of the strategy `model` (`model:start=10`): a new one is a member
/// here and a line in visit_options.
struct ModelOptions {
  std::size_t start = 5;           ///< configurations of a first design
  std::size_t design_sample = 64;  ///< random configurations that it is chosen from
  double lean = 1.4;  ///< weight of the prior mean in the design: a distance for each unit of slowdown
  /// Best configurations of the first related record that are tried; half as many of each further one.
  std::size_t transfers = 4;
  std::size_t warm_start_evaluations = 12;  ///< evaluations for which related records are followed
  std::size_t pool = 6000;                  ///< candidates where the space has more
  std::size_t local_turn = 3;               ///< every so many choices is a neighbour of the best; 0: none
  std::size_t random_turn = 10;             ///< every so many choices is one at random; 0: none
  bool prior_means = true;                  ///< launch_prior_means are used
  bool derived = true;                      ///< coordinates that follow from others are added
  double softness = 0.5;                    ///< of the scale of slowdowns
  /// Exponent of an evaluation's expected seconds in its acquisition value.
  double cost = 0;
  GaussianProcessPrior prior = {};
};

void visit_options(ModelOptions& options, OptionVisitor& visitor);

/// Model-guided search: a first design, then the configuration with the largest acquisition value under a
/// Gaussian process of the slowdowns (see Surrogate), every third time among the neighbours of the best only.
/// Configurations that are out count as if they were expected results, so that batches spread.
///
/// Each variant is tried at its defaults before the design, and every tenth choice is random: whatever the
/// process predicts, the search must not be far behind a random one.
///
/// Related records come first where there are some: their best configurations, then those that a process with
/// the same slowdowns as prior mean ranks first. After a dozen evaluations they are forgotten, and the design
/// follows: a misleading record costs a dozen evaluations, and those that leave the region they led to.
class ModelSearch : public Strategy {
 public:
  explicit ModelSearch(const SearchTask& task, const ModelOptions& options = {});

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;
  std::optional<double> expected_gain() override;
  /// Returns how much the models computed so far, in multiplications, about (see Work).
  std::uint64_t work() const {
    return model_.surrogate.work() + (transfer_ ? transfer_->surrogate.work() : 0);
  }
  std::size_t max_in_flight() const override {
    return std::max<std::size_t>(8, evidence_.evaluated.size() / 4);
  }

 private:
  /// Parameters with more values together have neighbours drawn among these: an acquisition value takes the
  /// square of the number of results.
  static constexpr std::size_t max_neighbour_values = 256;

  /// A model, and if it has learned from all evidence.
  struct Model {
    Surrogate surrogate;
    bool up_to_date = false;
  };

  void take_records(const std::vector<RelatedRecord>& records);
  void plan_design();
  /// Returns one configuration of each variant, the default's first.
  std::vector<ConfigurationId> one_of_each_variant();
  bool is_new_variant(ConfigurationId id) const { return !known_variants_[variants_.of(id)]; }
  std::vector<ConfigurationId> neighbours(ConfigurationId id) {
    return space_.some_neighbours(id, max_neighbour_values, random_);
  }
  std::optional<Surrogate::Valued> best_neighbour(const Surrogate& model, ConfigurationId id,
                                                  double above = -1) {
    return model.best_of(space_.some_neighbours(id, max_neighbour_values, random_), id, evidence_, above);
  }
  std::optional<ConfigurationId> choose();
  ConfigurationId climb(const Surrogate& model, ConfigurationId from);
  std::optional<ConfigurationId> choose_blindly();
  std::optional<ConfigurationId> next_of(std::vector<ConfigurationId>& plan);
  std::vector<ConfigurationId> draw_candidates();
  Surrogate& updated(Model& model);
  /// True when the candidates are all unseen configurations, not a sample.
  bool sees_all() const { return evidence_.seen.remaining() <= options_.pool; }
  bool follows_records() const {
    return transfer_ && space_.size() - evidence_.seen.remaining() < options_.warm_start_evaluations;
  }

  const SearchSpace& space_;
  ModelOptions options_;
  Random random_;
  Encoding encoding_;
  Variants variants_;
  Evidence evidence_;
  Model model_;
  std::unique_ptr<Model> transfer_;  ///< its prior mean follows the related records; null without any
  /// All in reverse: the last is asked for first.
  std::vector<ConfigurationId> from_records_, of_variants_, design_;
  std::vector<bool> known_variants_;  ///< asked for or told
  std::size_t turns_ = 0;
};

}  // namespace tune::search
