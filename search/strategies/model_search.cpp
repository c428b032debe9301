// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/model_search.hpp"

#include <limits>
#include <unordered_set>

#include "search/models/candidates.hpp"
#include "search/strategies/registry.hpp"

namespace tune::search {
namespace {

constexpr int max_variant_draws = 16;

/// Returns the value that a parameter has in the guess for a variant; else its default.
const Value& guess_of(const SpaceDefinition& definition, const Value& variant, const Parameter& parameter) {
  for (const auto& guess : definition.guesses) {
    const std::pair<std::string, Value> chosen{definition.parameters.front().name, variant};
    if (std::ranges::find(guess, chosen) == guess.end()) continue;
    for (const auto& [name, value] : guess)
      if (name == parameter.name && std::ranges::find(parameter.values, value) != parameter.values.end())
        return value;
  }
  return parameter.default_value;
}

}  // namespace

/// Numbers are in lexical order, so that a variant is one range of them. A space with another order of the
/// parameters has no variants here.
Variants::Variants(const SearchSpace& space) : space_(space) {
  if (space.parameters().empty() || space.empty()) return;
  const Parameter& first = space.parameters().front();
  if (first.values.size() < 2 || first.values.size() > max || first.exists_if) return;
  if (!std::ranges::all_of(first.values, &Value::is_text)) return;
  const auto value = [&](ConfigurationId id) { return space.value_indices(id).front(); };
  for (ConfigurationId begin = 0; begin < space.size() && members_.size() <= first.values.size();) {
    ConfigurationId last = begin, end = space.size();
    while (last + 1 < end) {
      const ConfigurationId middle = last + (end - last) / 2;
      (value(middle) == value(begin) ? last : end) = middle;
    }
    members_.push_back({value(begin), begin, end});
    begin = end;
  }
  const bool in_order = std::ranges::adjacent_find(members_, [](const Members& a, const Members& b) {
                          return a.value >= b.value;
                        }) == members_.end();
  if (!in_order || members_.size() < 2) members_.clear();
}

std::size_t Variants::of(ConfigurationId id) const {
  const auto after = std::ranges::upper_bound(members_, id, {}, &Members::begin);
  return static_cast<std::size_t>(after - members_.begin()) - 1;
}

std::optional<ConfigurationId> Variants::draw(std::size_t variant, const Visited& seen,
                                              Random& random) const {
  for (int attempt = 0; attempt < max_variant_draws; ++attempt) {
    const ConfigurationId id = members_[variant].begin + random.below(members(variant));
    if (!seen.seen(id)) return id;
  }
  return std::nullopt;
}

ConfigurationId Variants::typical(std::size_t variant, Random& random) const {
  const std::vector<Parameter>& parameters = space_.parameters();
  const Value& name = parameters.front().values[static_cast<std::size_t>(members_[variant].value)];
  std::vector<ValueCosts> costs;
  for (const Parameter& parameter : parameters) {
    ValueCosts cost{std::vector<double>(parameter.values.size(), 1.0)};
    const auto usual = std::ranges::find(parameter.values, guess_of(space_.definition(), name, parameter));
    cost.values[static_cast<std::size_t>(usual - parameter.values.begin())] = 0;
    costs.push_back(std::move(cost));
  }
  costs[0].values.assign(costs[0].values.size(), std::numeric_limits<double>::infinity());
  costs[0].values[static_cast<std::size_t>(members_[variant].value)] = 0;
  return space_.cheapest(costs, random).value_or(members_[variant].begin);
}

void visit_options(ModelOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 1000, "configurations of the first design");
  visitor.count("sample", options.design_sample, 1, 10'000, "random configurations it is chosen from");
  visitor.number("lean", options.lean, 0, 100, "weight of the prior mean in the choice of the first design");
  visitor.toggle("beliefs", options.prior_means, "a prior mean that holds for the launch of most kernels");
  visitor.toggle("derived", options.derived, "threads of a block and powers of two are coordinates");
  visitor.number("softness", options.softness, 0.001, 1000, "slowdowns beyond it count less and less");
  visitor.number("length", options.prior.length, 0.01, 100, "of correlations, expected before a fit");
  visitor.number("length-spread", options.prior.length_spread, 0.001, 100, "how far a fit may go from it");
  visitor.number("noise", options.prior.noise, 1e-6, 1, "variance, a share, expected before a fit");
  visitor.number("noise-spread", options.prior.noise_spread, 0.001, 100, "how far a fit may go from it");
  visitor.count("neighbours", options.local_turn, 1, 1000, "every so many choices is beside the best",
                "never");
  visitor.count("random", options.random_turn, 1, 100'000, "every so many choices is one at random", "never");
  visitor.count("pool", options.pool, 100, 100'000, "candidates where the space has more");
  visitor.number("cost", options.cost, 0, 10,
                 "exponent of the expected seconds that acquisition values are divided by");
  visitor.count("transfers", options.transfers, 0, 100, "best of a related record that are tried");
  visitor.count("trust", options.warm_start_evaluations, 0, 100'000,
                "evaluations for which related records are followed");
}

namespace {

constexpr int max_steps = 8;                    // of a climb
constexpr std::size_t min_successes = 3;        // successes before a fit means anything
constexpr std::size_t recent_evaluations = 20;  // evaluations whose gains may come again
constexpr std::size_t min_spread = 2;           // of a design, besides one of each variant

}  // namespace

ModelSearch::ModelSearch(const SearchTask& task, const ModelOptions& options)
    : space_(task.space),
      options_(options),
      random_(task.seed),
      encoding_(space_, options.derived),
      variants_(space_),
      evidence_(space_.size()),
      model_{Surrogate(encoding_, options.prior_means ? launch_prior_means(encoding_) : PriorMeans{},
                       options.prior, options.softness)},
      known_variants_(variants_.size(), false) {
  if (options_.cost > 0) model_.surrogate.weigh_cost(options_.cost);
  of_variants_ = one_of_each_variant();
  take_records(task.related);
  plan_design();
}

void ModelSearch::take_records(const std::vector<RelatedRecord>& records) {
  PriorMeans transfers;
  std::vector<bool> known(variants_.size(), false);
  for (const RelatedRecord& record : records) {
    if (auto prior_mean = transfer_prior_mean(encoding_, record, 1 / static_cast<double>(records.size()),
                                              options_.softness))
      transfers.push_back(std::move(prior_mean));
    const std::size_t count = from_records_.empty() ? options_.transfers : options_.transfers / 2;
    for (const ConfigurationId id : best_apart(space_, record, count))
      if (std::ranges::find(from_records_, id) == from_records_.end()) from_records_.push_back(id);
    for (const Observation& one : record.observations)
      if (variants_.size() > 0 && one.cost) known[variants_.of(one.id)] = true;
  }
  if (transfers.empty()) {
    std::ranges::reverse(from_records_);
    return;
  }
  // The records have no result of a variant that is newer than they are.
  for (const ConfigurationId id : of_variants_)
    if (!known[variants_.of(id)]) from_records_.push_back(id);
  std::ranges::reverse(from_records_);
  transfer_ = std::make_unique<Model>(
      Model{Surrogate(encoding_, std::move(transfers), options_.prior, options_.softness)});
}

/// The defaults, with which the author of a kernel would begin, are the best first estimate of what each
/// variant can do.
std::vector<ConfigurationId> ModelSearch::one_of_each_variant() {
  std::vector<ConfigurationId> ones;
  for (std::size_t v = 0; v < variants_.size(); ++v) ones.push_back(variants_.typical(v, random_));
  for (std::size_t left = ones.size(); left > 1; --left) std::swap(ones[left - 1], ones[random_.below(left)]);
  const auto usual = std::ranges::find(ones, space_.default_configuration().value_or(space_.size()));
  if (usual != ones.end()) std::rotate(ones.begin(), usual, usual + 1);
  return ones;
}

/// Points are taken from a sample, in which values are as frequent as in the space: a search should not begin
/// with rare extremes.
void ModelSearch::plan_design() {
  std::vector<ConfigurationId> ids = draw_candidates();
  const std::size_t count = std::min(options_.design_sample, ids.size());
  for (std::size_t i = 0; i < count; ++i) std::swap(ids[i], ids[i + random_.below(ids.size() - i)]);
  ids.resize(count);
  Eigen::ArrayXf lean(static_cast<Eigen::Index>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i)
    lean(static_cast<Eigen::Index>(i)) =
        static_cast<float>(options_.lean * model_.surrogate.prior_mean_at(ids[i]));
  CandidatePool candidates(encoding_);
  candidates.assign(ids);
  const std::size_t spread =
      std::max(options_.start, of_variants_.size() + std::min(min_spread, options_.start)) -
      of_variants_.size();
  design_ = latin_hypercube(encoding_, candidates, spread, lean, random_);
  std::ranges::reverse(of_variants_);
  std::ranges::reverse(design_);
}

std::vector<ConfigurationId> ModelSearch::draw_candidates() {
  if (sees_all()) return evidence_.seen.unseen();
  std::vector<ConfigurationId> ids;
  std::unordered_set<ConfigurationId> chosen;
  const auto add = [&](ConfigurationId id) {
    if (!evidence_.seen.seen(id) && chosen.insert(id).second) ids.push_back(id);
  };
  // Half of the candidates are shared equally among the variants, since small variants would hardly be drawn
  // otherwise.
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const auto share = std::min<std::size_t>(options_.pool / 2 / variants_.size(), variants_.members(v));
    for (std::size_t i = 0; i < share; ++i)
      if (const auto id = variants_.draw(v, evidence_.seen, random_)) add(*id);
  }
  while (ids.size() < options_.pool) add(*evidence_.seen.random_unseen(random_));
  if (evidence_.good.empty()) return ids;
  const std::vector<ConfigurationId> ring = neighbours(evidence_.best_one().id);
  for (const ConfigurationId id : ring) add(id);
  for (const ConfigurationId id : ring) {
    if (ids.size() > options_.pool * 4 / 3) break;
    for (const ConfigurationId further : neighbours(id)) add(further);
  }
  return ids;
}

void ModelSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    if (evidence_.seen.seen(observation.id) && !evidence_.pending.contains(observation.id)) continue;
    if (variants_.size() > 0) known_variants_[variants_.of(observation.id)] = true;
    evidence_.add({observation.id, encoding_.encode(observation.id), observation.cost, observation.seconds});
    model_.up_to_date = false;
    if (transfer_) transfer_->up_to_date = false;
  }
}

/// Used before enough evaluations succeeded: random, but rather far from failures and from configurations
/// that are out.
std::optional<ConfigurationId> ModelSearch::choose_blindly() {
  std::optional<ConfigurationId> best;
  double max = -1;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const auto id = evidence_.seen.random_unseen(random_);
    if (!id) return std::nullopt;
    const std::vector<Level> levels = encoding_.encode(*id);
    const Eigen::Map<const LevelMatrix> one(levels.data(), 1, static_cast<Eigen::Index>(levels.size()));
    double score = model_.surrogate.feasibility(one, levels.data(), evidence_)(0);
    for (const auto& [other, at] : evidence_.pending)
      score *= 1 - 0.5 * static_cast<double>(model_.surrogate.kernel()(at.data(), levels.data()));
    if (score <= max) continue;
    max = score;
    best = id;
  }
  return best;
}

Surrogate& ModelSearch::updated(Model& model) {
  if (model.up_to_date) return model.surrogate;
  model.up_to_date = true;
  if (model.surrogate.wants_fit(evidence_))
    model.surrogate.fit(evidence_, draw_candidates());
  else
    model.surrogate.update(evidence_);
  return model.surrogate;
}

/// The result is at least the gain of each of the last evaluations: where the process did not expect a gain,
/// there may be more.
std::optional<double> ModelSearch::expected_gain() {
  if (follows_records() || evidence_.evaluated.size() < recent_evaluations) return std::nullopt;
  if (!model_.surrogate.largest_gain()) return std::nullopt;
  model_.surrogate.update(evidence_);
  std::optional<double> gain = model_.surrogate.largest_gain();
  for (std::size_t i = evidence_.evaluated.size() - recent_evaluations;
       gain && i < evidence_.evaluated.size(); ++i)
    gain = std::max(*gain, evidence_.evaluated[i].gain);
  return gain;
}

std::optional<ConfigurationId> ModelSearch::next_of(std::vector<ConfigurationId>& plan) {
  while (!plan.empty()) {
    const ConfigurationId id = plan.back();
    plan.pop_back();
    if (!evidence_.seen.seen(id)) return id;
  }
  return std::nullopt;
}

std::optional<ConfigurationId> ModelSearch::choose() {
  if (const auto id = next_of(from_records_)) return id;
  if (!follows_records() || evidence_.good.size() < min_successes) {
    while (const auto id = next_of(of_variants_))
      if (is_new_variant(*id)) return id;
    if (const auto id = next_of(design_)) return id;
  }
  if (evidence_.good.size() < min_successes) return choose_blindly();
  const Surrogate& model = updated(follows_records() ? *transfer_ : model_);
  ++turns_;
  // Whatever the process predicts, a search must not be far behind a random one.
  if (options_.random_turn > 0 && turns_ % options_.random_turn == 0)
    return evidence_.seen.random_unseen(random_);
  if (options_.local_turn > 0 && turns_ % options_.local_turn == 0)
    if (const auto best = best_neighbour(model, evidence_.best_one().id)) return best->id;
  const auto candidate = model.has_acquisition_value() ? model.best_candidate() : std::nullopt;
  return candidate ? climb(model, *candidate) : evidence_.seen.random_unseen(random_);
}

/// Where candidates are a sample, the largest acquisition value usually lies beside the best of them: the
/// climb goes from neighbour to neighbour as long as the value grows.
ConfigurationId ModelSearch::climb(const Surrogate& model, ConfigurationId from) {
  if (sees_all()) return from;
  double value = model.best_of(std::span(&from, 1), from, evidence_)->value;
  for (int step = 0; step < max_steps; ++step) {
    const auto next = best_neighbour(model, from, value);
    if (!next) break;
    value = next->value;
    from = next->id;
  }
  return from;
}

std::vector<ConfigurationId> ModelSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  while (batch.size() < count) {
    const auto id = choose();
    if (!id) break;
    std::vector<Level> levels = encoding_.encode(*id);
    model_.surrogate.expect(*id, levels);
    if (transfer_) transfer_->surrogate.expect(*id, levels);
    evidence_.seen.take(*id);
    if (variants_.size() > 0) known_variants_[variants_.of(*id)] = true;
    evidence_.pending.emplace(*id, std::move(levels));
    batch.push_back(*id);
  }
  return batch;
}

StrategyEntry model_strategy() {
  StrategyEntry entry = strategy_entry<ModelSearch, ModelOptions>(
      "model", "the largest expected improvement by a Gaussian process of all results so far");
  entry.estimates_gain = true;
  entry.uses_records = true;
  return entry;
}

}  // namespace tune::search
