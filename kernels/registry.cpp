// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.hpp"

#include "kernels/convolution/problem.hpp"
#include "kernels/fault_injection/fault_injection.hpp"
#include "kernels/gemm/problem.hpp"
#include "kernels/gemm_stream/problem.hpp"
#include "kernels/matvec/problem.hpp"
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
    {"fault_injection", make_fault_injection},
};

}  // namespace

std::span<const ProblemEntry> problems() {
  return table;
}

std::unique_ptr<Problem> make_problem(std::string_view name) {
  std::vector<std::string> names;
  for (const ProblemEntry& entry : table) {
    if (entry.name == name) return entry.make();
    names.emplace_back(entry.name);
  }
  const auto nearest = search::nearest_name(std::string(name), names);
  throw UsageError(format("unknown problem '{}'{}", name,
                          nearest ? format("; did you mean '{}'?", *nearest)
                                  : std::string("; 'tune list problems' shows the known ones")));
}

}  // namespace tune::kernels
