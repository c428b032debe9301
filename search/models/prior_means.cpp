// SPDX-License-Identifier: Apache-2.0
#include "search/models/prior_means.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tune::search {
namespace {

/// Octaves outside of 64 to 512.
double far_from_usual(double threads) {
  const double octaves = std::log2(std::max(1.0, threads));
  return std::max({0.0, 6 - octaves, octaves - 9});
}

/// Returns the logarithm of the lanes in a block's warps over its threads.
double idle_lanes(double threads) {
  return std::log(std::ceil(threads / 32) * 32 / threads);
}

/// Octaves that the largest power of two which divides the threads is short of 128.
double uneven(double threads) {
  return std::max(0, 7 - std::countr_zero(static_cast<std::uint64_t>(std::llround(threads))));
}

class LaunchPriorMean : public PriorMean {
 public:
  LaunchPriorMean(const Encoding& encoding, double (*figure)(double), double weight)
      : encoding_(encoding), figure_(figure), weight_(weight) {}
  WeightPrior weight() const override { return {weight_, 0.3 * weight_}; }
  double at(ConfigurationId id) const override {
    return figure_(std::max(1.0, encoding_.threads(id).value_or(1)));
  }

 private:
  const Encoding& encoding_;
  double (*figure_)(double);
  double weight_;
};

class TransferPriorMean : public PriorMean {
 public:
  TransferPriorMean(const Encoding& encoding, const RelatedRecord& record, double share, double softness)
      : encoding_(encoding), process_(encoding.dimensions()), share_(share) {
    std::vector<Observation> good;
    for (const Observation& one : record.observations)
      if (one.cost) good.push_back(one);
    std::ranges::sort(good, {}, [](const Observation& one) { return *one.cost; });
    std::vector<double> all;
    for (const Observation& one : good) {
      all.push_back(slowdown(*one.cost, *good.front().cost, softness));
      known_.emplace(one.id, all.back());
    }
    for (const Observation& one : record.observations)
      if (!one.cost) known_.emplace(one.id, all[all.size() / 2]);  // fails there; here it may not
    learn(good, all);
  }

  WeightPrior weight() const override { return {0.8 * share_, 0.4 * share_}; }
  double at(ConfigurationId id) const override {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    const std::vector<Level> levels = encoding_.encode(id);
    double sum = constant_;
    for (Eigen::Index i = 0; i < process_.size(); ++i)
      sum +=
          pull_(i) * static_cast<double>(process_.kernel()(process_.points().row(i).data(), levels.data()));
    return sum;
  }

 private:
  void learn(const std::vector<Observation>& sorted, const std::vector<double>& slowdowns) {
    const std::vector<std::size_t> chosen = best_and_spread(sorted.size(), max_fitted);
    LevelMatrix points(static_cast<Eigen::Index>(chosen.size()), static_cast<Eigen::Index>(encoding_.size()));
    Eigen::VectorXd values(points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      const std::size_t from = chosen[static_cast<std::size_t>(i)];
      encoding_.encode(sorted[from].id, {points.row(i).data(), encoding_.size()});
      values(i) = slowdowns[from];
    }
    process_.fit(points, values);
    process_.condition(points);
    const auto explained = process_.explain(values, Eigen::MatrixXd(points.rows(), 0), {});
    constant_ = explained.constant;
    pull_ = process_.factor().triangularView<Eigen::Lower>().transpose().solve(explained.whitened);
  }

  const Encoding& encoding_;
  GaussianProcess process_;
  double share_;
  std::unordered_map<ConfigurationId, double> known_;
  double constant_ = 0;
  Eigen::VectorXd pull_;
};

bool differ_in_two(const std::vector<int>& a, const std::vector<int>& b) {
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i] ? 1 : 0;
  return different >= 2;
}

}  // namespace

double slowdown(double cost, double best, double softness) {
  return softness * std::log1p(std::log(cost / best) / softness);
}

PriorMeans launch_prior_means(const Encoding& encoding) {
  PriorMeans prior_means;
  if (!encoding.knows_threads()) return prior_means;
  prior_means.push_back(std::make_unique<LaunchPriorMean>(encoding, far_from_usual, 0.2));
  prior_means.push_back(std::make_unique<LaunchPriorMean>(encoding, idle_lanes, 0.7));
  prior_means.push_back(std::make_unique<LaunchPriorMean>(encoding, uneven, 0.1));
  return prior_means;
}

std::unique_ptr<PriorMean> transfer_prior_mean(const Encoding& encoding, const RelatedRecord& record,
                                               double share, double softness) {
  const auto good =
      std::ranges::count_if(record.observations, [](auto& one) { return one.cost.has_value(); });
  if (good < 3) return nullptr;
  return std::make_unique<TransferPriorMean>(encoding, record, share, softness);
}

std::vector<ConfigurationId> best_apart(const SearchSpace& space, const RelatedRecord& record,
                                        std::size_t count) {
  std::vector<Observation> good;
  for (const Observation& one : record.observations)
    if (one.cost) good.push_back(one);
  std::ranges::sort(good, {}, [](const Observation& one) { return std::pair(*one.cost, one.id); });
  std::vector<ConfigurationId> best;
  std::vector<std::vector<int>> values;
  for (const Observation& one : good) {
    if (best.size() == count) break;
    std::vector<int> mine = space.value_indices(one.id);
    if (!std::ranges::all_of(values, [&](const auto& other) { return differ_in_two(mine, other); })) continue;
    best.push_back(one.id);
    values.push_back(std::move(mine));
  }
  return best;
}

}  // namespace tune::search
