// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/problem.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/slabs.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/reference/growth.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t max_steps = 1'000'000;

/// Returns the built-in shapes of this number of dimensions, and the user's own.
SettingInfo shape_setting(int dimensions, const std::optional<OwnStencil>& own) {
  SettingInfo setting;
  setting.name = "shape";
  for (const StencilShape& shape : stencil_shapes()) {
    if (dimensions == 2 ? !shape.in_2d : !shape.in_3d) continue;
    setting.values.emplace_back(std::string(shape.name));
    setting.documentation +=
        format("{}{}: {}", setting.documentation.empty() ? "" : "; ", shape.name, shape.summary);
  }
  setting.default_value = setting.values.front();
  if (!own) return setting;
  setting.values.emplace_back(own->shape);
  setting.default_value = setting.values.back();
  return setting;
}

ProblemInfo make_info(int dimensions, const std::optional<OwnStencil>& own) {
  ProblemInfo info;
  info.name = format("stencil{}d", dimensions);
  info.summary = format("time steps of a {}-D stencil", dimensions);
  if (dimensions == 3)
    info.extents = {{"nx", "cells along x, the fastest dimension", 512},
                    {"ny", "cells along y", 512},
                    {"nz", "cells along z", 512}};
  else
    info.extents = {{"nx", "cells along x, the fastest dimension", 8192}, {"ny", "cells along y", 8192}};
  std::vector<Value> radii;
  for (int radius = 1; radius <= max_radius; ++radius) radii.emplace_back(radius);
  const int own_radius = own ? own->stencil.radius() : 1;
  if (own) radii = {own_radius};
  info.settings = {
      {"type", "type of a cell", {"float", "double"}, "float"},
      shape_setting(dimensions, own),
      {"radius", "how far the stencil reaches along each axis [cells]", radii, own_radius},
      {"coefficients",
       "general: every point has a weight of its own; symmetric: mirrored points have equal ones",
       {"general", "symmetric"},
       "general",
       true},
      {"boundary",
       "held: cells that miss a neighbour keep their value; zero: the array continues with zeros",
       {"held", "zero"},
       "held",
       true},
      {"steps", "time steps, each on the result of the one before", {}, 1, true, {{1, max_steps}}},
      {"gpus",
       "GPUs of this machine that compute together, each a slab of the slowest axis",
       {},
       1,
       true,
       {{1, max_devices}}},
  };
  info.item = "cell update";
  info.sources = stencil_files().names();
  return info;
}

/// Returns the operations of a real transform forth and back (5/2 n log2 n each) and of the product of the
/// spectra: the cheapest step of a stencil with many points. (One transform for many steps costs less, but
/// held edges need other launches as well.)
double transform_flops(double cells) {
  return 5 * cells * std::log2(std::max(2.0, cells)) + 3 * cells;
}

ProblemCost stencil_cost(const StencilJob& job) {
  const auto [fixed_x, fixed_y, fixed_z] = job.fixed_cells();
  const auto inner = [](std::int64_t extent, int fixed_cells) {
    return static_cast<double>(std::max<std::int64_t>(0, extent - 2 * fixed_cells));
  };
  const auto points = static_cast<double>(job.stencil.points.size());
  const double computed = inner(job.nx, fixed_x) * inner(job.ny, fixed_y) * inner(job.nz, fixed_z);
  ProblemCost cost;
  // Operations and bytes are those of one GPU, because limits are.
  const auto gpus = static_cast<double>(job.gpus);
  cost.items = job.cells() * static_cast<double>(job.steps);
  cost.flops = std::min(computed * (2 * points - 1), transform_flops(job.cells())) *
               static_cast<double>(job.steps) / gpus;
  cost.bytes = 2 * job.cells() * job.element_bytes() / gpus;
  cost.arithmetic = job.type;
  return cost;
}

Result<LaunchPlan> plan_stencil(const StencilJob& job, const Configuration& configuration,
                                const KernelSources& sources) {
  if (job.gpus > 1) return plan_slabs(job, configuration, sources);
  return stencil_variants().of(configuration).plan(job, configuration, sources);
}

TensorSet stencil_inputs(const StencilJob& job, std::uint64_t seed) {
  return tensor_set("in", stencil_input(job, seed));
}

TensorSet stencil_outputs(const StencilJob& job, const TensorSet& inputs) {
  return tensor_set("out", stencil_reference(job, inputs.find("in")->second));
}

std::vector<CheckedSize> checked_sizes(const StencilJob& job, const Configuration& configuration) {
  std::vector<CheckedSize> sizes;
  for (const CheckSize& size : job.gpus > 1
                                   ? slab_sizes(job, configuration)
                                   : stencil_variants().of(configuration).checked(job, configuration)) {
    CheckedSize& checked = sizes.emplace_back();
    checked.extents = {{"nx", size.nx}, {"ny", size.ny}, {"nz", size.nz}};
    if (job.dimensions == 2) checked.extents = {{"nx", size.nx}, {"ny", size.nz}};
    checked.settings = {{"steps", size.steps}};
  }
  return sizes;
}

/// Returns a number of steps that ranks configurations as all steps do, where that saves time: most numbers
/// of fused steps divide it, so that no launch of the remaining steps distorts the order.
std::optional<std::int64_t> few_steps(const StencilJob& job) {
  constexpr double min_updates = 2e9;  // fewer take some milliseconds, no longer than the checks
  constexpr std::int64_t min_saving = 4;
  if (job.cells() * static_cast<double>(job.steps) < min_updates) return std::nullopt;
  // Several GPUs need several exchanges.
  const std::int64_t more = job.gpus > 1 ? 2 : 1;
  for (const std::int64_t steps : {48 * more, 24 * more})
    if (steps * min_saving <= job.steps) return steps;
  return std::nullopt;
}

/// Throws UsageError where the steps lead out of the type's range.
StencilJob job_within_range(const Instance& instance, const std::optional<OwnStencil>& own) {
  StencilJob job = stencil_job(instance, own);
  if (const std::string reason = leaves_range(job); !reason.empty())
    throw UsageError(format("--set steps={}: {}: take fewer steps{} or a stable scheme", job.steps, reason,
                            job.type == ElementType::f64 ? "" : ", type=double"));
  if (const std::string reason = cannot_cut(job); !reason.empty()) throw UsageError(reason);
  return job;
}

class StencilProblem : public FamilyProblem<StencilJob> {
 public:
  StencilProblem(int dimensions, const std::optional<OwnStencil>& own)
      : FamilyProblem(
            make_info(dimensions, own),
            {[own](const Instance& instance) { return job_within_range(instance, own); }, stencil_space,
             stencil_cost, plan_stencil, stencil_inputs, stencil_outputs, step_tolerance, checked_sizes}) {}

  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override {
    if (!plan_replaces_reference(instance)) return std::nullopt;
    return plan_stencil_reference(job(instance), sources);
  }
  std::optional<Instance> low_fidelity(const Instance& instance) const override {
    const std::optional<std::int64_t> steps = few_steps(job(instance));
    if (!steps) return std::nullopt;
    Instance cheaper = instance;
    for (auto& [name, value] : cheaper.settings)
      if (name == "steps") value = *steps;
    return cheaper;
  }
  double least_seconds(const Instance& instance, const Value& variant,
                       const DeviceProperties& device) const override {
    return stencil_variants().least_seconds(slab_job(job(instance)), variant, device);
  }
  bool plan_replaces_reference(const Instance& instance) const override { return takes_long(job(instance)); }
};

}  // namespace

StencilJob stencil_job(const Instance& instance, const std::optional<OwnStencil>& own) {
  StencilJob job;
  job.dimensions = instance.problem == "stencil2d" ? 2 : 3;
  job.nx = instance.extent("nx");
  job.ny = job.dimensions == 2 ? 1 : instance.extent("ny");
  job.nz = instance.extent(job.dimensions == 2 ? "ny" : "nz");
  job.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  job.boundary =
      instance.setting_or("boundary", "held").as_text() == "zero" ? Boundary::zero : Boundary::fixed;
  job.steps = instance.setting_or("steps", 1).as_int();
  job.gpus = instance.setting_or("gpus", 1).as_int();
  const std::string& shape = instance.setting("shape").as_text();
  const auto radius = static_cast<int>(instance.setting("radius").as_int());
  if (own && shape == own->shape) {
    job.stencil = in_kernel_axes(own->stencil);
    if (radius != job.stencil.radius())
      throw UsageError(
          format("--set: the stencil {} has radius {}, not {}", shape, job.stencil.radius(), radius));
    return job;
  }
  for (const StencilShape& known : stencil_shapes())
    if (known.name == shape && known.radius != 0 && known.radius != radius)
      throw UsageError(format("--set: shape={} has radius {}: --set shape={},radius={}", shape, known.radius,
                              shape, known.radius));
  const bool symmetric = instance.setting_or("coefficients", "general").as_text() == "symmetric";
  try {
    job.stencil = in_kernel_axes(make_stencil(shape, radius, job.dimensions, symmetric));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  return job;
}

std::unique_ptr<Problem> make_stencil3d() {
  return std::make_unique<StencilProblem>(3, std::nullopt);
}
std::unique_ptr<Problem> make_stencil2d() {
  return std::make_unique<StencilProblem>(2, std::nullopt);
}
std::unique_ptr<Problem> make_stencil_problem(OwnStencil own) {
  const int dimensions = own.stencil.dimensions;
  return std::make_unique<StencilProblem>(dimensions, own);
}

}  // namespace tune::kernels
