// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "search/space/definition_check.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

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

}  // namespace tune::search
