// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/strategies/registry.hpp"

namespace tune::search {
namespace {

/// Visits every configuration once, coarsely first: the default configuration, then every n-th number of the
/// space, round and round, where n has no divisor in common with the size (a rank-1 lattice: N. M. Korobov,
/// Doklady Akad. Nauk SSSR 124, 1959). Of a few dozen strides, n is the one with which the first steps spread
/// best over the values of every parameter and over the pairs of values of any two: numbers are in lexical
/// order, so that most strides leave some parameter unchanged for long. It is deterministic and takes no
/// seed.
class GridSearch : public Strategy {
 public:
  explicit GridSearch(const SearchTask& task, const NoOptions& = {});

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  Visited visited_;
  ConfigurationId stride_;
  ConfigurationId next_ = 0;              ///< unless it was seen
  std::optional<ConfigurationId> first_;  ///< the default, until it was given out
};

constexpr int spread_candidates = 48;
/// The numbers of steps after which the spread is compared: a glance and a small budget.
constexpr std::array<std::size_t, 2> look_resolutions = {16, 64};

ConfigurationId after(ConfigurationId now, ConfigurationId stride, ConfigurationId size) {
  return now < size - stride ? now + stride : now - (size - stride);
}

/// Measures how well the first configurations of a stride spread. Each parameter's values are divided into as
/// many cells as there are values, or configurations if these are fewer; the measure counts the different
/// cells, and pairs of cells of two parameters, that the configurations lie in, as shares of the possible
/// number.
class Spread {
 public:
  explicit Spread(const SearchSpace& space)
      : space_(space), mark_(look_resolutions.back() * look_resolutions.back()) {}

  double of(ConfigurationId stride) {
    std::vector<std::vector<int>> seen;
    double sum = 0;
    ConfigurationId now = 0;
    for (const std::size_t look : look_resolutions) {
      for (; seen.size() < look; now = after(now, stride, space_.size()))
        seen.push_back(space_.value_indices(now));
      for (std::size_t p = 0; p < space_.parameters().size(); ++p) {
        // A parameter by itself weighs as much as all its pairs.
        sum += share(seen, p, p) * static_cast<double>(space_.parameters().size());
        for (std::size_t q = 0; q < p; ++q) sum += share(seen, p, q);
      }
    }
    return sum;
  }

 private:
  std::size_t cells(std::size_t parameter, std::size_t look) const {
    return std::min(look, space_.parameters()[parameter].values.size());
  }

  std::size_t cell(int index, std::size_t parameter, std::size_t look) const {
    return static_cast<std::size_t>(index) * cells(parameter, look) /
           space_.parameters()[parameter].values.size();
  }

  double share(const std::vector<std::vector<int>>& seen, std::size_t p, std::size_t q) {
    const std::size_t look = seen.size();
    std::size_t different = 0;
    ++turn_;
    for (const std::vector<int>& indices : seen) {
      if (indices[p] < 0 || indices[q] < 0) continue;
      std::uint32_t& mark =
          mark_[cell(indices[p], p, look) * look_resolutions.back() + cell(indices[q], q, look)];
      if (mark != turn_) ++different;
      mark = turn_;
    }
    const std::size_t all = p == q ? cells(p, look) : cells(p, look) * cells(q, look);
    return static_cast<double>(different) / static_cast<double>(std::min(look, all));
  }

  const SearchSpace& space_;
  std::vector<std::uint32_t> mark_;  ///< for each pair of cells, in which turn it was last met
  std::uint32_t turn_ = 0;
};

/// Returns the stride with the best start among multiples of the golden section, which leave gaps of similar
/// size between the visited numbers wherever the search ends.
ConfigurationId best_stride(const SearchSpace& space) {
  constexpr double golden = 0.61803398874989485;
  Spread spread(space);
  ConfigurationId best = 1;
  double max = 0;
  for (int multiple = 1; multiple <= spread_candidates && space.size() > look_resolutions.back();
       ++multiple) {
    const double turns = golden * multiple;
    auto stride =
        static_cast<ConfigurationId>((turns - std::floor(turns)) * static_cast<double>(space.size()));
    while (std::gcd(stride, space.size()) != 1) ++stride;
    const double found = spread.of(stride);
    if (found <= max) continue;
    max = found;
    best = stride;
  }
  return best;
}

GridSearch::GridSearch(const SearchTask& task, const NoOptions& /*none*/)
    : visited_(task.space.size()),
      stride_(best_stride(task.space)),
      first_(task.space.default_configuration()) {}

std::vector<ConfigurationId> GridSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  if (count > 0 && first_) {
    if (visited_.take(*first_)) batch.push_back(*first_);
    first_.reset();
  }
  while (batch.size() < count && visited_.remaining() > 0) {
    if (visited_.take(next_)) batch.push_back(next_);
    next_ = after(next_, stride_, visited_.size());
  }
  return batch;
}

void GridSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) visited_.take(observation.id);
}

}  // namespace

StrategyEntry grid_strategy() {
  StrategyEntry entry =
      strategy_entry<GridSearch, NoOptions>("grid", "every configuration once, coarsely first");
  entry.exhaustive = true;
  return entry;
}

}  // namespace tune::search
