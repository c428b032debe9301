// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/models/surrogate.hpp"
#include "search/random.hpp"
#include "search/strategies/model_options.hpp"
#include "search/strategies/variants.hpp"

namespace tune::search {

/// Model-guided search: a first design, then what a Gaussian process of the slowdowns promises most (see
/// Surrogate), every third time among the neighbours of the best only. What is on its way counts as if it
/// were known to be nothing new, so that batches spread.
///
/// Each variant is tried at its defaults before the design, and every tenth choice is random: whatever the
/// process makes of its data, the search must not be far behind a random one.
///
/// Related records come first where there are some: their best configurations, then what a process that
/// expects the same slowdowns here promises. After a dozen evaluations they are forgotten, and the design
/// follows: a record that misleads costs a dozen evaluations, and what it takes to leave the place they led
/// to.
class ModelSearch : public Strategy {
 public:
  explicit ModelSearch(const SearchTask& task, const ModelOptions& options = {});

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;
  std::optional<double> expected_gain() override;
  std::size_t max_in_flight() const override {
    return std::max<std::size_t>(8, evidence_.evaluated.size() / 4);
  }

 private:
  /// A model, and whether it has learned from all evidence.
  struct Model {
    Surrogate surrogate;
    bool up_to_date = false;
  };

  void take_records(const std::vector<RelatedRecord>& records);
  void plan_design();
  /// One configuration of each variant, the default's first.
  std::vector<ConfigurationId> one_of_each_variant();
  bool is_new_variant(ConfigurationId id) const;
  std::optional<ConfigurationId> choose();
  ConfigurationId climb(const Surrogate& model, ConfigurationId from);
  std::optional<ConfigurationId> choose_blindly();
  std::optional<ConfigurationId> next_of(std::vector<ConfigurationId>& plan);
  std::vector<ConfigurationId> draw_candidates();
  Surrogate& updated(Model& model);
  /// Whether the candidates are all that is unseen, not a sample.
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
  std::unique_ptr<Model> transfer_;  ///< believes in the related records, where there are some
  /// All in reverse: the last is asked for first.
  std::vector<ConfigurationId> from_records_, of_variants_, design_;
  std::size_t turns_ = 0;
};

}  // namespace tune::search
