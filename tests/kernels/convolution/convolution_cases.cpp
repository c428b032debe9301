// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/convolution/convolution_cases.hpp"

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

}  // namespace tune::kernels::testing
