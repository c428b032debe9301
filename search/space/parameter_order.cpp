// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "search/expressions/rewrite.hpp"
#include "search/space/carried.hpp"
#include "search/space/space_builder.hpp"

namespace tune::search {

namespace {

/// What narrow_order knows of the definition: which parameters stand together in a constraint or
/// condition.
class Ties {
 public:
  explicit Ties(const SpaceDefinition& definition)
      : needs_(definition.parameters.size()), of_(definition.parameters.size()) {
    for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
      slots_[definition.parameters[p].name] = p;
      weights_.push_back(std::log2(static_cast<double>(definition.parameters[p].values.size()) +
                                   (definition.parameters[p].exists_if ? 1 : 0)));
    }
    for (const Constraint& constraint : definition.constraints) add_rule(definition, constraint.rule);
    for (std::size_t p = 0; p < definition.parameters.size(); ++p) {
      if (!definition.parameters[p].exists_if) continue;
      Carried condition(definition, slots_, weights_, *definition.parameters[p].exists_if);
      needs_[p] = condition.parameters();
      std::vector<std::size_t> all = needs_[p];
      all.push_back(p);
      add({std::move(condition), std::move(all)});
    }
  }

  std::size_t size() const { return of_.size(); }
  /// The steps of `order_from`, about.
  std::size_t work() const { return size() * size() * (ties_.size() + 1) / 2; }
  /// The order that begins with `first` and keeps small what has to be remembered.
  std::vector<std::size_t> order_from(std::size_t first) const {
    Front front(*this);
    std::vector<std::size_t> order = {first};
    front.take(first);
    while (order.size() < size()) {
      // Of equal ones the one that stands together with most that were taken.
      std::size_t best = size();
      std::pair<double, std::ptrdiff_t> least;
      for (std::size_t p = 0; p < size(); ++p) {
        if (front.taken(p) || !front.may_take(p)) continue;
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
  /// About how many steps counting takes: each state tries the values of the next parameter.
  double steps(const std::vector<std::size_t>& order) const {
    constexpr double steps_of_a_state = 40, steps_of_a_value = 3;
    Front front(*this);
    double steps = 0;
    for (const std::size_t p : order) {
      const double tried = steps_of_a_value * std::exp2(weights_[p]);
      steps += std::exp2(front.width()) * (steps_of_a_state + tried);
      front.take(p);
    }
    return steps;
  }

 private:
  struct Tie {
    Carried carried;
    std::vector<std::size_t> parameters;
  };

  /// The parameters that were taken, and what has to be remembered of them.
  class Front {
   public:
    explicit Front(const Ties& all) : ties_(all), taken_(all.size()) {
      for (const Tie& tie : all.ties_) left_.push_back(tie.parameters.size());
      remembered_.resize(left_.size());
    }
    bool taken(std::size_t p) const { return taken_[p]; }
    bool may_take(std::size_t p) const {
      return std::ranges::all_of(ties_.needs_[p], [this](std::size_t other) { return taken_[other]; });
    }
    void take(std::size_t p) {
      taken_[p] = true;
      for (const std::size_t tie : ties_.of_[p]) {
        --left_[tie];
        remember(tie);
      }
    }
    /// The binary logarithm of the number of states.
    double width() const {
      std::vector<bool> carried(taken_.size());
      double width = 0;
      for (const Remembered& tie : remembered_)
        for (const std::size_t p : tie.parameters) {
          if (!carried[p]) width += ties_.weights_[p];
          carried[p] = true;
        }
      for (const Remembered& tie : remembered_)
        for (const Carried::Item& item : tie.items) {
          double others = 0;
          for (const std::size_t p : item.parameters)
            if (!carried[p]) others += ties_.weights_[p];
          width += item.values(others);
        }
      return width;
    }
    std::ptrdiff_t begun_ties(std::size_t p) const {
      return std::ranges::count_if(
          ties_.of_[p], [this](std::size_t tie) { return left_[tie] < ties_.ties_[tie].parameters.size(); });
    }
    double width_with(std::size_t p) {
      std::vector<Remembered> before;
      for (const std::size_t tie : ties_.of_[p]) before.push_back(remembered_[tie]);
      take(p);
      const double width = this->width();
      taken_[p] = false;
      for (std::size_t i = 0; i < before.size(); ++i) {
        ++left_[ties_.of_[p][i]];
        remembered_[ties_.of_[p][i]] = std::move(before[i]);
      }
      return width;
    }

   private:
    struct Remembered {
      std::vector<std::size_t> parameters;
      std::vector<Carried::Item> items;
    };

    void remember(std::size_t tie) {
      remembered_[tie] = {};
      if (left_[tie] == 0) return;
      std::vector<bool> carried(taken_.size());
      ties_.ties_[tie].carried.gather(taken_, carried, remembered_[tie].items);
      for (std::size_t p = 0; p < carried.size(); ++p)
        if (carried[p]) remembered_[tie].parameters.push_back(p);
    }

    const Ties& ties_;
    std::vector<bool> taken_;
    std::vector<std::size_t> left_;       ///< of each tie, how many parameters were not taken
    std::vector<Remembered> remembered_;  ///< of each tie
  };

  void add_rule(const SpaceDefinition& definition, const Expr& rule) {
    const std::vector<Expr> parts = conjuncts_of(rule);
    for (const Expr& part : parts) add_rule(definition, part);
    if (!parts.empty()) return;
    Carried carried(definition, slots_, weights_, rule);
    std::vector<std::size_t> all = carried.parameters();
    add({std::move(carried), std::move(all)});
  }
  void add(Tie tie) {
    if (tie.parameters.size() < 2) return;
    for (const std::size_t p : tie.parameters) of_[p].push_back(ties_.size());
    ties_.push_back(std::move(tie));
  }

  std::map<std::string, std::size_t> slots_;
  std::vector<double> weights_;  ///< binary logarithm of each parameter's number of values
  std::vector<Tie> ties_;
  std::vector<std::vector<std::size_t>> needs_;  ///< of each parameter, those of its condition
  std::vector<std::vector<std::size_t>> of_;     ///< of each parameter, the ties that it stands in
};

}  // namespace

ParameterOrder narrow_order(const SpaceDefinition& definition) {
  constexpr std::size_t most_work = 200'000;  // some 20 ms
  const Ties ties(definition);
  ParameterOrder best;
  std::size_t work = 0;
  for (std::size_t first = 0; first < ties.size() && work < most_work; ++first) {
    if (!ties.may_begin_with(first)) continue;
    work += ties.work();
    std::vector<std::size_t> order = ties.order_from(first);
    const double steps = ties.steps(order);
    if (!best.parameters.empty() && steps >= best.expected_steps) continue;
    best = {std::move(order), steps};
  }
  return best;
}

std::vector<std::size_t> counting_order(const SpaceDefinition& definition) {
  const std::vector<std::string>& names = *definition.counting_order;
  std::vector<std::size_t> order(definition.parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t p) {
    return std::ranges::find(names, definition.parameters[p].name) - names.begin();
  });
  return order;
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
