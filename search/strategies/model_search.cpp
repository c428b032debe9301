// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/model_search.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_set>

#include "search/strategies/registry.hpp"

namespace tune::search {
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
  visitor.count("neighbours", options.local_turn, 1, 1000,
                "one of so many choices is a neighbour of the best", "never");
  visitor.count("random", options.random_turn, 1, 100'000, "one of so many choices is random", "never");
  visitor.count("variants", options.variant_turn, 1, 1000,
                "at first, one of so many choices is an untried variant");
  visitor.number("patience", options.belief.patience, 0.01, 1e6, "with variants whose best is slower");
  visitor.number("endurance", options.belief.endurance, 0, 1e6,
                 "results of the fastest variant without a gain that double the patience; 0: never");
  visitor.toggle("apart", options.apart, "with related records, one of several open variants at a time");
  visitor.count("pool", options.pool, 100, 100'000, "candidates where the space has more");
  visitor.number("cost", options.cost, 0, 10,
                 "exponent of the expected seconds that acquisition values are divided by");
  visitor.count("transfers", options.transfers, 0, 100, "best of a related record that are tried");
  visitor.count("trust", options.warm_start_evaluations, 0, 100'000,
                "evaluations for which related records are followed");
  visitor.count("hedge", options.hedge, 1, 1000,
                "results of these without a gain before every second choice ignores records", "never");
}

namespace {

constexpr int max_attempts = 16;                // to draw what is wanted
constexpr int max_steps = 8;                    // of a climb
constexpr std::size_t min_successes = 3;        // successes before a fit means anything
constexpr std::size_t recent_evaluations = 20;  // evaluations whose gains may come again
constexpr std::size_t min_spread = 4;           // of a design, besides one of each variant
constexpr double hopeless = 0.4;                // share of the best that a variant reached in related records

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
      results_(variants_.size()),
      known_variants_(variants_.size(), false) {
  if (options_.cost > 0) model_.surrogate.weigh_cost(options_.cost);
  for (std::size_t v = 0; v < variants_.size(); ++v)
    bounds_.push_back(
        variants_.value(v) < task.variant_bounds.size() ? task.variant_bounds[variants_.value(v)] : 0);
  of_variants_ = one_of_each_variant();
  take_records(task.related);
  plan_design(std::max(options_.start, variants_.size() + std::min(min_spread, options_.start)) -
              variants_.size());
  std::ranges::reverse(of_variants_);
}

void ModelSearch::take_records(const std::vector<RelatedRecord>& records) {
  PriorMeans transfers;
  VariantResults results(variants_.size());
  std::vector<std::optional<double>> reached(variants_.size());
  for (const RelatedRecord& record : records) {
    if (auto prior_mean = transfer_prior_mean(encoding_, record, 1 / static_cast<double>(records.size()),
                                              options_.softness))
      transfers.push_back(std::move(prior_mean));
    const std::size_t count = from_records_.empty() ? options_.transfers : options_.transfers / 2;
    for (const ConfigurationId id : best_apart(space_, record, count))
      if (std::ranges::find(from_records_, id) == from_records_.end()) from_records_.push_back(id);
    if (variants_.size() == 0) continue;
    VariantResults of_record(variants_.size());
    for (const Observation& one : record.observations) of_record.tell(variants_.of(one.id), one.cost);
    for (std::size_t v = 0; v < reached.size(); ++v)
      if (const auto share = of_record.share_of_best(v))
        reached[v] = std::max(reached[v].value_or(0), *share);
  }
  if (transfers.empty()) {
    std::ranges::reverse(from_records_);
    return;
  }
  // The records have no result of a variant that is newer than they are.
  for (const ConfigurationId id : of_variants_)
    if (!reached[variants_.of(id)]) from_records_.push_back(id);
  std::ranges::reverse(from_records_);
  const auto share = [&](ConfigurationId id) { return reached[variants_.of(id)].value_or(1); };
  std::erase_if(of_variants_, [&](ConfigurationId id) { return share(id) < hopeless; });
  std::ranges::stable_sort(of_variants_, std::greater{}, share);
  transfer_ = std::make_unique<Model>(
      Model{Surrogate(encoding_, std::move(transfers), options_.prior, options_.softness)});
}

/// The defaults, with which the author of a kernel would begin, are the best first estimate of what each
/// variant can do. Variants with many configurations are likely to come early.
std::vector<ConfigurationId> ModelSearch::one_of_each_variant() {
  std::vector<std::pair<double, ConfigurationId>> ones;
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const double chance = std::log(1 - random_.uniform()) / static_cast<double>(variants_.members(v));
    ones.emplace_back(-chance, variants_.typical(v, random_));
  }
  std::ranges::sort(ones);
  std::vector<ConfigurationId> ids;
  for (const auto& [chance, id] : ones) ids.push_back(id);
  std::stable_partition(ids.begin(), ids.end(),
                        [&](ConfigurationId id) { return has_guess(variants_.of(id)); });
  const auto usual = std::ranges::find(ids, space_.default_configuration().value_or(space_.size()));
  if (usual != ids.end()) std::rotate(ids.begin(), usual, usual + 1);
  return ids;
}

bool ModelSearch::has_guess(std::size_t variant) const {
  const std::pair<std::string, Value> chosen{space_.parameters().front().name,
                                             space_.parameters().front().values[variants_.value(variant)]};
  return std::ranges::any_of(space_.definition().guesses, [&](const auto& guess) {
    return std::ranges::find(guess, chosen) != guess.end();
  });
}

/// Points are taken from a sample, in which values are as frequent as in the space: a search should not begin
/// with rare extremes.
void ModelSearch::plan_design(std::size_t size) {
  std::vector<ConfigurationId> ids = draw_candidates();
  const std::size_t count = std::min(options_.design_sample, ids.size());
  for (std::size_t i = 0; i < count; ++i) std::swap(ids[i], ids[i + random_.below(ids.size() - i)]);
  ids.resize(count);
  std::vector<double> lean;
  for (const ConfigurationId id : ids) lean.push_back(options_.lean * model_.surrogate.prior_mean_at(id));
  design_.emplace(space_, std::move(ids), size, random_, std::move(lean));
}

std::vector<ConfigurationId> ModelSearch::draw_candidates() {
  if (sees_all()) return evidence_.seen.unseen();
  std::vector<ConfigurationId> ids;
  std::unordered_set<ConfigurationId> chosen;
  const auto add = [&](ConfigurationId id) {
    if (!evidence_.seen.seen(id) && chosen.insert(id).second) ids.push_back(id);
  };
  // Few were drawn from a space that is not counted: it grows around the best, and where a climb leads.
  if (evidence_.seen.remaining() <= options_.pool) {
    for (const ConfigurationId id : evidence_.seen.unseen()) add(id);
    if (!evidence_.good.empty())
      for (const ConfigurationId id : neighbours(evidence_.best_one().id)) add(id);
    return ids;
  }
  // Half of the candidates are shared among the variants by the chances that they have, since small variants
  // would hardly be drawn otherwise.
  const std::vector<double> chances = results_.chances(options_.belief, options_.softness);
  const double all = std::accumulate(chances.begin(), chances.end(), 0.0);
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const double part = static_cast<double>(options_.pool) / 2 * (all > 0 ? chances[v] / all : 0);
    const auto share = std::min<ConfigurationId>(static_cast<ConfigurationId>(part), variants_.members(v));
    for (ConfigurationId i = 0; i < share; ++i)
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
    evidence_.add({observation.id, encoding_.encode(observation.id), observation.cost, observation.seconds});
    model_.up_to_date = false;
    if (transfer_) transfer_->up_to_date = false;
    if (variants_.size() == 0) continue;
    known_variants_[variants_.of(observation.id)] = true;
    results_.tell(variants_.of(observation.id), observation.cost);
  }
  if (!evidence_.good.empty()) close_variants(*evidence_.best_one().cost);
}

/// Leaves out the variants that are proven to be no faster than this.
void ModelSearch::close_variants(double cost) {
  for (std::size_t v = 0; v < bounds_.size(); ++v) {
    if (!(bounds_[v] > 0 && bounds_[v] >= cost)) continue;
    evidence_.seen.close(variants_.begin(v), variants_.end(v));
    results_.close(v);
    bounds_[v] = 0;
  }
}

/// Used before enough evaluations succeeded: another design as long as nothing failed, then random, but
/// rather far from failures and from configurations that are out.
std::optional<ConfigurationId> ModelSearch::choose_blindly() {
  if (evidence_.good.size() == evidence_.evaluated.size()) {
    plan_design(options_.start);
    if (const auto id = design_->take(evidence_.seen)) return id;
  }
  std::optional<ConfigurationId> best;
  double max = -1;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
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

/// Chooses the first configurations: in turns one of each variant and those of the design. What its author
/// expects of a variant is tried early, and also where the variant was met already.
std::optional<ConfigurationId> ModelSearch::choose_first() {
  while (!of_variants_.empty() && evidence_.seen.seen(of_variants_.back())) of_variants_.pop_back();
  const bool is_guess = !of_variants_.empty() && has_guess(variants_.of(of_variants_.back()));
  const std::size_t turn = is_guess ? std::min<std::size_t>(2, options_.variant_turn) : options_.variant_turn;
  if (starts_++ % turn == 0)
    while (const auto id = next_of(of_variants_))
      if (has_guess(variants_.of(*id)) || is_new_variant(*id)) return id;
  return design_->take(evidence_.seen);
}

/// True where the last results did not improve on the best.
bool ModelSearch::gained_nothing_lately() const {
  const std::size_t count = evidence_.evaluated.size();
  if (options_.hedge == 0 || count <= options_.hedge) return false;
  return std::ranges::none_of(std::span(evidence_.evaluated).last(options_.hedge),
                              [](const Evidence::Evaluated& one) { return one.gain > 0; });
}

/// Draws the variants among which the next configuration is chosen.
void ModelSearch::draw_open_variants() {
  open_variants_.clear();
  if (evidence_.good.empty()) return;
  const std::vector<double> chances = results_.chances(options_.belief, options_.softness);
  for (const double chance : chances) open_variants_.push_back(random_.uniform() < chance);
  if (std::ranges::find(open_variants_, true) == open_variants_.end() && !chances.empty())
    open_variants_[static_cast<std::size_t>(std::ranges::max_element(chances) - chances.begin())] = true;
}

/// Draws one of several open variants: then an improvement is one on its own best.
/// Expected improvements on the best of all go where a variant that is behind is unknown, not where it is
/// good. Returns the configuration whose neighbours count.
ConfigurationId ModelSearch::draw_one_of_open(const Surrogate& model) {
  behind_ = 0;
  const ConfigurationId best = evidence_.best_one().id;
  // In a cold search all of them are equally known, and compete.
  if (!options_.apart || !transfer_ || std::ranges::count(open_variants_, true) < 2) return best;
  std::vector<std::optional<std::size_t>> bests(variants_.size());
  for (const std::size_t i : evidence_.good) {
    auto& mine = bests[variants_.of(evidence_.evaluated[i].id)];
    if (!mine || *evidence_.evaluated[i].cost < *evidence_.evaluated[*mine].cost) mine = i;
  }
  std::vector<std::size_t> open;
  for (std::size_t v = 0; v < bests.size(); ++v)
    if (open_variants_[v] && bests[v]) open.push_back(v);
  if (open.empty()) return best;
  const std::size_t drawn = open[random_.below(open.size())];
  for (std::size_t v = 0; v < bests.size(); ++v) open_variants_[v] = v == drawn;
  const Evidence::Evaluated& one = evidence_.evaluated[*bests[drawn]];
  behind_ = model.behind(*one.cost, evidence_);
  return one.id;
}

std::optional<ConfigurationId> ModelSearch::choose() {
  if (const auto id = next_of(from_records_)) return id;
  bool follows = follows_records();
  // The record may have nothing more to give: every second choice is that of a cold search.
  if (follows && gained_nothing_lately() && hedges_++ % 2 == 0) follows = false;
  if (!follows || evidence_.good.size() < min_successes)
    if (const auto id = choose_first()) return id;
  if (evidence_.good.size() < min_successes) return choose_blindly();
  const Surrogate& model = updated(follows ? *transfer_ : model_);
  ++turns_;
  draw_open_variants();
  const ConfigurationId centre = draw_one_of_open(model);
  // Whatever the process predicts, a search must not be far behind a random one.
  if (options_.random_turn > 0 && turns_ % options_.random_turn == 0)
    if (const auto id = random_open()) return id;
  if (options_.local_turn > 0 && turns_ % options_.local_turn == 0)
    if (const auto best = best_neighbour(model, centre)) return best->id;
  const auto candidate = model.best_candidate([&](ConfigurationId id) { return is_open(id); }, 0, behind_);
  if (candidate) return climb(model, *candidate);
  if (const auto id = random_open()) return id;
  if (space_.counted()) return std::nullopt;
  const auto beside = best_neighbour(model, centre);
  return beside ? std::optional(beside->id) : std::nullopt;
}

/// Returns an unseen configuration at random, of an open variant where some tries find one.
std::optional<ConfigurationId> ModelSearch::random_open() {
  auto id = evidence_.seen.random_unseen(random_);
  for (int attempt = 0; attempt < max_attempts && id && !is_open(*id); ++attempt)
    id = evidence_.seen.random_unseen(random_);
  return id;
}

/// Where candidates are a sample, the largest acquisition value usually lies beside the best of them: the
/// climb goes from neighbour to neighbour as long as the value grows.
ConfigurationId ModelSearch::climb(const Surrogate& model, ConfigurationId from) {
  if (sees_all()) return from;
  double value = model.best_of(std::span(&from, 1), from, evidence_, -1, behind_)->value;
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
    if (follows_records()) transfer_->surrogate.expect(*id, levels);
    evidence_.seen.take(*id);
    if (variants_.size() > 0) known_variants_[variants_.of(*id)] = true;
    evidence_.pending.emplace(*id, std::move(levels));
    batch.push_back(*id);
  }
  return batch;
}

StrategyEntry model_strategy() {
  StrategyEntry entry =
      strategy_entry<ModelSearch, ModelOptions>("model", "Gaussian process, largest expected improvement");
  entry.estimates_gain = true;
  entry.uses_records = true;
  return entry;
}

}  // namespace tune::search
