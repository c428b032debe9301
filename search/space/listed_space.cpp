// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "search/space/completion.hpp"
#include "search/space/definition_check.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

namespace {

/// More would take minutes.
constexpr ConfigurationId max_asked = 50'000'000;

}  // namespace

SearchSpace SearchSpace::of(SpaceDefinition definition, std::span<const Configuration> configurations) {
  check_definition(definition);
  SearchSpace space{Unbuilt{}, std::move(definition)};
  std::vector<Digits> rows;
  for (const Configuration& configuration : configurations) {
    auto digits = space.digits_of(configuration);
    if (!digits) {
      throw std::invalid_argument("'" + configuration.key() + "' is no configuration of these parameters");
    }
    rows.push_back(std::move(*digits));
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  space.graph_ = graph_of(rows, space.parameters().size());
  space.default_ = space.nearest_to_defaults();
  return space;
}

SearchSpace SearchSpace::where(const std::function<bool(const Configuration&)>& keep) const {
  if (size() > max_asked)
    throw std::length_error("a rule in code is asked for each of " + std::to_string(size()) +
                            " configurations; add constraints as expressions first");
  SearchSpace space{Unbuilt{}, definition_};
  space.order_columns(parameter_of_);
  RowGraphBuilder builder(parameters().size());
  // What is left of a node depends on the way to it, so that every path is walked.
  const auto kept = [&](const auto& self, GraphPosition place,
                        std::size_t column) -> std::optional<RowGraph::Node> {
    if (column == parameters().size())
      return keep(at(place.before)) ? std::optional(RowGraph::end_node) : std::nullopt;
    std::vector<RowGraphBuilder::Branch> branches;
    for (const RowGraph::Edge& edge : graph_.edges(place.node))
      if (const auto child = self(self, {edge.child, place.before + edge.before}, column + 1))
        branches.push_back({edge.digit, *child});
    return builder.node(branches);
  };
  const auto root = graph_.root() ? kept(kept, {*graph_.root(), 0}, 0) : std::nullopt;
  space.graph_ = std::move(builder).finish(root);
  space.default_ = space.nearest_to_defaults();
  return space;
}

}  // namespace tune::search
