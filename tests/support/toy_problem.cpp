// SPDX-License-Identifier: Apache-2.0
#include "tests/support/toy_problem.hpp"

#include "search/space/space_definition.hpp"

namespace tune::testing {

ToyProblem::ToyProblem() {
  info_.name = "toy";
  info_.summary = "doubles a vector";
  info_.extents = {{"nx", "elements", 1000}};
  info_.settings = {{"type", "of the elements", {"float"}, "float"}};
  info_.item = "element";
  info_.sources = {"toy.cu"};
}

search::SpaceDefinition ToyProblem::space(const Instance& instance, const DeviceProperties&) const {
  search::SpaceDefinition definition;
  definition.parameters = {
      {"kind",
       "what happens",
       {"plain", "broken_compile", "too_big", "wrong", "unwritten", "overrun", "faulting", "dying", "hanging",
        "crashing_compile", "hanging_compile"},
       "plain"},
      {"block", "threads per block", {32, 64, 128, 256}, 128},
      {"items", "elements a thread", {1, 2, 4}, 1},
  };
  definition.constants["nx"] = instance.extent("nx");
  return definition;
}

ProblemCost ToyProblem::cost(const Instance& instance) const {
  const auto count = static_cast<double>(instance.extent("nx"));
  return {.items = count, .flops = count, .bytes = 8 * count, .arithmetic = ElementType::f32};
}

Result<LaunchPlan> ToyProblem::plan(const Instance& instance, const Configuration& configuration,
                                    const KernelSources& sources) const {
  const auto count = static_cast<std::uint64_t>(instance.extent("nx"));
  LaunchPlan plan;
  plan.compile.source = {"toy.cu", sources.text("toy.cu")};
  plan.compile.entries = {"toy"};
  for (const auto& [name, value] : configuration.entries())
    plan.compile.defines.emplace_back(name, value.to_string());
  const Layout layout = Layout::dense({count});
  plan.buffers = {{"in", ElementType::f32, layout, BufferRole::input},
                  {"out", ElementType::f32, layout, BufferRole::output}};
  const auto block = static_cast<std::uint32_t>(configuration["block"].as_int());
  plan.launches = {Launch{.entry = "toy",
                          .grid = {static_cast<std::uint32_t>((count + block - 1) / block), 1, 1},
                          .block = {block, 1, 1},
                          .arguments = {BufferArgument{"in"}, BufferArgument{"out"}}}};
  return plan;
}

TensorSet ToyProblem::inputs(const Instance& instance, std::uint64_t seed) const {
  HostTensor in(ElementType::f32, {static_cast<std::uint64_t>(instance.extent("nx"))});
  search::Random random(seed);
  for (float& value : in.as<float>()) value = static_cast<float>(random.uniform());
  TensorSet set;
  set.emplace("in", std::move(in));
  return set;
}

TensorSet ToyProblem::reference(const Instance&, const TensorSet& inputs) const {
  const HostTensor& in = inputs.at("in");
  HostTensor out(ElementType::f64, in.extents());
  for (std::size_t i = 0; i < in.size(); ++i)
    out.as<double>()[i] = 2.0 * static_cast<double>(in.as<float>()[i]);
  TensorSet set;
  set.emplace("out", std::move(out));
  return set;
}

Tolerance ToyProblem::tolerance(const Instance&) const {
  return {1e-6, "doubling is exact"};
}

std::vector<Instance> ToyProblem::check_instances(const Instance&, const Configuration&) const {
  return {toy_instance(37)};
}

Instance toy_instance(std::int64_t nx) {
  return {"toy", {{"nx", nx}}, {{"type", "float"}}};
}

search::SearchSpace toy_space(const std::string& where) {
  return search::SearchSpace(
      search::restrict_to(ToyProblem().space(toy_instance(1000), {}), search::Expr::parse(where)));
}

}  // namespace tune::testing
