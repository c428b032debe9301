// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/described/readers/t1.hpp"
#include "tuner/base/format.hpp"

namespace tune::definition::t1 {
namespace {

constexpr const char* axes[] = {"X", "Y", "Z"};

/// Quotients of the grid: ceil(ProblemSize[axis] / (a * b)).
std::string divided(const JsonField& divisors, std::size_t axis) {
  std::string product;
  for (const JsonField& one : divisors.one_or_more())
    product += (product.empty() ? "(" : " * (") + one.formula() + ")";
  return product.empty() ? format("ProblemSize[{}]", axis)
                         : format("ceil_div(ProblemSize[{}], {})", axis, product);
}

/// The size along an axis: a member X, Y or Z, or an element of a list.
std::optional<JsonField> along(const std::optional<JsonField>& size, std::size_t axis) {
  if (!size) return std::nullopt;
  if (size->is_object()) return size->find(axes[axis]);
  const std::vector<JsonField> all = size->one_or_more();
  return axis < all.size() ? std::optional(all[axis]) : std::nullopt;
}

/// Without LocalSize: the block's extents have these names in the tuner that most definitions come from.
void read_named_block(const JsonField& kernel, const Definition& definition, LaunchDefinition& launch) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = format("block_size_{}", "xyz"[i]);
    if (std::ranges::find(definition.parameters, name, &search::Parameter::name) !=
        definition.parameters.end())
      launch.block[i] = Formula{name, kernel};
  }
  if (!launch.block[0]) kernel.fail("expected a field 'LocalSize', or a parameter block_size_x");
}

/// Memory of a block that the host asks for: SharedMemory, and arguments whose MemoryType is Local.
void read_shared_memory(const JsonField& kernel, LaunchDefinition& launch) {
  std::string bytes;
  std::optional<JsonField> place = kernel.find("SharedMemory");
  if (place) bytes = place->formula();
  const auto arguments = kernel.find("Arguments");
  for (const JsonField& argument : arguments ? arguments->elements() : std::vector<JsonField>()) {
    const auto memory = argument.find("MemoryType");
    if (!memory || word(*memory) != "local") continue;
    Argument read{"", argument};
    read_type(argument.at("Type"), read);
    place = argument.at("Size");
    bytes += format("{}({}) * {}", bytes.empty() ? "" : " + ", place->formula(),
                    element_size(read.type) * static_cast<std::size_t>(read.components));
  }
  if (place) launch.shared = Formula{bytes, *place};
}

}  // namespace

void read_launch(const JsonField& kernel, Definition& definition) {
  LaunchDefinition launch;
  launch.entry = kernel.at("KernelName").text();
  const auto local = kernel.find("LocalSize");
  const auto global = kernel.find("GlobalSize");
  const auto type = kernel.find("GlobalSizeType");
  const bool in_threads = type && word(*type) == "opencl";
  const bool named = kernel.find("GridDivX") || kernel.find("GridDivY") || kernel.find("GridDivZ");
  const bool divisors = named && !definition.extents.empty();
  if (!global && named && !divisors) kernel.fail("GridDivX needs a field 'ProblemSize'");
  if (!global && !divisors) kernel.fail("expected a field 'GlobalSize', or 'ProblemSize' with 'GridDivX'");
  if (!local) read_named_block(kernel, definition, launch);
  for (std::size_t i = 0; i < 3; ++i) {
    if (const auto block = along(local, i)) launch.block[i] = Formula{block->formula(), *block};
    if (divisors) {
      const auto by = kernel.find(std::string("GridDiv") + axes[i]);
      if (by) launch.grid[i] = Formula{divided(*by, i), *by};
      // An axis of the problem without divisors is divided by nothing, as in the tuner these fields come
      // from.
      else if (i < definition.extents.size())
        launch.grid[i] = Formula{format("ProblemSize[{}]", i), kernel.at("ProblemSize")};
    } else if (const auto blocks = along(global, i)) {
      const std::string threads = launch.block[i] ? launch.block[i]->text : "1";
      // A block that is only partly needed is needed.
      launch.grid[i] = Formula{in_threads ? format("ceil_div({}, {})", blocks->formula(), threads)
                                          : format("ceil({})", blocks->formula()),
                               *blocks};
    }
  }
  read_shared_memory(kernel, launch);
  for (const Argument& argument : definition.arguments) launch.arguments.push_back(argument.name);
  definition.launches.push_back(std::move(launch));
}

}  // namespace tune::definition::t1
