// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "search/ask_tell/strategy.hpp"

namespace tune::search {

/// Searches for a Pareto front by three searches in turn: for the least of the first quantity
/// (Observation::parts), for the least of the second, and for the least product. Each learns from all
/// results. `make` makes a search.
std::unique_ptr<Strategy> front_search(
    const std::function<std::unique_ptr<Strategy>(const SearchTask&)>& make, const SearchTask& task);

}  // namespace tune::search
