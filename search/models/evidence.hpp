// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/models/encoding.hpp"

namespace tune::search {

/// All that a search has seen: what models learn from.
struct Evidence {
  /// Of a space with so many configurations.
  explicit Evidence(ConfigurationId size) : seen(size) {}

  struct Evaluated {
    ConfigurationId id = 0;
    std::vector<Level> levels;
    std::optional<double> cost;
    double seconds = 0;  ///< that evaluating it took; 0: not known
    double gain = 0;     ///< on the best before it, as a share; 1 for the first that succeeded
  };

  std::vector<Evaluated> evaluated;  ///< in the order in which it was told
  std::vector<std::size_t> good;     ///< places in `evaluated` of what succeeded
  std::size_t best = 0;              ///< place of the lowest cost, where something succeeded
  Visited seen;                      ///< asked for or told; its costs are not used
  std::unordered_map<ConfigurationId, std::vector<Level>> pending;  ///< asked for and not told

  const Evaluated& best_one() const { return evaluated[best]; }

  void add(Evaluated one) {
    pending.erase(one.id);
    seen.take(one.id);
    if (one.cost) {
      if (good.empty() || *one.cost < *evaluated[best].cost) {
        one.gain = good.empty() ? 1 : 1 - *one.cost / *evaluated[best].cost;
        best = evaluated.size();
      }
      good.push_back(evaluated.size());
    }
    evaluated.push_back(std::move(one));
  }
};

}  // namespace tune::search
