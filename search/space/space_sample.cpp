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
  Sampler(const SpaceDefinition& definition, std::size_t count, std::uint64_t max_steps,
          const CountWatch& watch)
      : definition_(definition),
        count_(count),
        max_steps_(max_steps),
        watch_(watch),
        construction_(definition) {}

  SpaceSample draw() {
    SpaceSample sample;
    if (!construction_.accepts(0)) return sample;
    search(from_defaults);
    const std::uint64_t all = left();
    // A look at how many are thrown away. The search takes over where that are too many.
    constexpr std::size_t looks = 16;
    while (rows_.size() < count_ && left() > all - all / looks) throw_dice();
    const bool enough = rows_.size() * (looks * 3 / 4) >= count_;
    while (enough && rows_.size() < count_ && left() > all / 4) throw_dice();
    sample.by_search = rows_.size() < count_;
    Yield searches, walks;
    while (rows_.size() < count_ && left() > 0) {
      bool found = false;
      const std::uint64_t before = left();
      spend(searches, [&] { found = search(at_random); });
      const std::uint64_t cost = before - left();
      if (found && walks.per_row() <= searches.per_row()) spend(walks, [&] { walk(cost); });
    }
    sample.rows.assign(rows_.begin(), rows_.end());
    return sample;
  }

 private:
  enum Order : std::uint8_t { from_defaults, at_random };

  /// What a way to draw costs, and what it gains.
  struct Yield {
    std::uint64_t steps = 0, rows = 0;

    /// Nothing at the beginning, so that each way is tried.
    double per_row() const { return static_cast<double>(steps) / (static_cast<double>(rows) + 1e-3); }
  };

  template<class Action>
  void spend(Yield& yield, Action action) {
    const std::uint64_t before = left(), rows = rows_.size();
    action();
    yield.steps += before - left();
    yield.rows += rows_.size() - rows;
  }

  bool try_value() {
    constexpr std::uint64_t interval = 8192;
    if (left() == 0) return false;
    if (++tried_ % interval == 0 && watch_ && !watch_(max_steps_ - left())) throw Stopped();
    return true;
  }

  std::uint64_t left() const {
    const std::uint64_t steps = construction_.steps() + tried_;
    return max_steps_ - std::min(max_steps_, steps);
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

  /// Leaves what it finds in the construction.
  bool search(Order order) {
    constexpr std::size_t most_of_one = 20'000;
    steps_left_ = most_of_one;
    if (!complete(0, order)) return false;
    keep();
    return true;
  }

  /// Goes from the configuration that was made to others, which differ in one or two parameters each. A
  /// change and its opposite are proposed equally often, so that no configuration attracts the walk. It takes
  /// so many steps, but at least some proposals.
  void walk(std::uint64_t steps) {
    constexpr int few_proposals = 200;
    const std::uint64_t end = left() - std::min(left(), steps);
    const std::size_t count = definition_.parameters.size();
    std::vector<RowGraph::Digit> row, proposed;
    for (std::size_t p = 0; p < count; ++p) row.push_back(construction_.digit(p));
    std::size_t same = count;  // so many parameters are in the construction as they are in the row
    for (int i = 0; rows_.size() < count_ && left() > (i < few_proposals ? 0 : end); ++i) {
      proposed = row;
      propose(proposed);
      const auto changed =
          static_cast<std::size_t>(std::ranges::mismatch(proposed, row).in1 - proposed.begin());
      if (changed == count) continue;
      same = std::min(same, changed);
      if (!construct(proposed, same)) continue;
      same = count;
      row = proposed;
      rows_.insert(row);
    }
  }

  void propose(std::vector<RowGraph::Digit>& row) {
    const std::size_t p = random_.below(row.size()), q = random_.below(row.size());
    switch (random_.below(3)) {
      case 0:
        return change(p, row);
      case 1:  // often keeps a sum
        if (p == q || row[p] == 0) return;
        --row[p];
        ++row[q];
        return;
      default:
        change(p, row);
        change(q, row);
    }
  }

  void change(std::size_t p, std::vector<RowGraph::Digit>& row) {
    const std::uint32_t first = definition_.parameters[p].exists_if ? 1 : 0;
    if (row[p] >= first)
      row[p] = first + static_cast<std::uint32_t>(random_.below(construction_.values()[p].size()));
  }

  /// Goes on behind the first `begin` parameters. Those that come to exist get random values, and others lose
  /// theirs.
  bool construct(std::vector<RowGraph::Digit>& row, std::size_t begin) {
    for (std::size_t p = begin; p < row.size(); ++p) {
      if (!try_value()) return false;
      const std::uint32_t first = definition_.parameters[p].exists_if ? 1 : 0;
      const std::size_t values = construction_.values()[p].size();
      if (construction_.exists(p)) {
        if (row[p] < first) row[p] = first + static_cast<std::uint32_t>(random_.below(values));
        if (row[p] - first >= values) return false;
        construction_.assign(p, row[p] - first);
      } else {
        row[p] = 0;
        construction_.pass_over(p);
      }
      if (!construction_.accepts(p + 1)) return false;
    }
    return true;
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
  std::uint64_t max_steps_;
  std::uint64_t tried_ = 0;     ///< values
  std::size_t steps_left_ = 0;  ///< of the configuration that is searched
  const CountWatch& watch_;
  Construction construction_;
  Random random_{1};
  std::set<std::vector<RowGraph::Digit>> rows_;
};

}  // namespace

SpaceSample draw_sample(const SpaceDefinition& definition, std::size_t count, std::uint64_t max_steps,
                        const CountWatch& watch) {
  return Sampler(definition, count, max_steps, watch).draw();
}

}  // namespace tune::search
