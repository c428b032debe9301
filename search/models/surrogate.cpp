// SPDX-License-Identifier: Apache-2.0
#include "search/models/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "search/models/gaussian_process.hpp"

namespace tune::search {
namespace {

constexpr int fit_sweeps = 4;
constexpr double shrinkage = 3;  // evaluations without a share of their own that each level has seen

}  // namespace

/// Backfitting: each coordinate in turn explains what the others leave.
void EvaluationCost::learn(const Evidence& evidence) {
  shares_.clear();
  for (const Dimension& dimension : encoding_.dimensions()) shares_.emplace_back(dimension.levels(), 0.0);
  std::vector<const Evidence::Evaluated*> known;
  double mean = 0;
  for (const Evidence::Evaluated& one : evidence.evaluated)
    if (one.seconds > 0) {
      known.push_back(&one);
      mean += std::log(one.seconds);
    }
  if (known.empty()) return;
  mean /= static_cast<double>(known.size());
  std::vector<double> left;
  for (const auto* one : known) left.push_back(std::log(one->seconds) - mean);
  for (int sweep = 0; sweep < fit_sweeps; ++sweep)
    for (std::size_t d = 0; d < shares_.size(); ++d) {
      if (encoding_.dimensions()[d].derived) continue;
      std::vector<double> sums(shares_[d].size()), counts(shares_[d].size(), shrinkage);
      for (std::size_t i = 0; i < known.size(); ++i) {
        const Level level = known[i]->levels[d];
        left[i] += shares_[d][level];
        sums[level] += left[i];
        counts[level] += 1;
      }
      for (std::size_t level = 0; level < sums.size(); ++level)
        shares_[d][level] = sums[level] / counts[level];
      for (std::size_t i = 0; i < known.size(); ++i) left[i] -= shares_[d][known[i]->levels[d]];
    }
}

double EvaluationCost::cost_weight(std::span<const Level> levels) const {
  double sum = 0;
  for (std::size_t d = 0; d < shares_.size(); ++d) sum += shares_[d][levels[d]];
  return std::exp(-exponent_ * sum);
}

namespace {

constexpr float seen_score = -1;
constexpr double prior_successes = 0.5;  // evaluations that succeeded, before any is known
constexpr double min_variance = 1e-9;
constexpr double bound_margin = 1e-6;          // more than the rounding of what is explained
constexpr std::size_t max_exact = 8;           // deviations that are computed exactly
constexpr std::size_t max_near = 1000;         // evaluations that the feasibility of one configuration needs
constexpr std::size_t max_between_fits = 500;  // successes

/// Returns the expected improvement on the best, which is at 0, for this mean and deviation.
double expected_improvement(double mean, double deviation) {
  const double z = -mean / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return -mean * std::erfc(-z / std::numbers::sqrt2) / 2 + deviation * density;
}

/// Returns the places in the evidence of the points for the process, the best first.
std::vector<std::size_t> best_followed(const Evidence& evidence) {
  std::vector<std::size_t> sorted = evidence.good;
  std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return *evidence.evaluated[i].cost; });
  std::vector<std::size_t> chosen;
  for (const std::size_t i : best_and_spread(sorted.size(), max_followed)) chosen.push_back(sorted[i]);
  return chosen;
}

}  // namespace

Surrogate::Surrogate(const Encoding& encoding, PriorMeans prior_means, const GaussianProcessPrior& prior,
                     double softness)
    : encoding_(encoding),
      prior_means_(std::move(prior_means)),
      softness_(softness),
      process_(encoding.dimensions(), prior),
      candidates_(encoding) {
  for (const auto& prior_mean : prior_means_) weights_.push_back(prior_mean->weight());
}

Eigen::VectorXd Surrogate::features(ConfigurationId id) const {
  Eigen::VectorXd result(static_cast<Eigen::Index>(prior_means_.size()));
  for (std::size_t b = 0; b < prior_means_.size(); ++b)
    result(static_cast<Eigen::Index>(b)) = prior_means_[b]->at(id);
  return result;
}

double Surrogate::prior_mean_at(ConfigurationId id) const {
  double sum = 0;
  for (std::size_t b = 0; b < prior_means_.size(); ++b) sum += weights_[b].weight * prior_means_[b]->at(id);
  return sum;
}

bool Surrogate::wants_fit(const Evidence& evidence) const {
  const bool used_up = scores_.size() == 0 || scores_.maxCoeff() < 0;
  return evidence.good.size() >= next_fit_ || (used_up && evidence.seen.remaining() > 0);
}

Eigen::VectorXd Surrogate::slowdowns(const Evidence& evidence) const {
  Eigen::VectorXd values(static_cast<Eigen::Index>(followed_.size()));
  for (std::size_t i = 0; i < followed_.size(); ++i)
    values(static_cast<Eigen::Index>(i)) =
        slowdown(*evidence.evaluated[followed_[i]].cost, *evidence.best_one().cost, softness_);
  return values;
}

/// Fits lengths and noise, and sets the points of the process.
void Surrogate::fit_process(const Evidence& evidence) {
  followed_ = best_followed(evidence);
  followed_features_.clear();
  const auto count = static_cast<Eigen::Index>(followed_.size());
  LevelMatrix points(count, static_cast<Eigen::Index>(encoding_.size()));
  Eigen::VectorXd surprises = slowdowns(evidence);  // what the prior means leave open
  for (Eigen::Index i = 0; i < count; ++i) {
    const Evidence::Evaluated& one = evidence.evaluated[followed_[static_cast<std::size_t>(i)]];
    std::ranges::copy(one.levels, points.row(i).data());
    followed_features_.push_back(features(one.id));
    for (std::size_t b = 0; b < weights_.size(); ++b)
      surprises(i) -= weights_[b].weight * followed_features_.back()(static_cast<Eigen::Index>(b));
  }
  std::vector<Eigen::Index> chosen;
  for (const std::size_t i : best_and_spread(followed_.size(), max_fitted))
    chosen.push_back(static_cast<Eigen::Index>(i));
  process_.fit(points(chosen, Eigen::all), surprises(chosen));
  process_.condition(points);
}

void Surrogate::fit(const Evidence& evidence, const std::vector<ConfigurationId>& candidates) {
  fit_process(evidence);
  candidates_.assign(candidates);
  candidates_.condition(process_);
  weigh(evidence);
  place_.clear();
  const auto rows = static_cast<Eigen::Index>(candidates.size());
  candidate_features_.resize(rows, static_cast<Eigen::Index>(prior_means_.size()));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    place_.emplace(candidates[i], i);
    candidate_features_.row(static_cast<Eigen::Index>(i)) = features(candidates[i]).transpose().cast<float>();
  }
  near_all_ = near_good_ = Eigen::ArrayXf::Constant(rows, static_cast<float>(prior_successes));
  taken_in_ = 0;
  take_in(evidence);
  good_taken_in_ = evidence.good.size();
  score(evidence);
  next_fit_ = good_taken_in_ + std::clamp<std::size_t>(good_taken_in_ / 10, 2, max_between_fits);
}

void Surrogate::weigh(const Evidence& evidence) {
  if (!cost_) return;
  cost_->learn(evidence);
  cost_weights_.resize(static_cast<Eigen::Index>(candidates_.size()));
  std::vector<Level> levels(encoding_.size());
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    for (std::size_t d = 0; d < levels.size(); ++d) levels[d] = candidates_.level(i, d);
    cost_weights_(static_cast<Eigen::Index>(i)) = static_cast<float>(cost_->cost_weight(levels));
  }
}

void Surrogate::take_in(const Evidence& evidence) {
  for (; taken_in_ < evidence.evaluated.size(); ++taken_in_) {
    const Evidence::Evaluated& one = evidence.evaluated[taken_in_];
    const Eigen::ArrayXf near = candidates_.correlations(process_.kernel(), one.levels.data()).square();
    near_all_ += near;
    if (one.cost) near_good_ += near;
  }
}

void Surrogate::update(const Evidence& evidence) {
  if (taken_in_ == evidence.evaluated.size()) return;
  for (; good_taken_in_ < evidence.good.size(); ++good_taken_in_) {
    const Evidence::Evaluated& one = evidence.evaluated[evidence.good[good_taken_in_]];
    followed_.push_back(evidence.good[good_taken_in_]);
    followed_features_.push_back(features(one.id));
    process_.append(one.levels);
    candidates_.append(process_);
  }
  take_in(evidence);
  score(evidence);
}

void Surrogate::score(const Evidence& evidence) {
  const auto count = static_cast<Eigen::Index>(prior_means_.size());
  Eigen::MatrixXd known(static_cast<Eigen::Index>(followed_features_.size()), count);
  for (Eigen::Index i = 0; i < known.rows(); ++i)
    known.row(i) = followed_features_[static_cast<std::size_t>(i)].transpose();
  explanation_ = process_.explain(slowdowns(evidence), known, weights_);
  const auto points = process_.size();
  process_.kernel().work().add(points, points, count + 4);                // explanation and pull
  process_.kernel().work().add(points + count + 50, candidates_.size());  // means and improvements
  pull_ = process_.factor().triangularView<Eigen::Lower>().transpose().solve(explanation_.whitened);

  Eigen::ArrayXf means = candidates_.means(explanation_) + static_cast<float>(explanation_.constant);
  if (count > 0) means += (candidate_features_ * explanation_.slopes.cast<float>()).array();
  const Eigen::ArrayXf deviations = (candidates_.variances() * static_cast<float>(explanation_.scale))
                                        .max(static_cast<float>(min_variance))
                                        .sqrt();
  means_ = means;
  deviations_ = deviations;
  const Eigen::ArrayXf feasible = near_good_ / near_all_;
  chances_ = feasible;
  scores_.resize(means.size());
  for (Eigen::Index i = 0; i < means.size(); ++i)
    scores_(i) = feasible(i) * static_cast<float>(expected_improvement(static_cast<double>(means(i)),
                                                                       static_cast<double>(deviations(i))));
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (evidence.seen.seen(candidates_.id(i))) scores_(static_cast<Eigen::Index>(i)) = seen_score;
  largest_gain_ = std::nullopt;
  if (scores_.size() > 0 && scores_.maxCoeff() >= 0) largest_gain_ = static_cast<double>(scores_.maxCoeff());
  for (const auto& [id, levels] : evidence.pending) lower(levels);
}

/// Configurations near these gain less: the pending results will be nearly theirs.
void Surrogate::lower(std::span<const Level> levels) {
  const Eigen::ArrayXf apart = (1 - candidates_.correlations(process_.kernel(), levels.data())).max(0);
  scores_ = (scores_ < 0).select(scores_, scores_ * apart);
  chances_ *= apart;
}

void Surrogate::expect(ConfigurationId id, std::span<const Level> levels) {
  if (scores_.size() == 0) return;
  lower(levels);
  if (const auto at = place_.find(id); at != place_.end())
    scores_(static_cast<Eigen::Index>(at->second)) = seen_score;
}

Eigen::VectorXd Surrogate::feasibility(const LevelMatrix& levels, const Level* centre,
                                       const Evidence& evidence) const {
  const std::vector<Evidence::Evaluated>& evaluated = evidence.evaluated;
  if (evidence.good.size() == evaluated.size()) return Eigen::VectorXd::Ones(levels.rows());
  const std::size_t step = 1 + evaluated.size() / (max_near + 1);
  LevelColumns known;
  std::vector<float> succeeded;
  for (std::size_t i = 0; i < evaluated.size(); i += step) {
    known.add(evaluated[i].levels);
    succeeded.push_back(evaluated[i].cost ? 1 : 0);
  }
  const Eigen::MatrixXd near =
      process_.kernel().correlations(known, levels, centre).cast<double>().array().square();
  const Eigen::VectorXd good =
      near.transpose() * Eigen::Map<const Eigen::VectorXf>(succeeded.data(), near.rows()).cast<double>();
  const Eigen::VectorXd all = near.colwise().sum();
  return (good.array() + prior_successes) / (all.array() + prior_successes);
}

/// The means are exact, and the deviations have upper bounds in linear time. Exact deviations take the square
/// of the number of points: they are computed for those with the largest bounds, until no other can be
/// larger.
std::optional<Surrogate::Valued> Surrogate::best_of(std::span<const ConfigurationId> ids,
                                                    ConfigurationId centre, const Evidence& evidence,
                                                    double above, double behind) const {
  std::vector<ConfigurationId> unseen;
  for (const ConfigurationId id : ids)
    if (!evidence.seen.seen(id)) unseen.push_back(id);
  if (unseen.empty()) return std::nullopt;
  const auto count = static_cast<Eigen::Index>(unseen.size());
  LevelMatrix levels(count, static_cast<Eigen::Index>(encoding_.size()));
  for (Eigen::Index i = 0; i < count; ++i)
    encoding_.encode(unseen[static_cast<std::size_t>(i)], {levels.row(i).data(), encoding_.size()});
  const std::vector<Level> around = encoding_.encode(centre);

  Eigen::VectorXd weights = feasibility(levels, around.data(), evidence);
  for (const auto& [other, at] : evidence.pending)
    for (Eigen::Index i = 0; i < count; ++i)
      weights(i) *= 1 - static_cast<double>(process_.kernel()(at.data(), levels.row(i).data()));
  if (cost_)
    for (Eigen::Index i = 0; i < count; ++i)
      weights(i) *= cost_->cost_weight({levels.row(i).data(), encoding_.size()});

  const Eigen::MatrixXd k = process_.correlate(levels, around.data());
  Eigen::VectorXd means = k.transpose() * pull_;
  for (Eigen::Index i = 0; i < count; ++i)
    means(i) +=
        explanation_.constant + explanation_.slopes.dot(features(unseen[static_cast<std::size_t>(i)]));
  const auto value = [&](Eigen::Index i, double unexplained) {
    const double deviation = std::sqrt(std::max(min_variance, explanation_.scale * unexplained));
    return weights(i) * expected_improvement(means(i) - behind, deviation);
  };

  const Eigen::VectorXd unexplained = process_.most_unexplained(k);
  std::vector<std::pair<double, Eigen::Index>> bounded;
  for (Eigen::Index i = 0; i < count; ++i) bounded.emplace_back(-value(i, unexplained(i) + bound_margin), i);
  std::ranges::sort(bounded);
  std::vector<Eigen::Index> promising;
  for (const auto& [bound, i] : bounded)
    if (promising.size() < max_exact && -bound > above) promising.push_back(i);
  std::ranges::sort(promising);
  Eigen::MatrixXd whitened = k(Eigen::all, promising);
  process_.whiten(whitened);
  std::optional<Valued> best;
  for (std::size_t i = 0; i < promising.size(); ++i) {
    const Eigen::Index place = promising[i];
    const double now = value(place, 1 - whitened.col(static_cast<Eigen::Index>(i)).squaredNorm());
    if (now > (best ? best->value : above)) best = Valued{unseen[static_cast<std::size_t>(place)], now};
  }
  return best;
}

std::optional<ConfigurationId> Surrogate::best_candidate(const std::function<bool(ConfigurationId)>& allowed,
                                                         float above, double behind) const {
  std::optional<ConfigurationId> best;
  float max = above;
  for (Eigen::Index i = 0; i < scores_.size(); ++i) {
    if (scores_(i) < 0) continue;
    const float gain =
        behind == 0
            ? scores_(i)
            : chances_(i) * static_cast<float>(expected_improvement(static_cast<double>(means_(i)) - behind,
                                                                    static_cast<double>(deviations_(i))));
    const float score = cost_ ? gain * cost_weights_(i) : gain;
    const ConfigurationId id = candidates_.id(static_cast<std::size_t>(i));
    if (score <= max || (allowed && !allowed(id))) continue;
    max = score;
    best = id;
  }
  return best;
}

}  // namespace tune::search
