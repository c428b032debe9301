// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "search/space/space_builder.hpp"

namespace tune::search {

namespace {

/// Which parameters are tied together: each group is named by its first one.
class Groups {
 public:
  explicit Groups(const SpaceDefinition& definition) : first_(definition.parameters.size()) {
    std::iota(first_.begin(), first_.end(), std::size_t{0});
    for (std::size_t p = 0; p < first_.size(); ++p) slots_[definition.parameters[p].name] = p;
    for (const Constraint& constraint : definition.constraints) join(mentioned(constraint.rule));
    for (std::size_t p = 0; p < first_.size(); ++p) {
      if (!definition.parameters[p].exists_if) continue;
      auto tied = mentioned(*definition.parameters[p].exists_if);
      tied.push_back(p);
      join(tied);
    }
  }

  std::size_t of(std::size_t parameter) const {
    while (first_[parameter] != parameter) parameter = first_[parameter];
    return parameter;
  }

 private:
  std::vector<std::size_t> mentioned(const Expr& expr) const {
    std::vector<std::size_t> parameters;
    for (const std::string& name : expr.variables())
      if (const auto slot = slots_.find(name); slot != slots_.end()) parameters.push_back(slot->second);
    return parameters;
  }

  void join(const std::vector<std::size_t>& parameters) {
    for (const std::size_t p : parameters) {
      const std::size_t a = of(parameters.front()), b = of(p);
      first_[std::max(a, b)] = std::min(a, b);
    }
  }

  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> first_;
};

}  // namespace

std::vector<std::size_t> order_by_groups(const SpaceDefinition& definition) {
  const Groups groups(definition);
  std::vector<std::size_t> order(definition.parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return groups.of(p); });
  return order;
}

}  // namespace tune::search
