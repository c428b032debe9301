// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/definition.hpp"

#include "kernels/described/problem.hpp"
#include "search/expressions/expr.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/hostile/sound_inputs.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

// Files of definitions, ours and T1: read, checked against their kernel, and asked for everything that needs
// no device.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  static const bool prepared = [] {
    tune::testing::written("k.cu", tune::testing::sound::kernel);
    tune::testing::written("more.cuh", "#pragma once\n");
    return true;
  }();
  static const DeviceProperties device = architecture_properties("sm_90");
  tune::testing::require(prepared, "the kernel's files are written");
  const std::filesystem::path file = tune::testing::written("own.json", tune::testing::bytes_of(data, size));
  try {
    const described::DescribedProblem problem(described::read_definition(file));
    const Instance instance = make_instance(problem.info(), "", {});
    const search::SpaceDefinition space = problem.space(instance, device);
    problem.cost(instance);
    problem.run_defaults();
    search::Configuration defaults;
    for (const search::Parameter& parameter : space.parameters)
      defaults.set(parameter.name, parameter.default_value);
    if (problem.is_command()) problem.command(instance, defaults);
    problem.check_instances(instance, defaults);
    problem.tolerance(instance);
  } catch (const Error&) {
  } catch (const search::ExprError&) {
  }
  return 0;
}
