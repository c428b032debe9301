// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/axes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

class AxesReader {
 public:
  AxesReader(const SourceTree& tree, std::array<Axis, 3>& axes) : tree_(tree), axes_(axes) {}

  std::optional<std::size_t> axis_of(int node, std::string_view& of) const {
    if (tree_.kind(node) != "field_expression") return std::nullopt;
    const auto parts = tree_.syntax().parts(node);
    if (parts.size() != 2) return std::nullopt;
    of = tree_.text(parts.front());
    if (of != "threadIdx" && of != "blockIdx" && of != "blockDim" && of != "gridDim") return std::nullopt;
    const auto axis = std::ranges::find(axis_names, tree_.text(parts.back()));
    if (axis == axis_names.end()) return std::nullopt;
    return static_cast<std::size_t>(axis - axis_names.begin());
  }

  /// The factors of an index on the way up from `node`; `top`: where the product and sum ends.
  std::vector<std::string> factors_of(int node, int& top) const {
    std::vector<std::string> factors;
    for (top = node; ++steps_ < max_steps; top = tree_.syntax()[top].parent) {
      const int parent = tree_.syntax()[top].parent;
      if (parent < 0) return factors;
      const std::string_view is = tree_.kind(parent);
      if (is == "parenthesized_expression" || is == "cast_expression") continue;
      if (is != "binary_expression") return factors;
      const auto parts = tree_.syntax().parts(parent);
      if (tree_.syntax().child_of_kind(parent, "*") >= 0)
        factors.emplace_back(tree_.text(parts.front() == top ? parts.back() : parts.front()));
      else if (tree_.syntax().child_of_kind(parent, "/") >= 0 && parts.front() == top)
        factors.push_back("/" + std::string(tree_.text(parts.back())));
      else if (tree_.syntax().child_of_kind(parent, "+") < 0 && tree_.syntax().child_of_kind(parent, "-") < 0)
        return factors;
    }
    return factors;
  }

  /// Variables of the function that get a product once: `int total = B * T;`.
  std::map<std::string_view, std::string_view> products_in(const FunctionOfFile& function) const {
    std::map<std::string_view, std::string_view> products;
    std::set<std::string_view> changed;
    for (int node = function.node; node < tree_.syntax()[function.node].end; ++node) {
      const std::string_view is = tree_.kind(node);
      const auto parts = tree_.syntax().parts(node);
      if (parts.empty() ||
          (is != "init_declarator" && is != "assignment_expression" && is != "update_expression"))
        continue;
      const int name = is == "init_declarator" ? tree_.name_in(parts.front()) : parts.front();
      if (name < 0) continue;
      const std::string_view value = parts.size() > 1 ? tree_.text(parts.back()) : std::string_view();
      const bool is_product = is == "init_declarator" && value.find('*') != std::string_view::npos &&
                              value.find_first_of("/%[?\"&<>") == std::string_view::npos;
      if (!is_product || !products.emplace(tree_.text(name), value).second) changed.insert(tree_.text(name));
    }
    for (const std::string_view name : changed) products.erase(name);
    return products;
  }

  void read_axes(const FunctionOfFile& function) {
    products_ = products_in(function);
    std::map<std::string_view, std::set<std::size_t>> variables;        // the axes of their values
    std::map<std::string_view, std::size_t> block_names, thread_names;  // copies of blockIdx.x, threadIdx.x
    const auto axes_in = [&](int from) {
      std::set<std::size_t> axes;
      for (int node = from; node < tree_.syntax()[from].end && ++steps_ < max_steps; ++node) {
        std::string_view of;
        if (const auto axis = axis_of(node, of); axis && (of == "threadIdx" || of == "blockIdx"))
          axes.insert(*axis);
        if (tree_.kind(node) == "identifier")
          if (const auto known = variables.find(tree_.text(node)); known != variables.end())
            axes.insert(known->second.begin(), known->second.end());
      }
      return axes;
    };
    std::set<std::string_view> of_block;  // variables that depend on blockIdx
    const auto of_blocks = [&](int from) {
      for (int node = from; node < tree_.syntax()[from].end && ++steps_ < max_steps; ++node)
        if (tree_.text(node) == "blockIdx" ||
            (tree_.kind(node) == "identifier" && of_block.contains(tree_.text(node))))
          return true;
      return false;
    };
    std::map<std::string_view, std::string> divided;  // variables with parts of an index, and the divisors
    /// The divisor of an index in an expression; empty: none, "?": more than a number or a name.
    const auto divisor_in = [&](int from) -> std::string {
      for (int node = from; node < tree_.syntax()[from].end && ++steps_ < max_steps; ++node) {
        if (tree_.kind(node) == "identifier")
          if (const auto known = divided.find(tree_.text(node)); known != divided.end()) return known->second;
        if (tree_.kind(node) != "binary_expression") continue;
        const bool shifts = tree_.syntax().child_of_kind(node, ">>") >= 0;
        if (!shifts && tree_.syntax().child_of_kind(node, "/") < 0) continue;
        const auto parts = tree_.syntax().parts(node);
        if (parts.size() == 2 && of_blocks(parts.front()) && !axes_in(parts.front()).empty() &&
            axes_in(parts.back()).empty())
          return shifts ? format("(1 << {})", tree_.text(parts.back()))
                        : std::string(tree_.text(parts.back()));
      }
      return {};
    };
    const auto follow_block = [&](int node, std::size_t axis) {
      int top = node;
      const std::vector<std::string> factors = factors_of(node, top);
      Axis& along = axes_[axis];
      if (!factors.empty()) {
        if (along.per_block.empty()) along.per_block = factors;
        return;
      }
      const int parent = tree_.syntax()[top].parent;
      if (parent >= 0 && tree_.kind(parent) == "init_declarator")
        if (const int name = tree_.name_in(parent); name >= 0) block_names[tree_.text(name)] = axis;
    };
    bool has_groups = false;  // cooperative groups number threads along x
    for (int node = function.node; node < tree_.syntax()[function.node].end; ++node) {
      const std::string_view is = tree_.kind(node);
      std::string_view of;
      has_groups = has_groups || tree_.text(node) == "this_thread_block" ||
                   tree_.text(node) == "thread_rank" || tree_.text(node) == "meta_group_rank";
      if (const auto axis = axis_of(node, of)) {
        Axis& along = axes_[*axis];
        along.has_threads = along.has_threads || of == "threadIdx" || of == "blockDim";
        along.has_blocks = along.has_blocks || of == "blockIdx" || of == "gridDim";
        along.asks_block = along.asks_block || of == "blockDim";
        along.asks_grid = along.asks_grid || of == "gridDim";
        if (of == "blockIdx") follow_block(node, *axis);
        if (const int parent = tree_.syntax()[node].parent;
            of == "threadIdx" && tree_.kind(parent) == "init_declarator")
          if (const int name = tree_.name_in(parent); name >= 0) thread_names[tree_.text(name)] = *axis;
      } else if (is == "identifier" && block_names.contains(tree_.text(node)) && !tree_.is_declared(node)) {
        follow_block(node, block_names[tree_.text(node)]);
      } else if (is == "init_declarator" || is == "assignment_expression") {
        const auto parts = tree_.syntax().parts(node);
        const int name = parts.empty()                               ? -1
                         : is == "init_declarator"                   ? tree_.name_in(parts.front())
                         : tree_.kind(parts.front()) == "identifier" ? parts.front()
                                                                     : -1;
        if (name >= 0 && parts.size() > 1) {
          const auto axes = axes_in(parts.back());
          // Steps of loops do not make an index of several axes one of one axis.
          if (!axes.empty()) variables[tree_.text(name)].insert(axes.begin(), axes.end());
          if (of_blocks(parts.back())) of_block.insert(tree_.text(name));
          if (std::string divisor = divisor_in(parts.back()); !divisor.empty())
            divided.emplace(tree_.text(name), std::move(divisor));
          if (axes.size() == 1 && thread_names.contains(tree_.text(parts.back())))
            thread_names[tree_.text(name)] = *axes.begin();
        }
      }
    }
    if (has_groups && !axes_[0].has_threads) axes_[0].has_threads = axes_[0].asks_block = true;
    for (int node = function.node; node < tree_.syntax()[function.node].end; ++node) {
      if (tree_.kind(node) == "binary_expression") read_bound(node, axes_in, of_blocks, divisor_in);
      if (tree_.kind(node) == "for_statement") read_stride(node, variables, thread_names);
    }
  }

  template<class AxesIn, class OfBlocks, class DivisorIn>
  void read_bound(int node, const AxesIn& axes_in, const OfBlocks& of_blocks,
                  const DivisorIn& divisor_in) const {
    const auto parts = tree_.syntax().parts(node);
    if (parts.size() != 2) return;
    const bool less = tree_.syntax().child_of_kind(node, "<") >= 0 ||
                      tree_.syntax().child_of_kind(node, "<=") >= 0,
               greater = tree_.syntax().child_of_kind(node, ">") >= 0 ||
                         tree_.syntax().child_of_kind(node, ">=") >= 0;
    if (!less && !greater) return;
    for (const bool swapped : {false, true}) {
      const auto axes = axes_in(parts[swapped ? 1 : 0]);
      const int other = parts[swapped ? 0 : 1];
      // `x > 0`, `0 < x`: what lies below is left out.
      if (axes.size() == 1 && tree_.kind(other) == "number_literal" && greater != swapped &&
          of_blocks(parts[swapped ? 1 : 0]))
        axes_[*axes.begin()].has_rim = axes_[*axes.begin()].has_rim || tree_.text(other) != "0" ||
                                       tree_.syntax().child_of_kind(node, ">") >= 0 ||
                                       tree_.syntax().child_of_kind(node, "<") >= 0;
      if (axes.size() != 1 || !axes_in(other).empty()) continue;
      Axis& axis = axes_[*axes.begin()];
      const int index = parts[swapped ? 1 : 0];
      const auto product = products_.find(tree_.text(other));
      (of_blocks(index) ? axis.bounds : axis.thread_bounds)
          .emplace_back(product == products_.end() ? tree_.text(other) : product->second);
      if (std::string divisor = divisor_in(index); !divisor.empty())
        axis.divisors.push_back(std::move(divisor));
    }
  }

  /// `for (int i = threadIdx.x; ...; i += STEP)`
  void read_stride(int node, const std::map<std::string_view, std::set<std::size_t>>& variables,
                   const std::map<std::string_view, std::size_t>& thread_names) const {
    for (const int part : tree_.syntax().parts(node)) {
      if (tree_.kind(part) != "assignment_expression" || tree_.syntax().child_of_kind(part, "+=") < 0)
        continue;
      const auto sides = tree_.syntax().parts(part);
      if (sides.size() != 2 || tree_.kind(sides[1]) != "identifier") continue;
      const auto variable = variables.find(tree_.text(sides[0]));
      if (variable == variables.end() || variable->second.size() != 1) continue;
      const std::size_t axis = *variable->second.begin();
      // Only from an index of threads alone is the step the block's extent.
      const int start = tree_.syntax().parts(node).front();
      bool of_threads = true;
      for (int below = start; below < tree_.syntax()[start].end; ++below) {
        std::string_view of;
        if (axis_of(below, of) && of != "threadIdx") of_threads = false;
        if (tree_.kind(below) == "identifier" && !tree_.is_declared(below) &&
            tree_.text(below) != tree_.text(sides[0]) && !thread_names.contains(tree_.text(below)) &&
            tree_.text(below) != "threadIdx")
          of_threads = false;
      }
      if (of_threads) axes_[axis].strides.emplace_back(tree_.text(sides[1]));
    }
  }

  static constexpr std::size_t max_steps = 2'000'000;           ///< a second
  std::map<std::string_view, std::string_view> products_ = {};  ///< of the function
  const SourceTree& tree_;
  std::array<Axis, 3>& axes_;
  mutable std::size_t steps_ = 0;
};

}  // namespace

void read_axes(const SourceTree& tree, const FunctionOfFile& function, std::array<Axis, 3>& axes) {
  AxesReader(tree, axes).read_axes(function);
}

}  // namespace tune::described
