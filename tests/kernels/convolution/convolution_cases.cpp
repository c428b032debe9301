// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/convolution/convolution_cases.hpp"

#include <map>
#include <memory>

#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/space_definition.hpp"
#include "tests/support/covering.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::testing {

Instance convolution_instance(const ConvolutionCase& what, std::int64_t nx, std::int64_t ny) {
  return {"conv2d_separable", {{"nx", nx}, {"ny", ny}}, {{"type", what.type}, {"radius", what.radius}}};
}

search::SearchSpace convolution_space_on(const ConvolutionCase& what, const std::string& architecture,
                                         const std::string& where) {
  const auto problem = make_conv2d_separable();
  return search::SearchSpace(search::restrict_to(
      problem->space(convolution_instance(what, what.nx, what.ny), architecture_properties(architecture)),
      search::Expr::parse(where)));
}

std::vector<Configuration> covering_sample(const ConvolutionCase& what, const std::string& architecture,
                                           const std::string& where, std::size_t drawn, std::uint64_t seed) {
  const search::SearchSpace space = convolution_space_on(what, architecture, where);
  search::Random random(seed);
  std::vector<Configuration> sample;
  for (std::size_t i = 0; i < drawn && !space.empty(); ++i) sample.push_back(space.at(space.sample(random)));
  return tune::testing::covering(sample);
}

std::vector<emulator::CheckVerdict> emulate_convolutions(const ConvolutionCase& what,
                                                         const std::vector<Configuration>& configurations,
                                                         const KernelSources& sources) {
  const auto problem = make_conv2d_separable();
  const Instance instance = convolution_instance(what, what.nx, what.ny);
  std::map<std::string, std::shared_ptr<ReferenceData>> expected;
  std::vector<emulator::CheckJob> jobs;
  for (const Configuration& configuration : configurations) {
    emulator::CheckJob job;
    for (const Instance& check : problem->check_instances(instance, configuration)) {
      std::shared_ptr<ReferenceData>& one = expected[check.key()];
      if (!one) {
        one = std::make_shared<ReferenceData>();
        one->inputs = problem->inputs(check, 1);
        one->reference = problem->reference(check, one->inputs);
        one->tolerance = problem->tolerance(check);
      }
      job.cases.push_back({check.key(), problem->plan(check, configuration, sources).value(), one});
    }
    jobs.push_back(std::move(job));
  }
  emulator::CheckOptions options;
  options.workers = 2;
  std::vector<emulator::CheckVerdict> verdicts(jobs.size());
  emulator::check(
      jobs.size(), [&](std::size_t number) { return jobs[number]; }, options,
      [&](std::size_t number, emulator::CheckVerdict verdict) {
        verdicts[number] = std::move(verdict);
        return true;
      });
  return verdicts;
}

std::string complaint_of(const emulator::CheckVerdict& verdict) {
  std::string text = verdict.not_emulated;
  for (const emulator::Finding& finding : verdict.findings) text += finding.text() + "\n";
  if (text.empty() && verdict.tolerance == 0) text = "the output was not compared";
  return text;
}

}  // namespace tune::kernels::testing
