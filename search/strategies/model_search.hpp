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
#include "search/models/gaussian_process.hpp"
#include "search/models/surrogate.hpp"
#include "search/random.hpp"
#include "search/strategies/stratified.hpp"
#include "search/strategies/variants.hpp"

namespace tune::search {

/// The options of a model search, which hardly depends on any of them; docs/explanation/search.md describes
/// how the values were chosen. Each is an option of the strategy `model` (`model:start=10`): a new one is a
/// member here and a line in visit_options.
struct ModelOptions {
  std::size_t start = 5;           ///< configurations of a first design
  std::size_t design_sample = 64;  ///< random configurations that it is chosen from
  double lean = 1.4;  ///< weight of the prior mean in the design: a distance for each unit of slowdown
  /// Best configurations of the first related record that are tried; half as many of each further one.
  std::size_t transfers = 4;
  std::size_t warm_start_evaluations = 12;  ///< evaluations for which related records are followed
  /// Of these: after so many results without a gain every second choice is that of a cold search; 0: none.
  std::size_t hedge = 4;
  bool apart = true;             ///< with related records, one of several open variants is searched at a time
  std::size_t pool = 6000;       ///< candidates where the space has more
  std::size_t local_turn = 3;    ///< every so many choices is a neighbour of the best; 0: none
  std::size_t random_turn = 10;  ///< one of so many choices is random; 0: none
  /// At first every so many choices is an untried variant at its defaults; the others are of the design, then
  /// of the model.
  std::size_t variant_turn = 4;
  VariantResults::Belief belief = {};
  bool prior_means = true;  ///< launch_prior_means are used
  bool derived = true;      ///< coordinates that follow from others are added
  double softness = 0.5;    ///< of the scale of slowdowns
  /// Exponent of an evaluation's expected seconds in its acquisition value.
  double cost = 0;
  GaussianProcessPrior prior = {};
};

void visit_options(ModelOptions& options, OptionVisitor& visitor);

/// Model-guided search: a first design, then the configuration with the largest acquisition value under a
/// Gaussian process of the slowdowns (see Surrogate), every third time among the neighbours of the best only.
/// Configurations that are out count as if they were expected results, so that batches spread.
///
/// At first every fourth choice is an untried variant at its defaults; later ones leave out variants whose
/// results are slow (VariantResults::chances), and for good those that a bound rules out. Every tenth choice
/// is random: whatever the process predicts, the search must not be far behind a random one.
///
/// Related records come first where there are some: their best configurations, then those that a process with
/// the same slowdowns as prior mean ranks first. When that gains nothing, every second choice is that of a
/// cold search. After a dozen evaluations they are forgotten: a misleading record costs less than a dozen
/// evaluations, and those that leave the region they led to.
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
  void plan_design(std::size_t size);
  void close_variants(double cost);
  /// Returns one configuration of each variant, the default's first.
  std::vector<ConfigurationId> one_of_each_variant();
  bool has_guess(std::size_t variant) const;
  bool is_new_variant(ConfigurationId id) const { return !known_variants_[variants_.of(id)]; }
  std::vector<ConfigurationId> neighbours(ConfigurationId id) {
    return space_.some_neighbours(id, max_neighbour_values, random_);
  }
  std::optional<Surrogate::Valued> best_neighbour(const Surrogate& model, ConfigurationId id,
                                                  double above = -1) {
    std::vector<ConfigurationId> ids = space_.some_neighbours(id, max_neighbour_values, random_);
    std::erase_if(ids, [&](ConfigurationId one) { return !is_open(one); });
    return model.best_of(ids, id, evidence_, above, behind_);
  }
  std::optional<ConfigurationId> choose();
  std::optional<ConfigurationId> choose_first();
  bool gained_nothing_lately() const;
  void draw_open_variants();
  ConfigurationId draw_one_of_open(const Surrogate& model);
  bool is_open(ConfigurationId id) const {
    return open_variants_.empty() || open_variants_[variants_.of(id)];
  }
  std::optional<ConfigurationId> random_open();
  ConfigurationId climb(const Surrogate& model, ConfigurationId from);
  std::optional<ConfigurationId> choose_blindly();
  std::optional<ConfigurationId> next_of(std::vector<ConfigurationId>& plan);
  std::vector<ConfigurationId> draw_candidates();
  Surrogate& updated(Model& model);
  /// True when the candidates are all unseen configurations, not a sample. A space that is not counted has
  /// more than it draws from.
  bool sees_all() const { return space_.counted() && evidence_.seen.remaining() <= options_.pool; }
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
  std::vector<ConfigurationId> from_records_, of_variants_;
  std::optional<StratifiedDesign> design_;
  VariantResults results_;
  std::vector<double> bounds_;        ///< by variant: SearchTask::variant_bounds; 0 once it is left out
  std::vector<bool> known_variants_;  ///< asked for or told
  double behind_ = 0;                 ///< slowdown of the best of the variant that was drawn
  std::vector<bool> open_variants_;   ///< for the present choice; empty: all
  std::size_t turns_ = 0, starts_ = 0, hedges_ = 0;
};

}  // namespace tune::search
