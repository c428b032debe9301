// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "search/models/candidates.hpp"
#include "search/random.hpp"

namespace tune::search {

/// A first design: a Latin hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, 1979) over the dimensions
/// that are parameters, each point replaced by the nearest candidate that is not taken yet. The distance is
/// the sum over dimensions; `lean`, one number a candidate, is added to it. All of them where there are
/// fewer.
std::vector<ConfigurationId> latin_hypercube(const Encoding& encoding, const CandidatePool& candidates,
                                             std::size_t count, const Eigen::ArrayXf& lean, Random& random);

}  // namespace tune::search
