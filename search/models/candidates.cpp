// SPDX-License-Identifier: Apache-2.0
#include "search/models/candidates.hpp"

namespace tune::search {

void CandidatePool::assign(std::vector<ConfigurationId> ids) {
  ids_ = std::move(ids);
  levels_.assign(encoding_.size(), std::vector<Level>(ids_.size()));
  std::vector<Level> levels(encoding_.size());
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    encoding_.encode(ids_[i], levels);
    for (std::size_t d = 0; d < levels.size(); ++d) levels_[d][i] = levels[d];
  }
  rows_ = 0;
  explained_ = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(ids_.size()));
}

Eigen::ArrayXf CandidatePool::correlations(const ProductKernel& kernel, const Level* point) const {
  Eigen::ArrayXf result = Eigen::ArrayXf::Ones(static_cast<Eigen::Index>(size()));
  for (std::size_t d = 0; d < levels_.size(); ++d) kernel.multiply(d, point[d], levels_[d], result.data());
  return result;
}

void CandidatePool::condition(const GaussianProcess& process) {
  const Eigen::Index n = process.size();
  whitened_.resize(n + n / 4 + 16, static_cast<Eigen::Index>(size()));
  for (Eigen::Index i = 0; i < n; ++i)
    whitened_.row(i) = correlations(process.kernel(), process.points().row(i).data()).matrix().transpose();
  process.kernel().work().add(n, n, size());
  const Eigen::MatrixXf factor = process.factor().topLeftCorner(n, n).cast<float>();
  auto top = whitened_.topRows(n);
  // Without candidates Eigen would take a reference to an element that is not there.
  if (size() > 0) factor.triangularView<Eigen::Lower>().solveInPlace(top);
  rows_ = n;
  explained_ = top.array().square().colwise().sum().transpose();
}

void CandidatePool::append(const GaussianProcess& process) {
  const Eigen::Index last = process.size() - 1;
  if (whitened_.rows() <= last) whitened_.conservativeResize(last + last / 4 + 16, whitened_.cols());
  Eigen::RowVectorXf row =
      correlations(process.kernel(), process.points().row(last).data()).matrix().transpose();
  const Eigen::RowVectorXf known = process.factor().row(last).head(last).cast<float>();
  process.kernel().work().add(last, size());
  row.noalias() -= known * whitened_.topRows(last);
  row /= static_cast<float>(process.factor()(last, last));
  whitened_.row(last) = row;
  rows_ = last + 1;
  explained_ += row.transpose().array().square();
}

Eigen::ArrayXf CandidatePool::means(const GaussianProcess::Explanation& explanation) const {
  const Eigen::RowVectorXf whitened = explanation.whitened.cast<float>().transpose();
  return (whitened * whitened_.topRows(rows_)).transpose().array();
}

}  // namespace tune::search
