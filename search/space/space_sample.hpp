// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/space/row_graph.hpp"
#include "search/space/space_builder.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// Draws valid configurations of a definition whose configurations are too many ways tied to count them. The
/// same definition always gives the same sample. A row has the digits of a configuration (see build_graph).
///
/// Parameters get random values one after the other, and the beginning is thrown away as soon as it breaks a
/// constraint. So all configurations in which the same parameters exist have the same chance; in others the
/// chance is larger the fewer parameters exist. Where that finds too few, the rest is drawn otherwise
/// (`by_search`): a search that goes back instead of beginning again finds a configuration, and a walk of
/// valid changes of one or two parameters goes on from it, then the next search begins. That sample is not
/// uniform: configurations behind choices that few values survive, and those near each other, are too many.
/// One more is looked for from the defaults on.
struct SpaceSample {
  std::vector<std::vector<RowGraph::Digit>> rows;  ///< different ones, sorted
  bool by_search = false;
};

/// Draws at most `count` and takes at most `max_steps` steps (see default_max_steps). Throws ExprError and
/// Stopped like build_graph.
SpaceSample draw_sample(const SpaceDefinition& definition, std::size_t count, std::uint64_t max_steps,
                        const CountWatch& watch = {});

}  // namespace tune::search
