// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "search/random.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {
namespace {

constexpr const char* file = "fault_injection/fault_injection.cu";

/// No device has as many.
constexpr std::uint64_t impossible_elements = std::uint64_t{1} << 46;

std::uint64_t elements(const Instance& instance) {
  return static_cast<std::uint64_t>(instance.extent("n"));
}

class FaultInjection : public Problem {
 public:
  FaultInjection() {
    info_.name = "fault_injection";
    info_.summary = "kernels that fail in every way, to test that a run survives";
    info_.extents = {{"n", "elements", 1 << 22}};
    info_.item = "element";
    info_.sources = {file};
  }

  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance&, const DeviceProperties&) const override {
    using search::Expr;
    search::SpaceDefinition definition;
    std::vector<Value> items;
    for (int i = 1; i <= 20; ++i) items.emplace_back(i);
    definition.parameters = {
        {"behaviour",
         "what the kernel does",
         {"right", "illegal_address", "hang", "out_of_bounds", "wrong_value", "out_of_memory",
          "compile_error"},
         "right"},
        {"block", "threads of a block", {32, 64, 128, 256, 384, 512, 1024}, 128},
        {"items", "elements that a thread computes", items, 1},
    };
    definition.constraints = {{Expr::parse("behaviour == 'right' or (block == 128 and items <= 10)"),
                               "ten configurations of each failure are enough"}};
    return definition;
  }

  ProblemCost cost(const Instance& instance) const override {
    const auto n = static_cast<double>(elements(instance));
    return {.items = n, .flops = 2 * n, .bytes = 8 * n, .arithmetic = ElementType::f32};
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    const std::uint64_t n = elements(instance);
    const std::string behaviour = configuration["behaviour"].as_text();
    const std::int64_t block = configuration["block"].as_int();
    const std::int64_t items = configuration["items"].as_int();
    LaunchPlan plan;
    plan.compile.source = {file, sources.text(file)};
    plan.compile.defines = {{"BEHAVIOUR", "Behaviour::" + behaviour},
                            {"BLOCK", std::to_string(block)},
                            {"ITEMS", std::to_string(items)}};
    plan.compile.entries = {"fault_injection"};
    plan.buffers = {{"in", ElementType::f32, Layout::dense({n}), BufferRole::input},
                    {"out", ElementType::f32, Layout::dense({n}), BufferRole::output}};
    if (behaviour == "out_of_memory")
      plan.buffers.push_back(
          {"scratch", ElementType::f32, Layout::dense({impossible_elements}), BufferRole::scratch});
    Launch launch;
    launch.entry = "fault_injection";
    const auto tile = static_cast<std::uint64_t>(block * items);
    const std::uint64_t blocks = (n + tile - 1) / tile;
    if (blocks > 0x7fffffff) return fail(Phase::constraint, "extent", "more blocks than a grid has");
    launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    launch.block = {static_cast<std::uint32_t>(block), 1, 1};
    launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"},
                        ScalarArgument{static_cast<std::int64_t>(n)}};
    plan.launches = {launch};
    return plan;
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    HostTensor in(ElementType::f32, {elements(instance)});
    search::Random random(seed);
    for (float& value : in.as<float>()) value = static_cast<float>(random.uniform());
    TensorSet set;
    set.emplace("in", std::move(in));
    return set;
  }

  TensorSet reference(const Instance&, const TensorSet& inputs) const override {
    const auto in = inputs.at("in").as<float>();
    HostTensor out(ElementType::f64, {in.size()});
    const auto to = out.as<double>();
    throw_if_stopped();
    for (std::size_t i = 0; i < in.size(); ++i) to[i] = 3.0 * static_cast<double>(in[i]) + 1.0;
    TensorSet set;
    set.emplace("out", std::move(out));
    return set;
  }

  Tolerance tolerance(const Instance&) const override {
    return {2 * 0x1.0p-24 * 4, "two roundings of numbers up to 4"};
  }

  std::vector<Instance> check_instances(const Instance& instance, const Configuration&) const override {
    std::vector<Instance> instances;
    for (const std::int64_t n : {1, 1023, 70001}) {
      instances.push_back(instance);
      instances.back().extents = {{"n", n}};
    }
    return instances;
  }

 private:
  ProblemInfo info_;
};

}  // namespace

/// Computes out = 3 in + 1 over n elements. 60 of 200 configurations fault, hang, write out of bounds, are
/// wrong, exhaust the memory or do not compile: a run on a device must survive them and report each
/// correctly. Buffers `in` and `out`, and for one behaviour `scratch`.
std::unique_ptr<Problem> make_fault_injection() {
  return std::make_unique<FaultInjection>();
}

}  // namespace tune::kernels
