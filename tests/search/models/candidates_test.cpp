// SPDX-License-Identifier: Apache-2.0
#include "search/models/candidates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/models/process_samples.hpp"
#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

/// A process of the landscape's slow configurations, and candidates among the others.
class CandidatesTest : public ::testing::Test {
 protected:
  CandidatesTest() {
    Random random(1);
    for (Eigen::Index i = 0; i < count; ++i) {
      const ConfigurationId id = landscape_.space().sample(random);
      encoding_.encode(id, {points_.row(i).data(), encoding_.size()});
      values_(i) = std::log(*landscape_.observe(id).cost);
    }
    process_.fit(points_, values_);
    for (int i = 0; i < 200; ++i) ids_.push_back(landscape_.space().sample(random));
    candidates_.assign(ids_);
  }

  std::span<const Level> point(Eigen::Index i) const { return {points_.row(i).data(), encoding_.size()}; }

  static constexpr Eigen::Index count = 60;
  Landscape landscape_ = variants(1);
  Encoding encoding_{landscape_.space()};
  GaussianProcess process_{encoding_.dimensions()};
  LevelMatrix points_{count, static_cast<Eigen::Index>(encoding_.size())};
  Eigen::VectorXd values_{count};
  std::vector<ConfigurationId> ids_;
  CandidatePool candidates_{encoding_};
};

// Single precision, through a triangular solve: some 1e-7 times the condition, which noise bounds.
constexpr double single_precision = 2e-3;

TEST_F(CandidatesTest, KnowsWhatItWasAssigned) {
  ASSERT_EQ(candidates_.size(), ids_.size());
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    EXPECT_EQ(candidates_.id(i), ids_[i]);
    const std::vector<Level> levels = encoding_.encode(ids_[i]);
    for (std::size_t d = 0; d < levels.size(); ++d) EXPECT_EQ(candidates_.level(i, d), levels[d]);
  }
}

TEST_F(CandidatesTest, CorrelatesLikeTheKernel) {
  const Eigen::ArrayXf found = candidates_.correlations(process_.kernel(), point(0).data());
  for (std::size_t i = 0; i < ids_.size(); ++i)
    EXPECT_NEAR(found(static_cast<Eigen::Index>(i)),
                process_.kernel()(point(0).data(), encoding_.encode(ids_[i]).data()), 1e-6);
}

TEST_F(CandidatesTest, HasMeansAndVariancesOfTheProcess) {
  process_.condition(points_);
  candidates_.condition(process_);
  const auto explained = process_.explain(values_, Eigen::MatrixXd(count, 0), {});
  const Eigen::ArrayXf means = candidates_.means(explained);
  const Eigen::ArrayXf variances = candidates_.variances();
  ASSERT_EQ(means.size(), 200);
  ASSERT_EQ(variances.size(), 200);
  for (Eigen::Index i = 0; i < 200; ++i) {
    const Eigen::VectorXd v = whitened(process_, encoding_.encode(ids_[static_cast<std::size_t>(i)]));
    EXPECT_NEAR(static_cast<double>(means(i)), explained.whitened.dot(v), single_precision);
    EXPECT_NEAR(static_cast<double>(variances(i)), 1 - v.squaredNorm(), single_precision);
    EXPECT_GE(variances(i), 0);
    EXPECT_LE(variances(i), 1);
  }
  EXPECT_GT(variances.maxCoeff() - variances.minCoeff(), 0.1) << "nothing to tell apart";
}

TEST_F(CandidatesTest, AppendsAsItConditions) {
  CandidatePool whole(encoding_);
  whole.assign(ids_);
  process_.condition(points_.topRows(5));
  candidates_.condition(process_);
  for (Eigen::Index i = 5; i < count; ++i) {  // more than it keeps room for
    process_.append(point(i));
    candidates_.append(process_);
  }
  whole.condition(process_);
  const auto explained = process_.explain(values_, Eigen::MatrixXd(count, 0), {});
  EXPECT_LT((candidates_.means(explained) - whole.means(explained)).abs().maxCoeff(), single_precision);
  EXPECT_LT((candidates_.variances() - whole.variances()).abs().maxCoeff(), single_precision);
}

TEST_F(CandidatesTest, IsSureOfWhatIsMeasuredAndForgetsItWhenAssigned) {
  LevelMatrix one(1, static_cast<Eigen::Index>(encoding_.size()));
  encoding_.encode(ids_[0], {one.row(0).data(), encoding_.size()});
  process_.condition(one);
  candidates_.condition(process_);
  EXPECT_NEAR(candidates_.variances()(0), process_.noise() / (1 + process_.noise()), 1e-5);
  candidates_.assign(ids_);
  EXPECT_EQ(candidates_.variances()(0), 1);
}

}  // namespace
}  // namespace tune::search::testing
