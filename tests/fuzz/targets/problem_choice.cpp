// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "cli/input/problem_selection.hpp"
#include "kernels/registry.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

// Lines: a letter for the problem, --size, --set, --fix, --where.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  static const std::vector<std::unique_ptr<Problem>> problems = [] {
    std::vector<std::unique_ptr<Problem>> all;
    for (const kernels::ProblemEntry& entry : kernels::problems())
      all.push_back(kernels::make_problem(entry.name));
    return all;
  }();
  static const DeviceProperties device = architecture_properties("sm_90");
  std::string_view text = tune::testing::bytes_of(data, size);
  const std::string_view letter = tune::testing::next_part(text);
  const std::string extents(tune::testing::next_part(text)), settings(tune::testing::next_part(text)),
      fixed(tune::testing::next_part(text)), where(tune::testing::next_part(text));
  const Problem& problem =
      *problems[letter.empty() ? 0 : static_cast<unsigned char>(letter.front()) % problems.size()];
  try {
    const Instance instance =
        make_instance(problem.info(), extents,
                      settings.empty() ? cli::Assignments() : cli::parse_assignments(settings, "set"));
    cli::SpaceChoice choice;
    if (!fixed.empty()) choice.pinned = cli::parse_assignments(fixed, "fix");
    choice.where = where;
    choice.applied_to(problem.space(instance, device));
    problem.cost(instance);
  } catch (const Error&) {
  }
  return 0;
}
