// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_builder.hpp"

#include <cstdint>
#include <span>

#include "search/space/construction.hpp"
#include "search/space/space_states.hpp"

namespace tune::search {
namespace {

class Builder {
 public:
  using Node = RowGraph::Node;

  Builder(const SpaceDefinition& definition, std::size_t limit, std::uint64_t max_steps,
          const CountWatch& watch)
      : limit_(limit),
        max_steps_(max_steps),
        watch_(watch),
        construction_(definition),
        states_(definition, construction_.values(), construction_.terms()),
        levels_(definition.parameters.size()),
        graph_(definition.parameters.size()) {}

  RowGraph build() {
    const std::optional<Node> root = descend(0);
    return std::move(graph_).finish(root);
  }

 private:
  /// Returns all valid completions of the first `p` parameters' values, or nothing where there are none.
  std::optional<Node> completions(std::size_t p) {
    if (p == levels_.size()) return RowGraph::end_node;
    const auto [state, added] = states_.state(p, construction_.assignment());
    if (!added) return levels_[p][state];
    if (++count_ > limit_) throw TooManyStates();
    levels_[p].emplace_back();
    const std::optional<Node> node = made(p);
    levels_[p][state] = node;
    return node;
  }

  std::optional<Node> made(std::size_t p) {
    const std::size_t first_branch = branches_.size();
    states_.begin(p + 1, construction_.assignment());
    if (!construction_.exists(p)) {
      construction_.pass_over(p);
      if (const auto child = descend(p + 1)) branches_.push_back({0, *child});
    } else {
      const std::size_t values = construction_.values()[p].size();
      // Each value takes at least a step.
      if (steps() + values > max_steps_) throw TooManyStates();
      for (std::uint32_t index = 0; index < values; ++index) {
        look_up();
        construction_.assign(p, index);
        if (const auto child = descend(p + 1)) branches_.push_back({construction_.digit(p), *child});
      }
    }
    const auto node = graph_.node(std::span(branches_).subspan(first_branch));
    branches_.resize(first_branch);
    return node;
  }

  /// Asks the watch after some thousand values, which take milliseconds.
  void look_up() {
    constexpr std::size_t interval = 8192;
    if (++unwatched_ < interval || !watch_) return;
    unwatched_ = 0;
    if (!watch_(steps())) throw Stopped();
  }

  std::uint64_t steps() const {
    constexpr std::uint64_t steps_of_a_state = 40;
    return construction_.steps() + states_.steps() + steps_of_a_state * count_;
  }

  std::optional<Node> descend(std::size_t depth) {
    return construction_.accepts(depth) ? completions(depth) : std::nullopt;
  }

  std::size_t limit_;
  std::uint64_t max_steps_;
  const CountWatch& watch_;
  std::size_t unwatched_ = 0;  ///< values tried since the watch was asked
  std::size_t count_ = 0;      ///< states looked at
  Construction construction_;
  SpaceStates states_;
  std::vector<std::vector<std::optional<Node>>> levels_;  ///< the known completions of each state at a depth
  std::vector<RowGraphBuilder::Branch> branches_;         ///< of the nodes that are being made
  RowGraphBuilder graph_;
};

}  // namespace

RowGraph build_graph(const SpaceDefinition& definition, std::size_t limit, std::uint64_t max_steps,
                     const CountWatch& watch) {
  return Builder(definition, limit, max_steps, watch).build();
}

}  // namespace tune::search
