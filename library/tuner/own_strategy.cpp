// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/own_strategy.hpp"

#include <algorithm>
#include <tune/tuner.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "library/tuner/convert.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

constexpr int max_repeats = 1000;

/// Asks a strategy of the program. It never gives a configuration twice, whatever the strategy does.
class Adapter : public search::Strategy {
 public:
  Adapter(std::shared_ptr<const OwnStrategy> own, const search::SearchTask& task)
      : own_(std::move(own)), space_(task.space), search_(own_->open(view_of(space_), task.seed)) {
    if (search_ == nullptr) throw UsageError(format("the strategy {} does not begin a search", own_->name));
  }

  std::vector<search::ConfigurationId> ask(std::size_t count) override {
    const std::size_t in_flight = asked_.size() - costs_.size();
    const std::size_t wanted =
        std::min(count, std::max<std::size_t>(1, own_->in_flight - std::min(own_->in_flight, in_flight)));
    std::vector<search::ConfigurationId> ids;
    for (int repeats = 0; ids.size() < wanted && repeats < max_repeats;) {
      const std::optional<std::uint64_t> next = search_->ask();
      if (!next) break;
      if (*next >= space_.size())
        throw UsageError(format("the strategy {} asks for configuration {}, and the last one is {}",
                                own_->name, *next, space_.size() - 1));
      if (asked_.insert(*next).second) {
        ids.push_back(*next);
        repeats = 0;
        continue;
      }
      ++repeats;
      if (const auto known = costs_.find(*next); known != costs_.end()) search_->tell(*next, known->second);
    }
    return ids;
  }

  void tell(std::span<const search::Observation> observations) override {
    for (const search::Observation& one : observations) {
      asked_.insert(one.id);
      costs_[one.id] = one.cost;
      if (one.id < space_.size()) search_->tell(one.id, one.cost);  // others were found beside a sample
    }
  }

  std::size_t max_in_flight() const override { return std::max<std::size_t>(1, own_->in_flight); }

 private:
  std::shared_ptr<const OwnStrategy> own_;
  const search::SearchSpace& space_;
  std::unique_ptr<OwnSearch> search_;
  std::unordered_set<search::ConfigurationId> asked_;  ///< or told
  std::unordered_map<search::ConfigurationId, std::optional<double>> costs_;
};

}  // namespace

Space view_of(const search::SearchSpace& space) {
  return Space(&space);
}

const search::SearchSpace& inside_of(const Space& space) {
  return *static_cast<const search::SearchSpace*>(space.inside());
}

std::uint64_t Space::size() const {
  return inside_of(*this).size();
}

Configuration Space::at(std::uint64_t number) const {
  return guarded([&] {
    if (number >= size())
      throw UsageError(format("there is no configuration {}: there are {}", number, size()));
    return to_values(inside_of(*this).at(number));
  });
}

search::StrategyChoice choice_of(std::shared_ptr<const OwnStrategy> own) {
  static const search::StrategyEntry entry{
      .name = "own", .summary = "a strategy of the program", .maker = nullptr, .options = nullptr};
  if (own->name.empty() || !own->open)
    throw UsageError("own_strategy: it has no name, or no function that begins a search");
  search::StrategyChoice choice{&entry};
  choice.own_name = own->name;
  choice.own = [own = std::move(own)](const search::SearchTask& task) {
    return std::make_unique<Adapter>(own, task);
  };
  return choice;
}

}  // namespace tune::api
