// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/fft/fft.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/model/rounding.hpp"
#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/sweeps.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t threads = 256;

std::int64_t smooth(std::int64_t extent) {
  for (std::int64_t candidate = extent;; ++candidate) {
    std::int64_t rest = candidate;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return candidate;
  }
}

/// Everything that the steps of a plan have in common.
class FftPlan {
 public:
  FftPlan(const StencilJob& job, const Configuration& configuration)
      : job_(job),
        fused_(configuration["fused"].as_int()),
        in_place_(configuration.has("in_place") && configuration["in_place"].as_bool()),
        convolved_(configuration["last_axis"].as_text() == "convolve"),
        tables_(configuration.has("spectrum") && configuration["spectrum"].as_text() == "tables"),
        chunk_(convolved_ ? configuration["chunk"].as_int() : 1),
        extents_{job.nx, job.ny, job.nz} {
    if (configuration["transform"].as_text() == "smooth") extents_ = smooth_extents(job);
    if (convolved_) extents_[2] = job.nz;
    padded_ = extents_ != std::array{job.nx, job.ny, job.nz};
    values_ = extents_[0] / 2 + 1;
    const auto pitch = static_cast<std::uint64_t>(in_place_ ? 2 * values_ : extents_[0]);
    layout_.extents = job.extents();
    layout_.strides = {1, pitch, pitch * static_cast<std::uint64_t>(extents_[1])};
    layout_.allocation = layout_.strides[2] * static_cast<std::uint64_t>(extents_[2]);
  }

  LaunchPlan plan() const {
    LaunchPlan plan;
    add_buffers(plan);
    add_setup(plan);
    std::string source = "in";
    for (std::int64_t pass = 0; pass < passes(); ++pass) {
      const std::string target = (passes() - 1 - pass) % 2 == 0 ? "out" : "other";
      add_pass(plan, pass < full_passes() ? fused_ : rest(), source, target);
      source = target;
    }
    // Whether an array has to be copied depends on the extents, and what is compiled shall not.
    plan.compile.entries = {"fft_clear_around", "stencil_rim"};
    auto& entries = plan.compile.entries;
    if (convolved_)
      entries.insert(entries.begin(), {"fft_taps", "fft_fold_taps", "fft_convolve"});
    else
      entries.insert(entries.begin(), {tables_ ? "fft_tables" : "fft_filter", "fft_multiply"});
    plan.tolerance = fft_tolerance(job_, {extents_, fused_, tables_, convolved_});
    return plan;
  }

  std::int64_t tap_radius() const { return job_.stencil.radii()[2] * fused_; }

 private:
  std::int64_t full_passes() const { return job_.steps / fused_; }
  std::int64_t rest() const { return job_.steps % fused_; }
  std::int64_t passes() const { return full_passes() + (rest() > 0 ? 1 : 0); }
  const char* filter() const { return tables_ ? "tables" : "filter"; }
  std::int64_t modes() const { return values_ * extents_[1] * extents_[2]; }
  std::int64_t plane_modes() const { return values_ * extents_[1]; }
  const char* buffer_of_taps(std::int64_t steps) const {
    return steps == fused_ ? "taps" : steps == 1 ? "step_taps" : steps % 2 == 0 ? "even_taps" : "odd_taps";
  }

  void add_buffers(LaunchPlan& plan) const {
    const std::int64_t max = full_passes() > 0 ? fused_ : rest();
    const auto add = [&](const char* name, BufferRole role, const Layout& layout) {
      plan.buffers.push_back({name, job_.type, layout, role, in_place_ || padded_});
    };
    add("in", BufferRole::input, layout_);
    add("out", BufferRole::output, layout_);
    if (passes() > 1) add("other", BufferRole::scratch, layout_);
    if (max > 1) add("rim_odd", BufferRole::scratch, layout_);
    if (max > 2) add("rim_even", BufferRole::scratch, layout_);
    const Layout spectrum =
        Layout::dense({static_cast<std::uint64_t>(2 * values_), static_cast<std::uint64_t>(extents_[1]),
                       static_cast<std::uint64_t>(extents_[2])});
    if (!in_place_) add("modes", BufferRole::scratch, spectrum);
    if (convolved_) {
      add("convolved", BufferRole::scratch, spectrum);
      add_tap_buffers(plan);
      return;
    }
    if (tables_)
      add("tables", BufferRole::scratch,
          Layout::dense({static_cast<std::uint64_t>(2 * (values_ + extents_[1] + extents_[2]))}));
    else
      add("filter", BufferRole::scratch, spectrum);
  }

  void add_tap_buffers(LaunchPlan& plan) const {
    const auto count = static_cast<std::uint64_t>(2 * plane_modes() * (2 * tap_radius() + 1));
    for (std::int64_t steps = 1; steps <= std::min<std::int64_t>(fused_, 3); ++steps)
      plan.buffers.push_back(
          {buffer_of_taps(steps), job_.type, Layout::dense({count}), BufferRole::scratch, true});
    if (fused_ > 3)
      plan.buffers.push_back({"taps", job_.type, Layout::dense({count}), BufferRole::scratch, true});
  }

  void add_taps(LaunchPlan& plan) const {
    const std::int64_t radius = job_.stencil.radii()[2];
    Launch one = element_wise("fft_taps", plane_modes() * (2 * radius + 1));
    one.arguments = {BufferArgument{buffer_of_taps(1)}};
    add_plane_extents(one);
    plan.setup.emplace_back(std::move(one));
    for (std::int64_t steps = 1; steps < fused_; ++steps) {
      Launch fold = element_wise("fft_fold_taps", plane_modes() * (2 * radius * (steps + 1) + 1));
      fold.arguments = {BufferArgument{buffer_of_taps(1)}, BufferArgument{buffer_of_taps(steps)},
                        BufferArgument{buffer_of_taps(steps + 1)}};
      add_plane_extents(fold);
      fold.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(steps)});
      plan.setup.emplace_back(std::move(fold));
    }
  }

  void add_setup(LaunchPlan& plan) const {
    if (convolved_) return add_taps(plan);
    if (tables_) {
      Launch tables = element_wise("fft_tables", values_ + extents_[1] + extents_[2]);
      tables.arguments = {BufferArgument{"tables"}};
      add_extents(tables);
      plan.setup.emplace_back(std::move(tables));
      return;
    }
    Launch filter = element_wise("fft_filter", extents_[0] * extents_[1] * extents_[2]);
    filter.arguments = {BufferArgument{"filter"}};
    add_extents(filter);
    filter.arguments.emplace_back(ScalarArgument{2 * values_});
    filter.arguments.emplace_back(ScalarArgument{2 * values_ * extents_[1]});
    plan.setup.emplace_back(std::move(filter));
    plan.setup.emplace_back(transform(FourierDirection::forward, "filter", "filter"));
  }

  void add_pass(LaunchPlan& plan, std::int64_t steps, const std::string& source,
                const std::string& target) const {
    std::string real = source;
    const std::string complex = in_place_ ? target : "modes";
    // The input is nobody's to transform in place, and what lies beside it nobody has written. Later passes
    // find beside the array what the last one left there: numbers, which is all that they need be.
    if (in_place_ || (padded_ && source == "in")) {
      plan.launches.emplace_back(clear_around(source, target));
      real = target;
    }
    plan.launches.emplace_back(transform(FourierDirection::forward, real, complex));
    plan.launches.emplace_back(convolved_ ? convolve() : multiply(complex, steps));
    plan.launches.emplace_back(
        transform(FourierDirection::inverse, convolved_ ? "convolved" : complex, target));
    for (Launch& shell : shell_launches(job_, layout_, steps, source, target, {"rim_even", "rim_odd"}))
      plan.launches.emplace_back(std::move(shell));
  }

  Launch clear_around(const std::string& source, const std::string& target) const {
    const auto count = static_cast<std::int64_t>(layout_.allocation);
    Launch launch = element_wise("fft_clear_around", count * job_.element_bytes() / 16);
    launch.arguments = {BufferArgument{source}, BufferArgument{target}};
    for (KernelArgument& argument : extent_arguments(job_, layout_))
      launch.arguments.push_back(std::move(argument));
    launch.arguments.emplace_back(ScalarArgument{count});
    return launch;
  }

  Launch multiply(const std::string& complex, std::int64_t steps) const {
    Launch launch = element_wise("fft_multiply", modes() * 2 * job_.element_bytes() / 16);
    launch.arguments = {BufferArgument{complex}, BufferArgument{filter()}};
    add_extents(launch);
    launch.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(steps)});
    add_scale(launch, extents_[2]);
    return launch;
  }

  /// Small blocks: the many registers of a thread shall not leave half a multiprocessor empty.
  Launch convolve() const {
    constexpr std::int64_t columns = 128;
    const std::int64_t blocks = (plane_modes() + columns - 1) / columns;
    Launch launch;
    launch.entry = "fft_convolve";
    launch.grid.x = static_cast<std::uint32_t>(blocks * ((extents_[2] + chunk_ - 1) / chunk_));
    launch.block.x = static_cast<std::uint32_t>(columns);
    launch.arguments = {BufferArgument{"modes"}, BufferArgument{"convolved"}, BufferArgument{"taps"}};
    add_extents(launch);
    add_scale(launch, 1);
    return launch;
  }

  /// Both transforms together multiply by the number of their cells.
  void add_scale(Launch& launch, std::int64_t planes) const {
    const double scale = 1 / (static_cast<double>(extents_[0]) * static_cast<double>(extents_[1]) *
                              static_cast<double>(planes));
    if (job_.type == ElementType::f64)
      launch.arguments.emplace_back(ScalarArgument{scale});
    else
      launch.arguments.emplace_back(ScalarArgument{static_cast<float>(scale)});
  }

  void add_plane_extents(Launch& launch) const {
    for (const std::size_t axis : {0, 1})
      launch.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(extents_[axis])});
  }

  void add_extents(Launch& launch) const {
    for (const std::int64_t extent : extents_)
      launch.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(extent)});
  }

  FourierTransform transform(FourierDirection direction, const std::string& from,
                             const std::string& to) const {
    FourierTransform transform{direction, from, to, {}, convolved_ ? 2u : 3u};
    for (const std::int64_t extent : extents_)
      transform.extents.push_back(static_cast<std::uint64_t>(extent));
    return transform;
  }

  /// Four accesses a thread: what it divides to find its place is then little beside them.
  static Launch element_wise(const char* entry, std::int64_t accesses) {
    constexpr std::int64_t each = 4 * threads, max = 1 << 24;
    Launch launch;
    launch.entry = entry;
    launch.grid.x =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>((accesses + each - 1) / each, 1, max));
    launch.block.x = static_cast<std::uint32_t>(threads);
    return launch;
  }

  const StencilJob& job_;
  std::int64_t fused_;
  bool in_place_, convolved_, tables_;
  std::int64_t chunk_;
  std::array<std::int64_t, 3> extents_;  ///< that are transformed
  bool padded_ = false;                  ///< these are more than the array's
  std::int64_t values_ = 0;              ///< complex numbers of a row
  Layout layout_;                        ///< of all arrays of cells
};

}  // namespace

Result<LaunchPlan> plan_fft(const StencilJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  const FftPlan fft(job, configuration);
  LaunchPlan plan = fft.plan();
  plan.compile.source = {"stencil/fft.cu", sources.text("stencil/fft.cu")};
  for (const char* file : {"stencil/boundary.cuh", "stencil/rim.cuh", "common/vectors.cuh"})
    plan.compile.headers.push_back(header(sources, file));
  plan.compile.headers.push_back({"rim_points.cuh", shell_header(job)});
  plan.compile.defines = {
      {"REAL", std::string(to_string(job.type))},
      {"RIM_BOUNDARY", job.boundary == Boundary::fixed ? "Boundary::held" : "Boundary::zero"}};
  if (configuration.has("spectrum"))
    plan.compile.defines.push_back(macro("spectrum", configuration["spectrum"]));
  if (configuration.has("chunk")) {
    plan.compile.defines.push_back(macro("chunk", configuration["chunk"]));
    plan.compile.defines.emplace_back("TAP_REACH", std::to_string(fft.tap_radius()));
  }
  return plan;
}

bool fft_applies(const StencilJob& job) {
  constexpr int max_offset = 127;  // the rim's offsets are of one byte
  return shell_constant_bytes(job) <= constant_memory && job.stencil.radius() <= max_offset;
}

std::array<std::int64_t, 3> smooth_extents(const StencilJob& job) {
  return {smooth(job.nx), smooth(job.ny), smooth(job.nz)};
}

}  // namespace tune::kernels
