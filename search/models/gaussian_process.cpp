// SPDX-License-Identifier: Apache-2.0
#include "search/models/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace tune::search {
namespace {

constexpr float category_mismatch = -1.0F;
constexpr std::size_t max_nearest = 64;  // points of a bound

float distance(const Dimension& dimension, std::size_t a, std::size_t b) {
  if (a == b) return 0.0F;
  const double apart = std::abs(dimension.at[a] - dimension.at[b]);
  return dimension.ordered && !std::isnan(apart) ? static_cast<float>(apart) : category_mismatch;
}

}  // namespace

LevelColumns::LevelColumns(const LevelMatrix& points) : count(static_cast<std::size_t>(points.rows())) {
  for (Eigen::Index d = 0; d < points.cols(); ++d)
    levels.emplace_back(points.col(d).begin(), points.col(d).end());
}

void LevelColumns::add(std::span<const Level> point) {
  levels.resize(point.size());
  for (std::size_t d = 0; d < point.size(); ++d) levels[d].push_back(point[d]);
  ++count;
}

ProductKernel::ProductKernel(const std::vector<Dimension>& dimensions) {
  for (const Dimension& dimension : dimensions) {
    Table& table = tables_.emplace_back();
    const std::size_t size = table.levels = dimension.levels();
    if (dimension.grid) {
      table.kind = Table::Kind::grid;
      for (std::size_t step = 0; step < grid_steps; ++step)
        table.distances.push_back(static_cast<float>(step) / (grid_steps - 1));
      table.distances.push_back(category_mismatch);
    } else if (size > max_tabulated_levels + 1) {
      table.kind = Table::Kind::equality;
      table.distances = {0.0F, category_mismatch};
    } else {
      for (std::size_t a = 0; a < size; ++a)
        for (std::size_t b = 0; b < size; ++b) table.distances.push_back(distance(dimension, a, b));
    }
    table.factors.assign(table.distances.size(), 1.0F);
    table.slopes.assign(table.distances.size(), 0.0F);
  }
}

void ProductKernel::Table::set(std::size_t entry, double length) {
  const auto apart = static_cast<double>(distances[entry]);
  double value = 1, slope = 0;
  if (apart < 0) {
    value = std::exp(-1 / length);
    slope = 1 / length;
  } else if (apart > 0) {
    const double a = std::sqrt(5.0) * apart / length;
    const double polynomial = 1 + a + a * a / 3;
    value = polynomial * std::exp(-a);
    slope = a * a / 3 * (1 + a) / polynomial;
  }
  factors[entry] = static_cast<float>(value);
  slopes[entry] = static_cast<float>(slope);
}

void ProductKernel::set(std::span<const double> log_lengths) {
  for (std::size_t d = 0; d < tables_.size(); ++d) {
    const double length = std::exp(log_lengths[d]);
    for (std::size_t i = 0; i < tables_[d].distances.size(); ++i) tables_[d].set(i, length);
  }
}

void ProductKernel::set(std::span<const double> log_lengths, const LevelMatrix& points) {
  for (std::size_t d = 0; d < tables_.size(); ++d) {
    Table& table = tables_[d];
    const double length = std::exp(log_lengths[d]);
    const auto column = points.col(static_cast<Eigen::Index>(d));
    std::vector<Level> used(column.begin(), column.end());
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    if (used.size() * used.size() >= table.distances.size()) {
      for (std::size_t i = 0; i < table.distances.size(); ++i) table.set(i, length);
      continue;
    }
    for (const Level a : used)
      for (const Level b : used) table.set(table.entry(a, b), length);
  }
}

void ProductKernel::multiply(std::size_t d, Level level, std::span<const Level> levels,
                             float* products) const {
  work_.add(levels.size());
  const Table& table = tables_[d];
  if (table.kind != Table::Kind::pairs) {
    for (std::size_t i = 0; i < levels.size(); ++i)
      products[i] *= table.factors[table.entry(level, levels[i])];
    return;
  }
  const float* row = table.factors.data() + level * table.levels;
  for (std::size_t i = 0; i < levels.size(); ++i) products[i] *= row[levels[i]];
}

Eigen::MatrixXf ProductKernel::correlations(const LevelColumns& points, const LevelMatrix& others,
                                            const Level* centre) const {
  const auto count = static_cast<Eigen::Index>(points.count);
  Eigen::ArrayXXf around = Eigen::ArrayXXf::Ones(count, static_cast<Eigen::Index>(tables_.size()));
  for (std::size_t d = 0; d < tables_.size(); ++d)
    multiply(d, centre[d], points.levels[d], around.col(static_cast<Eigen::Index>(d)).data());
  Eigen::MatrixXf result(count, others.rows());
  std::map<std::vector<bool>, Eigen::ArrayXf> shared;  // by the dimensions that are not those of the centre
  for (Eigen::Index i = 0; i < others.rows(); ++i) {
    const Level* other = others.row(i).data();
    std::vector<bool> differs;
    for (std::size_t d = 0; d < tables_.size(); ++d) differs.push_back(other[d] != centre[d]);
    const auto [found, is_new] = shared.try_emplace(differs);
    if (is_new) {
      found->second = Eigen::ArrayXf::Ones(count);
      work_.add(count, tables_.size() / 4);  // four at a time
      for (std::size_t d = 0; d < tables_.size(); ++d)
        if (!differs[d]) found->second *= around.col(static_cast<Eigen::Index>(d));
    }
    result.col(i) = found->second;
    for (std::size_t d = 0; d < tables_.size(); ++d)
      if (differs[d]) multiply(d, other[d], points.levels[d], result.col(i).data());
  }
  return result;
}

std::size_t ProductKernel::entries() const {
  std::size_t sum = 0;
  for (const Table& table : tables_) sum += table.distances.size();
  return sum;
}

namespace {

constexpr double min_length = 0.05, max_length = 30;
constexpr double min_noise = 1e-4, max_noise = 1;

}  // namespace

GaussianProcess::GaussianProcess(const std::vector<Dimension>& dimensions, const Prior& prior)
    : prior_(prior), kernel_(dimensions) {
  const double length = prior.length * std::sqrt(std::max(1.0, static_cast<double>(dimensions.size())) / 6);
  for (const Dimension& dimension : dimensions)
    start_.push_back(std::log(length * (dimension.derived ? prior.derived_factor : 1)));
  start_.push_back(std::log(prior.noise));
  parameters_ = start_;
  kernel_.set(parameters_);
  noise_ = prior.noise;
}

double GaussianProcess::objective(const LevelMatrix& points, const Eigen::VectorXd& values,
                                  std::span<const double> parameters, std::span<double> gradient) {
  const Eigen::Index n = points.rows();
  const std::size_t dims = kernel_.dimensions();
  kernel_.set(parameters.first(dims), points);
  const double noise = std::exp(parameters[dims]);
  const Eigen::MatrixXd correlation = correlations(points, noise);
  const Eigen::LLT<Eigen::MatrixXd> llt(correlation);
  kernel_.work().add(n, n, n / 2 + static_cast<Eigen::Index>(dims));  // factor and inverse; gradient
  if (llt.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  llt.solveInPlace(inverse);
  const Eigen::VectorXd sums = inverse.rowwise().sum();
  const double mean = sums.dot(values) / sums.sum();
  const Eigen::VectorXd centred = values.array() - mean;
  const Eigen::VectorXd alpha = inverse * centred;
  const double scale = (centred.dot(alpha) + 1) / (static_cast<double>(n) + 1);

  // One more value than there are, as in the scale: of variance 1, so that few values do not lower it to 0.
  double result =
      static_cast<double>(n + 1) / 2 * std::log(scale) + llt.matrixLLT().diagonal().array().log().sum();
  for (std::size_t d = 0; d <= dims; ++d) {
    const double spread = d < dims ? prior_.length_spread : prior_.noise_spread;
    const double off = (parameters[d] - start_[d]) / spread;
    result += off * off / 2;
    gradient[d] = off / spread;
  }
  // -1/2 sum of A_ij dK_ij with A = alpha alpha' / scale - K^-1; dK_ij = K_ij slope_ij for a length.
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double weight = (alpha(i) * alpha(j) / scale - inverse(i, j)) * correlation(i, j);
      for (std::size_t d = 0; d < dims; ++d)
        gradient[d] -= weight * static_cast<double>(kernel_.slope(d, points(i, static_cast<Eigen::Index>(d)),
                                                                  points(j, static_cast<Eigen::Index>(d))));
    }
    gradient[dims] -= (alpha(i) * alpha(i) / scale - inverse(i, i)) * noise / 2;
  }
  return result;
}

void GaussianProcess::fit(const LevelMatrix& points, const Eigen::VectorXd& values) {
  const double mean = values.mean();
  const double deviation = std::sqrt((values.array() - mean).square().mean());
  const Eigen::VectorXd standardised = (values.array() - mean) / std::max(deviation, 1e-12);

  const std::size_t count = start_.size();
  std::vector<double> now = start_, gradient(count), last(count, 0.0), step(count, 0.2);
  parameters_ = start_;
  double best = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < prior_.steps; ++turn) {
    const double value = objective(points, standardised, now, gradient);
    if (!std::isfinite(value)) break;
    if (value < best) {
      best = value;
      parameters_ = now;
    }
    for (std::size_t d = 0; d < count; ++d) {
      const double agreement = gradient[d] * last[d];
      if (agreement > 0) step[d] = std::min(step[d] * 1.3, 1.0);
      if (agreement < 0) {
        step[d] = std::max(step[d] * 0.5, 1e-3);
        gradient[d] = 0;
      }
      last[d] = gradient[d];
      const double min = std::log(d + 1 < count ? min_length : min_noise);
      const double max = std::log(d + 1 < count ? max_length : max_noise);
      const double direction = gradient[d] > 0 ? -1 : gradient[d] < 0 ? 1 : 0;
      now[d] = std::clamp(now[d] + direction * step[d], min, max);
    }
  }
  kernel_.set(std::span(parameters_).first(count - 1));
  noise_ = std::exp(parameters_.back());
}

Eigen::MatrixXd GaussianProcess::correlations(const LevelMatrix& points, double noise) const {
  const Eigen::Index n = points.rows();
  Eigen::MatrixXd correlation(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Level* point = points.row(i).data();
    for (Eigen::Index j = 0; j < i; ++j)
      correlation(i, j) = correlation(j, i) = static_cast<double>(kernel_(point, points.row(j).data()));
    correlation(i, i) = 1 + noise;
  }
  return correlation;
}

void GaussianProcess::condition(const LevelMatrix& points) {
  points_ = points;
  columns_ = LevelColumns(points);
  factor_ = Eigen::LLT<Eigen::MatrixXd>(correlations(points, noise_)).matrixL();
  kernel_.work().add(size(), size(), size() / 6);
}

Eigen::MatrixXd GaussianProcess::correlate(const LevelMatrix& others, const Level* centre) const {
  return kernel_.correlations(columns_, others, centre).cast<double>();
}

void GaussianProcess::whiten(Eigen::MatrixXd& k) const {
  kernel_.work().add(size(), size(), k.cols());
  // Of nothing Eigen would take a reference to an element that is not there.
  if (k.size() > 0) factor_.triangularView<Eigen::Lower>().solveInPlace(k);
}

/// Any points explain at most what all explain.
Eigen::VectorXd GaussianProcess::most_unexplained(const Eigen::MatrixXd& k) const {
  const Eigen::VectorXd nearness = k.rowwise().squaredNorm();
  std::vector<Eigen::Index> nearest(static_cast<std::size_t>(size()));
  std::iota(nearest.begin(), nearest.end(), Eigen::Index{0});
  const auto count = std::min(nearest.size(), max_nearest);
  std::ranges::partial_sort(nearest, nearest.begin() + static_cast<std::ptrdiff_t>(count), std::greater{},
                            [&](Eigen::Index i) { return nearness(i); });
  nearest.resize(count);
  kernel_.work().add(count, count, k.cols());
  const LevelMatrix points = points_(nearest, Eigen::all);
  Eigen::MatrixXd v = k(nearest, Eigen::all);
  Eigen::LLT<Eigen::MatrixXd>(correlations(points, noise_)).matrixL().solveInPlace(v);
  return 1 - v.colwise().squaredNorm().transpose().array();
}

void GaussianProcess::append(std::span<const Level> point) {
  const Eigen::Index n = size();
  points_.conservativeResize(n + 1, static_cast<Eigen::Index>(point.size()));
  std::ranges::copy(point, points_.row(n).data());
  Eigen::MatrixXd v = correlate(points_.bottomRows(1), point.data());
  whiten(v);
  columns_.add(point);
  factor_.conservativeResize(n + 1, n + 1);
  factor_.row(n).head(n) = v.transpose();
  factor_.col(n).setZero();
  factor_(n, n) = std::sqrt(std::max(1 + noise_ - v.squaredNorm(), noise_ / 2));
}

GaussianProcess::Explanation GaussianProcess::explain(const Eigen::VectorXd& values,
                                                      const Eigen::MatrixXd& features,
                                                      std::span<const WeightPrior> prior_means) const {
  const Eigen::Index n = size();
  const auto count = static_cast<Eigen::Index>(prior_means.size());
  Eigen::MatrixXd basis(n, count + 1);
  basis << Eigen::VectorXd::Ones(n), features;
  const auto lower = factor_.triangularView<Eigen::Lower>();
  lower.solveInPlace(basis);
  Eigen::VectorXd target = values;
  lower.solveInPlace(target);

  // The weights are known relative to 1, the process relative to its scale, which they determine.
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(count + 1), precision = expected;
  for (Eigen::Index b = 0; b < count; ++b) {
    const WeightPrior& prior_mean = prior_means[static_cast<std::size_t>(b)];
    expected(b + 1) = prior_mean.weight;
    precision(b + 1) = 1 / (prior_mean.spread * prior_mean.spread);
  }
  const double variance = (values.array() - values.mean()).square().mean();
  Explanation result;
  result.scale = std::max(variance, 1e-12);
  for (int turn = 0; turn < 3; ++turn) {
    Eigen::MatrixXd normal = basis.transpose() * basis;
    normal.diagonal() += result.scale * precision;
    const Eigen::VectorXd right =
        basis.transpose() * target + result.scale * precision.cwiseProduct(expected);
    const Eigen::VectorXd weights = normal.ldlt().solve(right);
    result.constant = weights(0);
    result.slopes = weights.tail(count);
    result.whitened = target - basis * weights;
    result.scale = (result.whitened.squaredNorm() + variance) / (static_cast<double>(n) + 1);
  }
  return result;
}

}  // namespace tune::search
