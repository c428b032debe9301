// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/models/gaussian_process.hpp"

namespace tune::search {

inline constexpr double usual_softness = 0.5;

/// The scale on which models see costs: c log(1 + log(cost / best) / c), c the softness. 0 at the best, like
/// log(cost / best) near it, and nearly flat where a configuration is many times slower.
double slowdown(double cost, double best, double softness = usual_softness);

/// A figure that the slowdown of a configuration is expected to follow before anything is measured.
class PriorMean {
 public:
  virtual ~PriorMean() = default;
  virtual WeightPrior weight() const = 0;
  virtual double at(ConfigurationId id) const = 0;
};

using PriorMeans = std::vector<std::unique_ptr<PriorMean>>;

/// Returns prior means that hold for the launch of nearly every kernel: blocks of 64 to 512 threads keep a
/// SM busy, a warp that is not full wastes the rest, and blocks of whole power-of-two multiples
/// of warps divide extents, lines and banks evenly. Returns none where no parameter determines the threads of
/// a block. The encoding must outlive them.
PriorMeans launch_prior_means(const Encoding& encoding);

/// Returns the prior mean that slowdowns are those of a related workload: as recorded, or as a Gaussian
/// process over the record expects. `share` is the weight of this record. Returns null where fewer than three
/// configurations succeeded. The encoding must outlive it.
std::unique_ptr<PriorMean> transfer_prior_mean(const Encoding& encoding, const RelatedRecord& record,
                                               double share, double softness = usual_softness);

/// Returns the `count` best configurations of a record of which no two differ in one parameter only, best
/// first.
std::vector<ConfigurationId> best_apart(const SearchSpace& space, const RelatedRecord& record,
                                        std::size_t count);

}  // namespace tune::search
