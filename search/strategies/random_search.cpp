// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/random_search.hpp"

namespace tune::search {

namespace {

/// One beyond the last configuration with the same value of the first parameter as `begin`: numbers are in
/// lexical order, so these are neighbours.
ConfigurationId end_of_first_value(const SearchSpace& space, ConfigurationId begin) {
  if (space.parameters().empty()) return space.size();
  const int value = space.value_indices(begin).front();
  ConfigurationId end = space.size();
  while (begin < end) {
    const ConfigurationId middle = begin + (end - begin) / 2;
    if (space.value_indices(middle).front() == value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return end;
}

}  // namespace

RandomSearch::RandomSearch(const SearchSpace& space, std::uint64_t seed)
    : space_(space), random_(seed), remaining_(space.size()) {
  plan_start();
}

void RandomSearch::plan_start() {
  for (ConfigurationId begin = 0; begin < space_.size();) {
    const ConfigurationId end = end_of_first_value(space_, begin);
    start_.push_back(begin + random_.below(end - begin));
    begin = end;
  }
  for (std::size_t left = start_.size(); left > 1; --left) {
    std::swap(start_[left - 1], start_[random_.below(left)]);
  }
}

ConfigurationId RandomSearch::draw() {
  const ConfigurationId place = random_.below(remaining_);
  --remaining_;
  const auto content = [this](ConfigurationId at) {
    const auto found = moved_.find(at);
    return found == moved_.end() ? at : found->second;
  };
  const ConfigurationId drawn = content(place);
  const ConfigurationId last = content(remaining_);
  moved_.erase(remaining_);
  if (place != remaining_) moved_[place] = last;
  return drawn;
}

std::vector<ConfigurationId> RandomSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  while (batch.size() < count && !start_.empty()) {
    if (skip_.insert(start_.back()).second) batch.push_back(start_.back());
    start_.pop_back();
  }
  while (batch.size() < count && remaining_ > 0) {
    const ConfigurationId id = draw();
    if (!skip_.contains(id)) batch.push_back(id);
  }
  return batch;
}

void RandomSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) skip_.insert(observation.id);
}

}  // namespace tune::search
