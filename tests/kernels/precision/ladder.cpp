// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/precision/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/precision/losses.hpp"
#include "tests/support/covering.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::testing {
namespace {

std::vector<std::string> variants_of(const Problem& problem, const Instance& instance) {
  std::vector<std::string> variants;
  for (const search::Parameter& parameter :
       problem.space(instance, architecture_properties("sm_90")).parameters)
    if (parameter.name == "variant")
      for (const Value& value : parameter.values) variants.push_back(value.as_text());
  if (variants.empty()) variants = {""};
  return variants;
}

/// Whether the kernels that a plan compiles load vectors.
bool loads_vectors(const Problem& problem, const Instance& instance, const Configuration& configuration) {
  const EmbeddedSources sources;
  const auto plan = problem.plan(instance, configuration, sources);
  if (!plan) return false;
  const auto loads = [](const SourceFile& file) {
    return file.name.find("vectors.cuh") == std::string::npos &&
           file.text.find("load_vector<") != std::string::npos;
  };
  return loads(plan->compile.source) || std::ranges::any_of(plan->compile.headers, loads);
}

std::vector<Configuration> configurations_of(const Problem& problem, const Instance& instance,
                                             const std::string& variant, std::size_t drawn) {
  const std::string where = variant.empty() ? "True" : "variant == '" + variant + "'";
  if (drawn == 0) {
    const auto one = configuration_where(problem, instance, where);
    return one ? std::vector{*one} : std::vector<Configuration>();
  }
  const search::SearchSpace space(search::restrict_to(
      problem.space(instance, architecture_properties("sm_90")), search::Expr::parse(where)));
  search::Random random(5);
  std::vector<Configuration> all;
  for (std::size_t i = 0; i < drawn && !space.empty(); ++i) all.push_back(space.at(space.sample(random)));
  return all.empty() ? all : tune::testing::covering(all, false);
}

}  // namespace

void expect_losses_found(const std::string& name, std::size_t drawn) {
  const std::unique_ptr<Problem> problem = make_problem(name);
  tune::testing::EmulatedSample sample(*problem);
  for (const char* type : {"double", "float"}) {
    const auto sources = narrowed_loads(type);
    const std::vector<std::pair<std::string, Value>> settings = {{"type", type}};
    const Instance instance = make_instance(problem->info(), "", settings);
    for (const std::string& variant : variants_of(*problem, instance))
      for (const Configuration& one : configurations_of(*problem, instance, variant, drawn))
        if (loads_vectors(*problem, instance, one))
          sample.add(one, small_sizes(*problem, instance, one), sources);
  }
  expect_wrong_results(sample);
}

}  // namespace tune::kernels::testing
