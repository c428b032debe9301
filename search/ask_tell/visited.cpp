// SPDX-License-Identifier: Apache-2.0
#include "search/ask_tell/visited.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace tune::search {

namespace {

/// Once guessing needs this many tries on average, the unseen are listed instead.
constexpr ConfigurationId max_draws_of_unseen = 32;

}  // namespace

double cost_of(const Observation& observation) {
  const double cost = observation.cost.value_or(std::numeric_limits<double>::infinity());
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

Visited::Visited(ConfigurationId size)
    : size_(size),
      remaining_(size),
      open_{{0, size}},
      open_size_(size),
      seen_(size > max_bits ? 0 : (size + word_bits - 1) / word_bits) {}

bool Visited::take(ConfigurationId id) {
  if (seen(id)) return false;
  if (size_ > max_bits || id >= size_)
    seen_of_many_.insert(id);
  else
    seen_[id / word_bits] |= std::uint64_t{1} << (id % word_bits);
  if (id < size_) --remaining_;
  return true;
}

void Visited::close(ConfigurationId begin, ConfigurationId end) {
  std::vector<Range> open;
  ConfigurationId left_out = 0;
  for (const Range& range : open_) {
    const Range closing{std::clamp(begin, range.begin, range.end), std::clamp(end, range.begin, range.end)};
    left_out += closing.end - closing.begin;
    if (size_ > max_bits)
      remaining_ += static_cast<ConfigurationId>(std::ranges::count_if(
          seen_of_many_, [&](ConfigurationId id) { return closing.begin <= id && id < closing.end; }));
    for (ConfigurationId id = closing.begin; size_ <= max_bits && id < closing.end; ++id)
      remaining_ += (seen_[id / word_bits] >> (id % word_bits)) & 1;
    if (range.begin < closing.begin) open.push_back({range.begin, closing.begin});
    if (closing.end < range.end) open.push_back({closing.end, range.end});
  }
  open_ = std::move(open);
  open_size_ -= left_out;
  remaining_ -= left_out;
}

std::vector<ConfigurationId> Visited::unseen() const {
  std::vector<ConfigurationId> ids;
  ids.reserve(remaining_);
  if (size_ > max_bits || open_size_ < size_) {
    for (const Range& range : open_)
      for (ConfigurationId id = range.begin; id < range.end; ++id)
        if (!seen(id)) ids.push_back(id);
    return ids;
  }
  for (std::size_t word = 0; word < seen_.size(); ++word) {
    for (std::uint64_t left = ~seen_[word]; left != 0; left &= left - 1) {
      const ConfigurationId id = word * word_bits + static_cast<ConfigurationId>(std::countr_zero(left));
      if (id < size_) ids.push_back(id);
    }
  }
  return ids;
}

ConfigurationId Visited::draw(Random& random) const {
  ConfigurationId place = random.below(open_size_);
  for (const Range& range : open_) {
    if (place < range.end - range.begin) return range.begin + place;
    place -= range.end - range.begin;
  }
  throw std::logic_error("the open configurations are fewer than was counted");
}

std::optional<ConfigurationId> Visited::random_unseen(Random& random) {
  if (remaining_ == 0) return std::nullopt;
  if (few_.empty() && remaining_ < open_size_ / max_draws_of_unseen) few_ = unseen();
  // A configuration that was taken meanwhile is still listed, and leaves the list when it is drawn: once
  // each.
  while (!few_.empty()) {
    std::swap(few_[random.below(few_.size())], few_.back());
    if (!seen(few_.back())) return few_.back();
    few_.pop_back();
  }
  ConfigurationId id = draw(random);
  while (seen(id)) id = draw(random);
  return id;
}

std::optional<ConfigurationId> Visited::take_random(Random& random) {
  const auto id = random_unseen(random);
  if (id) take(*id);
  return id;
}

void Visited::tell(const Observation& observation) {
  take(observation.id);
  const double cost = cost_of(observation);
  costs_[observation.id] = cost;
  if (best_ == observation.id) {
    if (cost > best_cost_) return find_best();
    best_cost_ = cost;
    return;
  }
  if (cost >= best_cost_) return;
  best_ = observation.id;
  best_cost_ = cost;
}

/// The best turned out to be worse than its first result: rare. Equals are ordered by number, since a hash
/// table has no order.
void Visited::find_best() {
  best_.reset();
  best_cost_ = std::numeric_limits<double>::infinity();
  for (const auto& [id, cost] : costs_) {
    if (cost > best_cost_ || !std::isfinite(cost) || (cost == best_cost_ && id > *best_)) continue;
    best_ = id;
    best_cost_ = cost;
  }
}

std::optional<double> Visited::cost(ConfigurationId id) const {
  const auto found = costs_.find(id);
  return found == costs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tune::search
