// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>

#include "search/random.hpp"
#include "search/space/construction.hpp"

namespace tune::search {
namespace {

class Sampler {
 public:
  Sampler(const SpaceDefinition& definition, std::size_t count, std::size_t max_branches,
          const CountWatch& watch)
      : definition_(definition),
        count_(count),
        branches_left_(max_branches),
        max_branches_(max_branches),
        watch_(watch),
        construction_(definition) {}

  SpaceSample draw() {
    SpaceSample sample;
    if (!construction_.accepts(0)) return sample;
    search(from_defaults);
    // Half of the values are for the search.
    const std::size_t reserve = branches_left_ / 2;
    while (rows_.size() < count_ && branches_left_ > reserve) throw_dice();
    constexpr std::size_t enough = 1000;
    sample.by_search = rows_.size() < std::min(enough, count_);
    if (sample.by_search)
      while (rows_.size() < count_ && branches_left_ > 0) search(at_random);
    sample.rows.assign(rows_.begin(), rows_.end());
    return sample;
  }

 private:
  enum Order : std::uint8_t { from_defaults, at_random };

  bool try_value() {
    constexpr std::size_t interval = 8192;
    if (branches_left_ == 0) return false;
    if (--branches_left_ % interval == 0 && watch_ && !watch_(max_branches_ - branches_left_))
      throw Stopped();
    return true;
  }

  void keep() {
    std::vector<RowGraph::Digit> row;
    for (std::size_t p = 0; p < definition_.parameters.size(); ++p) row.push_back(construction_.digit(p));
    rows_.insert(std::move(row));
  }

  void throw_dice() {
    const std::size_t count = definition_.parameters.size();
    for (std::size_t p = 0; p < count; ++p) {
      if (!try_value()) return;
      if (construction_.exists(p))
        construction_.assign(p, static_cast<std::uint32_t>(random_.below(construction_.values()[p].size())));
      else
        construction_.pass_over(p);
      if (!construction_.accepts(p + 1)) return;
    }
    keep();
  }

  void search(Order order) {
    constexpr std::size_t most_of_one = 20'000;
    steps_left_ = most_of_one;
    if (complete(0, order)) keep();
  }

  bool complete(std::size_t p, Order order) {
    if (p == definition_.parameters.size()) return true;
    if (!construction_.exists(p)) {
      construction_.pass_over(p);
      return construction_.accepts(p + 1) && complete(p + 1, order);
    }
    for (const std::uint32_t index : indices(p, order)) {
      if (steps_left_ == 0 || !try_value()) return false;
      --steps_left_;
      construction_.assign(p, index);
      if (construction_.accepts(p + 1) && complete(p + 1, order)) return true;
    }
    return false;
  }

  /// The order in which the values of a parameter are tried.
  std::vector<std::uint32_t> indices(std::size_t p, Order order) {
    const Parameter& parameter = definition_.parameters[p];
    std::vector<std::uint32_t> all(parameter.values.size());
    std::iota(all.begin(), all.end(), 0U);
    if (order == from_defaults) {
      const auto first = std::ranges::find(parameter.values, parameter.default_value);
      std::rotate(all.begin(), all.begin() + (first - parameter.values.begin()), all.end());
    } else {
      for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_.below(i)]);
    }
    return all;
  }

  const SpaceDefinition& definition_;
  std::size_t count_;
  std::size_t branches_left_;
  std::size_t max_branches_;
  std::size_t steps_left_ = 0;  ///< of the configuration that is searched
  const CountWatch& watch_;
  Construction construction_;
  Random random_{1};
  std::set<std::vector<RowGraph::Digit>> rows_;
};

}  // namespace

SpaceSample draw_sample(const SpaceDefinition& definition, std::size_t count, std::size_t max_branches,
                        const CountWatch& watch) {
  return Sampler(definition, count, max_branches, watch).draw();
}

}  // namespace tune::search
