// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/fft/fft.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "kernels/stencil/reference/reference.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

constexpr std::int64_t fft_threads = 256;

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
    layout_ = layout_with_pitch(extents_of_cells(), in_place_ ? 2 * values_ : extents_[0]);
    layout_.extents = job.extents();
  }

  LaunchPlan plan() const {
    LaunchPlan plan;
    add_buffers(plan);
    add_setup(plan);
    std::string source = "in";
    for (std::int64_t pass = 0; pass < passes(); ++pass) {
      const std::string target = target_of(pass, passes());
      add_pass(plan, pass < full_passes() ? fused_ : rest(), source, target);
      source = target;
    }
    // The extents decide whether an array is copied; compiled entries must not depend on them.
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
  Extents extents_of_cells() const {
    return {static_cast<std::uint64_t>(extents_[0]), static_cast<std::uint64_t>(extents_[1]),
            static_cast<std::uint64_t>(extents_[2])};
  }
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
      fold.arguments.emplace_back(int32(steps));
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
    // The input must not change, and the memory beside it is not initialised. Later passes find numbers of
    // the last one beside the array: any numbers will do.
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
    launch.arguments.emplace_back(int32(steps));
    add_scale(launch, extents_[2]);
    return launch;
  }

  /// Blocks are small: with many registers per thread, large ones would leave half an SM empty.
  Launch convolve() const {
    constexpr std::int64_t columns = 128;
    Launch launch = make_launch(
        "fft_convolve", ceil_div(plane_modes(), columns) * ceil_div(extents_[2], chunk_), block_of(columns),
        {BufferArgument{"modes"}, BufferArgument{"convolved"}, BufferArgument{"taps"}});
    add_extents(launch);
    add_scale(launch, 1);
    return launch;
  }

  /// Both transforms together multiply by the number of their cells.
  void add_scale(Launch& launch, std::int64_t planes) const {
    const double scale = 1 / (static_cast<double>(extents_[0]) * static_cast<double>(extents_[1]) *
                              static_cast<double>(planes));
    launch.arguments.emplace_back(real_argument(job_.type, scale));
  }

  void add_plane_extents(Launch& launch) const {
    for (const std::size_t axis : {0, 1}) launch.arguments.emplace_back(int32(extents_[axis]));
  }

  void add_extents(Launch& launch) const {
    for (const std::int64_t extent : extents_) launch.arguments.emplace_back(int32(extent));
  }

  FourierTransform transform(FourierDirection direction, const std::string& from,
                             const std::string& to) const {
    return {direction, from, to, extents_of_cells(), convolved_ ? 2u : 3u};
  }

  /// A thread makes four accesses, so that the divisions that find its place cost little.
  static Launch element_wise(const char* entry, std::int64_t accesses) {
    constexpr std::int64_t each = 4 * fft_threads, max = 1 << 24;
    return make_launch(entry, std::clamp<std::int64_t>(ceil_div(accesses, each), 1, max),
                       block_of(fft_threads), {});
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

void add_fft(FamilySpace& space, const StencilJob& job) {
  add_shared(space, job, {"fused"});
  add_shared(space, job, {"chunk"}, var("last_axis") == "convolve");
  std::vector<Value> transforms = {"exact"};
  if (smooth_extents(job) != std::array{job.nx, job.ny, job.nz}) transforms.emplace_back("smooth");
  std::vector<Value> last = {"transform"};
  if (2 * job.stencil.radii()[2] + 1 <= max_taps) last.emplace_back("convolve");
  const Expr transformed = var("last_axis") == "transform";
  space.add("last_axis",
            "whether the last axis is transformed like the others, or the spectra of planes (rows in two "
            "dimensions) are convolved along it",
            last, "transform");
  space.add("transform",
            "extents of the transforms: those of the array, or these rounded up to products of 2, 3, 5 and 7",
            transforms, "exact");
  space.add("in_place",
            "whether spectra lie where the cells do, after a copy of these, or in an array of their own",
            {false, true}, false, transformed);
  space.add(
      "spectrum",
      "the stencil's spectrum: an array of all modes, or three tables, one for each axis, that are added",
      {"array", "tables"}, "tables", transformed && var("star"));
  const Expr steps = var("fused");
  const auto core = [&](const char* radius, const char* extent) {
    return steps * 2 * var(radius) < var(extent);
  };
  space.rules_of_all().add(!is_variant("fft") || steps == 1 ||
                               (core("reach_x", "nx") && core("reach_y", "ny") && core("reach_z", "nz")),
                           "all cells are so near to a face that they are computed step by step: the "
                           "transforms are useless");
  const Rules convolved = space.rules(is_variant("fft") && var("last_axis") == "convolve");
  const Expr taps = steps * 2 * var("reach_z") + 1;
  convolved.add((taps <= max_taps && taps * 4 * var("words") + 20 <= var("thread_registers")),
                "the weights of a mode along the last axis do not fit the registers");
  convolved.add(var("steps") % steps == 0,
                "a mode's weights along the last axis are of one number of fused steps: it has to divide "
                "that of all steps");
}

/// Returns sizes with few steps that are cheap to check: the kernels take the number of steps as an argument,
/// so passes of few steps show that cells far from all faces are right. Whole passes of many steps are
/// checked at sizes whose cells are all near a face. Taps along the last axis exist for whole passes only.
std::vector<CheckSize> fft_sizes(const StencilJob& job, const Configuration& configuration) {
  const std::int64_t fused = configuration["fused"].as_int();
  const bool whole_passes = configuration["last_axis"].as_text() == "convolve";
  constexpr double max_cost = 3e7;  // multiply-adds
  const auto [rx, ry, rz] = job.stencil.radii();
  const std::int64_t steps = checked_steps(job.steps, fused);
  const std::int64_t few = whole_passes ? fused : std::min<std::int64_t>(fused, costly(job) ? 1 : 3);
  std::vector<CheckSize> sizes;
  const auto add = [&](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    const auto cost = static_cast<double>(nx * ny * nz) * static_cast<double>(job.stencil.points.size());
    const auto max = std::max<std::int64_t>(few, static_cast<std::int64_t>(max_cost / cost));
    const std::int64_t taken = std::min(steps, max);
    sizes.push_back({nx, ny, nz, whole_passes ? std::max(fused, taken / fused * fused) : taken});
  };
  const std::int64_t core = 2 * few;
  sizes.push_back({core * rx + 31, core * ry + 7, core * rz + 9,
                   few == fused ? steps : std::min<std::int64_t>(few, steps)});
  add(2 * rx + 1, 2 * ry + 3, 2 * rz + 2);
  add(13, 5, 7);
  add(5, 3, 2);
  add(1, 1, 11);
  add(17, 1, 1);
  return sizes;
}

}  // namespace

Result<LaunchPlan> plan_fft(const StencilJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  const FftPlan fft(job, configuration);
  LaunchPlan plan = fft.plan();
  CompileRequest request = stencil_files().request("fft.cu", sources);
  request.entries = std::move(plan.compile.entries);
  plan.compile = std::move(request);
  plan.compile.headers.push_back({"rim_points.cuh", shell_header(job)});
  plan.compile.defines = {{"REAL", std::string(to_string(job.type))}, {"RIM_BOUNDARY", boundary_macro(job)}};
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
  return {smooth_extent(job.nx), smooth_extent(job.ny), smooth_extent(job.nz)};
}

StencilVariant fft_stencil() {
  return {"fft",       "Fourier transforms, between which any number of time steps is a product",
          fft_applies, add_fft,
          plan_fft,    fft_sizes};
}

}  // namespace tune::kernels
