// SPDX-License-Identifier: Apache-2.0
// Strategies of the program as strategies of the tuner.
#pragma once

#include <memory>
#include <tune/search.hpp>

#include "search/space/search_space.hpp"
#include "search/strategies/registry.hpp"

namespace tune::api {

/// The space must outlive the view.
Space view_of(const search::SearchSpace& space);
const search::SearchSpace& inside_of(const Space& space);

/// Returns a choice for runs. Throws Error for a strategy without a name or a function.
search::StrategyChoice choice_of(std::shared_ptr<const OwnStrategy> own);

}  // namespace tune::api
