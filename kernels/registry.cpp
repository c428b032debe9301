// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.hpp"

#include <cctype>
#include <iterator>

#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr ProblemEntry table[] = {
    {"stencil3d", make_stencil3d},
    {"stencil2d", make_stencil2d},
    {"gemm", make_gemm},
    {"gemm_stream", make_gemm_stream},
    {"matvec", make_matvec},
    {"conv2d_separable", make_conv2d_separable},
    {"histogram", make_histogram},
    {"grid_knn", make_grid_knn},
    {"rotate", make_rotate},
    {"triangle_count", make_triangle_count},
    {"fault_injection", make_fault_injection},
    // Of the processor, the last ones:
    {"gemm_host", make_gemm_host},
};
constexpr std::size_t of_processor = 1;

/// Returns the text with only letters, digits, `_`, `.` and `-`, as the value of a setting.
std::string setting_text(std::string text) {
  for (char& c : text) {
    const auto plain = static_cast<unsigned char>(c);
    if (std::isalnum(plain) == 0 && c != '_' && c != '.') c = '-';
  }
  return text;
}

}  // namespace

std::span<const ProblemEntry> problems() {
  return table;
}

std::span<const ProblemEntry> gpu_problems() {
  return std::span(table).first(std::size(table) - of_processor);
}

const ProblemEntry* find_problem(std::string_view name) {
  for (const ProblemEntry& entry : table)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::unique_ptr<Problem> make_problem(std::string_view name) {
  if (const ProblemEntry* entry = find_problem(name)) return entry->make();
  std::vector<std::string> names;
  for (const ProblemEntry& entry : table) names.emplace_back(entry.name);
  const auto nearest = search::nearest_name(std::string(name), names);
  throw UsageError(format("unknown problem '{}'{}", name,
                          nearest ? format("; did you mean '{}'?", *nearest)
                                  : std::string("; 'tune list problems' shows the known ones")));
}

ProblemOfFile make_problem_of_stencil(const std::string& file, std::string_view name) {
  const StencilDefinition definition = read_stencil_file(file);
  const Stencil& stencil = definition.stencil;
  const std::string problem = format("stencil{}d", stencil.dimensions);
  if (!name.empty() && name != problem)
    throw UsageError(format("--stencil: {} has {} dimensions: it is work for --problem {}", file,
                            stencil.dimensions, problem));
  if (stencil.radius() > max_radius)
    throw UsageError(format("--stencil: {} reaches {} cells; the kernels reach {} at most", file,
                            stencil.radius(), max_radius));
  const std::string own = setting_text(definition.name) + "-" + definition_hash(stencil);
  return {make_stencil_problem({own, stencil}), {"shape", own}, {"shape", "radius"}};
}

}  // namespace tune::kernels
