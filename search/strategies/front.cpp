// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/front.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tune::search {
namespace {

class FrontSearch : public Strategy {
 public:
  explicit FrontSearch(std::vector<std::unique_ptr<Strategy>> searches) : searches_(std::move(searches)) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    std::vector<ConfigurationId> ids;
    for (std::size_t without = 0; ids.size() < count && without < searches_.size();) {
      Strategy& search = *searches_[turn_++ % searches_.size()];
      const std::vector<ConfigurationId> asked = search.ask(1);
      if (asked.empty()) {
        ++without;
        continue;
      }
      without = 0;
      // Another search may wait for its result: this one is told, too, and goes on.
      if (known_.insert(asked.front()).second)
        ids.push_back(asked.front());
      else
        --turn_;
    }
    return ids;
  }

  void tell(std::span<const Observation> observations) override {
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      std::vector<Observation> seen(observations.begin(), observations.end());
      for (Observation& one : seen)
        if (one.cost && i < one.parts.size()) one.cost = one.parts[i];
      searches_[i]->tell(seen);
    }
    for (const Observation& one : observations) known_.insert(one.id);
  }

  std::size_t max_in_flight() const override { return searches_.front()->max_in_flight(); }

 private:
  std::vector<std::unique_ptr<Strategy>> searches_;  ///< by each quantity, then by the product
  std::size_t turn_ = 0;
  std::unordered_set<ConfigurationId> known_;  ///< asked for, or told
};

}  // namespace

std::unique_ptr<Strategy> front_search(
    const std::function<std::unique_ptr<Strategy>(const SearchTask&)>& make, const SearchTask& task) {
  std::vector<std::unique_ptr<Strategy>> searches;
  SearchTask own = task;
  own.related.clear();
  own.variant_bounds.clear();
  for (std::size_t i = 0; i < 3; ++i, ++own.seed) searches.push_back(make(own));
  return std::make_unique<FrontSearch>(std::move(searches));
}

}  // namespace tune::search
