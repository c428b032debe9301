// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/space/space_builder.hpp"

namespace tune::search {

namespace {

/// What order_by_width knows of the definition: which parameters stand together in a constraint or condition.
class Ties {
 public:
  explicit Ties(const SpaceDefinition& definition) : needs_(definition.parameters.size()) {
    std::map<std::string, std::size_t> slots;
    for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
      slots[definition.parameters[p].name] = p;
      weights_.push_back(std::log2(static_cast<double>(definition.parameters[p].values.size()) +
                                   (definition.parameters[p].exists_if ? 1 : 0)));
    }
    const auto mentioned = [&](const Expr& expr) {
      std::vector<std::size_t> parameters;
      for (const std::string& name : expr.variables())
        if (const auto slot = slots.find(name); slot != slots.end()) parameters.push_back(slot->second);
      return parameters;
    };
    for (const Constraint& constraint : definition.constraints) tied_.push_back(mentioned(constraint.rule));
    for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
      if (!definition.parameters[p].exists_if) continue;
      needs_[p] = mentioned(*definition.parameters[p].exists_if);
      tied_.push_back(needs_[p]);
      tied_.back().push_back(p);
    }
    std::erase_if(tied_, [](const std::vector<std::size_t>& tie) { return tie.size() < 2; });
    of_.resize(definition.parameters.size());
    for (std::size_t tie = 0; tie < tied_.size(); ++tie)
      for (const std::size_t p : tied_[tie]) of_[p].push_back(tie);
  }

  std::size_t size() const { return of_.size(); }
  /// The order that begins with `first` and keeps the product of what has to be remembered small.
  std::vector<std::size_t> order_from(std::size_t first) const {
    Front front(*this);
    std::vector<std::size_t> order = {first};
    front.take(first);
    while (order.size() < size()) {
      // Of equal ones the one that stands together with most that were taken.
      std::size_t best = size();
      std::pair<double, std::ptrdiff_t> least;
      for (std::size_t p = 0; p < size(); ++p) {
        if (front.taken[p] || !front.may_take(p)) continue;
        const std::pair key(front.width_with(p), -front.begun_ties(p));
        if (best < size() && key >= least) continue;
        best = p;
        least = key;
      }
      front.take(best);
      order.push_back(best);
    }
    return order;
  }
  bool may_begin_with(std::size_t p) const { return needs_[p].empty(); }
  /// How many states there are at most, over all depths.
  double cost(const std::vector<std::size_t>& order) const {
    Front front(*this);
    double states = 0;
    for (const std::size_t p : order) {
      front.take(p);
      states += std::exp2(front.width());
    }
    return states;
  }

 private:
  /// The parameters that were taken, and of each tie how many were not.
  struct Front {
    explicit Front(const Ties& all) : ties(all), taken(all.size()) {
      for (const auto& tie : all.tied_) left.push_back(tie.size());
    }
    bool may_take(std::size_t p) const {
      return std::ranges::all_of(ties.needs_[p], [this](std::size_t other) { return taken[other]; });
    }
    void take(std::size_t p) {
      taken[p] = true;
      for (const std::size_t tie : ties.of_[p]) --left[tie];
    }
    /// Of those taken that stand together with one that is not.
    double width() const {
      double width = 0;
      for (std::size_t p = 0; p < taken.size(); ++p)
        if (taken[p] && std::ranges::any_of(ties.of_[p], [this](std::size_t tie) { return left[tie] > 0; }))
          width += ties.weights_[p];
      return width;
    }
    std::ptrdiff_t begun_ties(std::size_t p) const {
      return std::ranges::count_if(ties.of_[p],
                                   [this](std::size_t tie) { return left[tie] < ties.tied_[tie].size(); });
    }
    double width_with(std::size_t p) {
      take(p);
      const double width = this->width();
      taken[p] = false;
      for (const std::size_t tie : ties.of_[p]) ++left[tie];
      return width;
    }

    const Ties& ties;
    std::vector<bool> taken;
    std::vector<std::size_t> left;
  };

  std::vector<std::vector<std::size_t>> tied_;
  std::vector<std::vector<std::size_t>> of_;     ///< of each parameter, the ties that it stands in
  std::vector<std::vector<std::size_t>> needs_;  ///< of each parameter, those of its condition
  std::vector<double> weights_;                  ///< binary logarithm of its number of values
};

}  // namespace

std::optional<std::vector<std::size_t>> order_by_width(const SpaceDefinition& definition, double gain) {
  constexpr std::size_t most_beginnings = 32;
  const Ties ties(definition);
  std::vector<std::size_t> declared(ties.size());
  std::iota(declared.begin(), declared.end(), std::size_t{0});
  std::vector<std::size_t> best;
  double least = ties.cost(declared) / gain;
  if (least < static_cast<double>(ties.size())) return std::nullopt;  // every order has a state at each depth
  std::size_t tried = 0;
  for (std::size_t first = 0; first < ties.size() && tried < most_beginnings; ++first) {
    if (!ties.may_begin_with(first)) continue;
    ++tried;
    std::vector<std::size_t> order = ties.order_from(first);
    const double cost = ties.cost(order);
    if (cost >= least) continue;
    least = cost;
    best = std::move(order);
  }
  if (best.empty()) return std::nullopt;
  return best;
}

namespace {

void add_mentioned(const Expr& expr, std::vector<std::string>& names) {
  if (expr.op() == Expr::Op::variable) names.push_back(expr.name());
  for (const Expr& operand : expr.operands()) add_mentioned(operand, names);
}

}  // namespace

std::vector<std::size_t> order_of_mention(const SpaceDefinition& definition) {
  std::map<std::string, std::size_t> slots;
  for (std::size_t p = 0; p < definition.parameters.size(); ++p) slots[definition.parameters[p].name] = p;
  std::vector<std::vector<std::string>> mentions;
  for (const Constraint& constraint : definition.constraints)
    add_mentioned(constraint.rule, mentions.emplace_back());
  std::ranges::stable_sort(mentions, std::ranges::greater(), &std::vector<std::string>::size);
  std::vector<std::size_t> order;
  std::vector<bool> taken(definition.parameters.size());
  const auto take = [&](const auto& self, std::size_t p) -> void {
    if (taken[p]) return;
    taken[p] = true;
    std::vector<std::string> needed;
    if (definition.parameters[p].exists_if) add_mentioned(*definition.parameters[p].exists_if, needed);
    for (const std::string& name : needed)
      if (const auto slot = slots.find(name); slot != slots.end()) self(self, slot->second);
    order.push_back(p);
  };
  for (const auto& names : mentions)
    for (const std::string& name : names)
      if (const auto slot = slots.find(name); slot != slots.end()) take(take, slot->second);
  for (std::size_t p = 0; p < taken.size(); ++p) take(take, p);
  return order;
}

}  // namespace tune::search
