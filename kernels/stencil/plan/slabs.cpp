// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/slabs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

constexpr std::array<std::string_view, 4> exchange_parameters = {"exchange_every", "exchange", "overlap",
                                                                 "graph"};

/// The steps between two exchanges.
struct Rhythm {
  std::int64_t steps = 1;  ///< from one exchange to the next
  std::int64_t pass = 1;   ///< of the launches that bring an array from one state to a later one

  explicit Rhythm(const Configuration& configuration) {
    const std::string& variant = configuration["variant"].as_text();
    if (variant == "temporal" || variant == "composed") pass = configuration["fused"].as_int();
    steps = configuration["exchange_every"].as_int() * pass;
    if (variant == "persistent") pass = steps;
  }
};

std::int64_t ghost_planes(const StencilJob& job, const Configuration& configuration) {
  return Rhythm(configuration).steps * job.stencil.radii()[2];
}

std::int64_t thinnest_slab(const StencilJob& job) {
  return job.nz / job.gpus;
}

/// Returns the parameters of the variant alone: equal ones have equal code, however planes are exchanged.
Configuration of_variant(const Configuration& configuration) {
  Configuration own;
  for (const auto& [name, value] : configuration.entries())
    if (std::ranges::find(exchange_parameters, name) == exchange_parameters.end()) own.set(name, value);
  return own;
}

/// Returns the planes of a block's tile.
std::int64_t tile_planes(const StencilJob& job, const Configuration& variant) {
  if (variant["variant"].as_text() == "temporal") return variant["chunk"].as_int();
  return stencil_geometry(job, variant).tile_z;
}

/// An array of a GPU.
std::string of_gpu(const std::string& array, std::size_t gpu) {
  return format("{}_{}", array, gpu);
}

constexpr const char* exchange_entry = "exchange_planes";
constexpr std::int64_t exchange_threads = 256;
constexpr std::int64_t exchange_blocks = 1056;    // eight for each SM of a large device
constexpr std::int64_t few_exchange_blocks = 64;  // beside kernels that compute

/// Adds the kernel that copies planes to a request.
void add_exchange_kernel(CompileRequest& request, const KernelSources& sources) {
  const CompileRequest exchange = stencil_files().request("exchange.cu", sources);
  request.headers.push_back({"slab_variant.cu", std::move(request.source.text)});
  request.source.text = "#include \"slab_variant.cu\"\n" + exchange.source.text;
  request.entries.emplace_back(exchange_entry);
}

/// Planes of a slab's arrays that a launch computes as an array of their own.
struct Part {
  std::int64_t first = 0, planes = 0;
  std::int64_t written = 0;  ///< only the first so many of them, whole tiles; 0: all
  bool counted = false;      ///< it touches no others
};

enum Side : std::size_t { low, high };

class SlabPlanner {
 public:
  SlabPlanner(const StencilJob& job, const Configuration& configuration, const KernelSources& sources)
      : job_(job),
        configuration_(configuration),
        variant_(of_variant(configuration)),
        sources_(sources),
        rhythm_(configuration),
        reach_(job.stencil.radii()[2]),
        exchange_(configuration["exchange"].as_text()),
        overlap_(exchange_ != "host" && configuration["overlap"].as_bool() && reach_ > 0),
        gpus_(static_cast<std::size_t>(job.gpus)) {
    const std::vector<Slab> slabs = slabs_of(job, rhythm_.steps * reach_);
    for (std::size_t gpu = 0; gpu < slabs.size(); ++gpu) gpus_[gpu].slab = slabs[gpu];
  }

  Result<LaunchPlan> plan();

 private:
  struct Gpu {
    Slab slab;
    Layout layout = {};                        ///< of its arrays
    std::map<std::string, BufferSpec> others;  ///< further arrays of its variant, by their names there
    std::array<std::size_t, 2> computed = {};  ///< the last steps that computed planes at either cut
    /// Copies out of its array `sent`, by the other GPUs: they must end before it is written again.
    std::vector<std::size_t> readers = {};
    std::string sent = {};
    /// With overlap: copies into its ghost planes on streams of their own, for which the next pass waits.
    std::array<std::vector<std::size_t>, 2> brought = {};
  };

  Result<const LaunchPlan*> pass_plan(std::int64_t planes, std::int64_t steps);
  Result<void> begin();
  Result<void> add_pass(std::size_t gpu, const std::string& source, const std::string& target,
                        std::int64_t remaining, std::int64_t steps);
  std::pair<std::int64_t, std::int64_t> computed_planes(const Gpu& gpu, std::int64_t remaining) const;
  std::int64_t split_at(std::int64_t planes, std::int64_t ghosts) const;
  Result<std::size_t> add_part(std::size_t gpu, const std::string& source, const std::string& target,
                               const Part& part, std::int64_t steps, std::vector<std::size_t> after);
  Launch on_slab(std::size_t gpu, Launch launch, const LaunchPlan& pass, const std::string& source,
                 const std::string& target, const Part& part);
  void exchange(const std::string& array, std::int64_t depth, std::int64_t round);
  void bring(std::size_t to, std::size_t from, const std::string& array, std::int64_t first_plane,
             std::int64_t depth, std::int64_t round);
  std::size_t add_step(std::size_t gpu, std::size_t stream, PlanStep step, std::vector<std::size_t> after);
  void add_buffers(bool other);

  const StencilJob& job_;
  const Configuration& configuration_;
  const Configuration variant_;  ///< without the parameters of the exchange
  const KernelSources& sources_;
  Rhythm rhythm_;
  std::int64_t reach_;
  std::string exchange_;
  bool overlap_;
  std::vector<Gpu> gpus_;
  std::map<std::pair<std::int64_t, std::int64_t>, LaunchPlan> passes_;  ///< by planes and steps
  LaunchPlan plan_;
  std::set<std::string> staged_;  ///< names of buffers on the host
};

/// Plans a pass on an array of so many planes.
Result<const LaunchPlan*> SlabPlanner::pass_plan(std::int64_t planes, std::int64_t steps) {
  const auto known = passes_.find({planes, steps});
  if (known != passes_.end()) return &known->second;
  StencilJob job = job_;
  job.gpus = 1;
  job.nz = planes;
  job.steps = steps;
  Result<LaunchPlan> made = stencil_variants().of(variant_).plan(job, variant_, sources_);
  if (!made) return tl::unexpected(made.error());
  return &passes_.emplace(std::pair{planes, steps}, std::move(*made)).first->second;
}

/// Takes code and layouts from plans of all steps: these have the launches of all passes.
Result<void> SlabPlanner::begin() {
  for (Gpu& gpu : gpus_) {
    const Result<const LaunchPlan*> whole = pass_plan(gpu.slab.planes(), job_.steps);
    if (!whole) return tl::unexpected(whole.error());
    gpu.layout = (*whole)->buffer("in").layout;
    if (&gpu != gpus_.data()) continue;
    plan_.compile = (*whole)->compile;
    plan_.tolerance = (*whole)->tolerance;
  }
  if (exchange_ == "kernel") add_exchange_kernel(plan_.compile, sources_);
  plan_.graph = configuration_["graph"].as_bool() ? GraphUse::always : GraphUse::never;
  return {};
}

Result<LaunchPlan> SlabPlanner::plan() {
  if (thinnest_slab(job_) < rhythm_.steps * reach_)
    return fail(Phase::constraint, "slab",
                format("{} ghost planes, and a slab of {} planes: exchange more often",
                       rhythm_.steps * reach_, thinnest_slab(job_)));
  if (const Result<void> begun = begin(); !begun) return tl::unexpected(begun.error());
  std::int64_t passes = 0;
  for (std::int64_t done = 0; done < job_.steps; done += rhythm_.steps)
    passes += ceil_div(std::min(rhythm_.steps, job_.steps - done), rhythm_.pass);
  std::string source = "in";
  std::int64_t pass = 0, round = 0;
  for (std::int64_t done = 0; done < job_.steps; done += rhythm_.steps, ++round) {
    const std::int64_t steps = std::min(rhythm_.steps, job_.steps - done);
    if (done > 0) exchange(source, steps * reach_, round);
    for (std::int64_t within = 0; within < steps; within += rhythm_.pass, ++pass) {
      const std::string target = target_of(pass, passes);
      for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
        const Result<void> added =
            add_pass(gpu, source, target, steps - within, std::min(rhythm_.pass, steps - within));
        if (!added) return tl::unexpected(added.error());
      }
      source = target;
    }
  }
  add_buffers(passes > 1);
  return std::move(plan_);
}

/// Returns the planes from which a pass computes, `remaining` steps before the next exchange: so many times
/// the reach are the ghost planes that are right.
std::pair<std::int64_t, std::int64_t> SlabPlanner::computed_planes(const Gpu& gpu,
                                                                   std::int64_t remaining) const {
  const std::int64_t spoilt = (rhythm_.steps - remaining) * reach_;
  return {gpu.slab.low_cut() ? spoilt : 0, gpu.slab.planes() - (gpu.slab.high_cut() ? spoilt : 0)};
}

/// Adds the launches of some steps of one GPU.
Result<void> SlabPlanner::add_pass(std::size_t number, const std::string& source, const std::string& target,
                                   std::int64_t remaining, std::int64_t steps) {
  Gpu& gpu = gpus_[number];
  const auto [first, last] = computed_planes(gpu, remaining);
  const std::int64_t planes = last - first, ghosts = steps * reach_;
  std::vector<std::size_t> at_low = std::exchange(gpu.brought[low], {});
  std::vector<std::size_t> at_high = std::exchange(gpu.brought[high], {});
  const auto can_split = [&](const Gpu& one) {
    const auto [begin, end] = computed_planes(one, remaining);
    return split_at(end - begin, ghosts) > 0;
  };
  // All or none: the order of their copies counts on it.
  if (overlap_ && std::ranges::all_of(gpus_, can_split)) {
    const std::int64_t middle = split_at(planes, ghosts);
    // The upper part comes first: the lower one computes anew what is wrong at the upper one's end.
    const Part upper{first + middle - ghosts, planes - middle + ghosts, 0, true};
    const Part lower{first, middle + ghosts, middle, true};
    const Result<std::size_t> at_end = add_part(number, source, target, upper, steps, std::move(at_high));
    if (!at_end) return tl::unexpected(at_end.error());
    const Result<std::size_t> at_begin = add_part(number, source, target, lower, steps, std::move(at_low));
    if (!at_begin) return tl::unexpected(at_begin.error());
    gpu.computed = {*at_begin, *at_end};
    return {};
  }
  std::vector<std::size_t> after = std::move(at_low);
  after.insert(after.end(), at_high.begin(), at_high.end());
  if (gpu.sent == target) {
    after.insert(after.end(), gpu.readers.begin(), gpu.readers.end());
    gpu.sent.clear();
  }
  const Result<std::size_t> all = add_part(number, source, target, {first, planes}, steps, std::move(after));
  if (!all) return tl::unexpected(all.error());
  gpu.computed = {*all, *all};
  return {};
}

/// Returns after how many planes a pass is split into two launches, so that neither needs the ghost planes of
/// the other's cut; 0 where the slab is too thin.
std::int64_t SlabPlanner::split_at(std::int64_t planes, std::int64_t ghosts) const {
  const std::int64_t tile = tile_planes(job_, variant_);
  const std::int64_t middle = std::max({tile, planes / 2 / tile * tile, round_up(2 * ghosts, tile)});
  return middle + 2 * ghosts <= planes ? middle : 0;
}

/// Adds the launches of a pass on a part of a slab. Returns the last one.
Result<std::size_t> SlabPlanner::add_part(std::size_t number, const std::string& source,
                                          const std::string& target, const Part& part, std::int64_t steps,
                                          std::vector<std::size_t> after) {
  Gpu& gpu = gpus_[number];
  const Result<const LaunchPlan*> pass = pass_plan(part.planes, steps);
  if (!pass) return tl::unexpected(pass.error());
  const Layout& layout = (*pass)->buffer("in").layout;
  if (layout.strides != gpu.layout.strides || layout.offset != gpu.layout.offset)
    throw std::logic_error("the layouts of a slab's passes differ");
  gpu.layout.allocation = std::max(
      gpu.layout.allocation, layout.allocation + static_cast<std::uint64_t>(part.first) * layout.strides[2]);
  std::size_t last = 0;
  for (const PlanStep& step : (*pass)->launches)
    last = add_step(number, number, on_slab(number, std::get<Launch>(step), **pass, source, target, part),
                    std::exchange(after, {}));
  return last;
}

/// Returns a launch of a pass on a part of a slab.
Launch SlabPlanner::on_slab(std::size_t number, Launch launch, const LaunchPlan& pass,
                            const std::string& source, const std::string& target, const Part& part) {
  Gpu& gpu = gpus_[number];
  const std::uint64_t plane = gpu.layout.strides[2];
  const auto elements = [&](std::int64_t planes) { return static_cast<std::uint64_t>(planes) * plane; };
  const auto move = [&](std::string& name, std::uint64_t& offset) {
    if (name == "in" || name == "out") {
      offset += elements(part.first);
      name = of_gpu(name == "in" ? source : target, number);
      return;
    }
    const BufferSpec& spec = pass.buffer(name);
    name = of_gpu("pass_" + name, number);
    BufferSpec& buffer = gpu.others.try_emplace(name, spec).first->second;
    buffer.layout.allocation = std::max(buffer.layout.allocation, spec.layout.allocation);
  };
  for (KernelArgument& argument : launch.arguments) {
    if (auto* map = std::get_if<TensorMapArgument>(&argument)) {
      move(map->buffer, map->map.offset);
    } else if (auto* given = std::get_if<BufferArgument>(&argument)) {
      given->read_only = given->buffer == "in";
      if (part.counted)
        given->count = elements(given->read_only || part.written == 0 ? part.planes : part.written);
      move(given->buffer, given->offset);
    }
  }
  // Blocks count along z last.
  if (part.written > 0) {
    const std::int64_t tile = tile_planes(job_, variant_);
    launch.grid.x = launch.grid.x / static_cast<std::uint32_t>(ceil_div(part.planes, tile)) *
                    static_cast<std::uint32_t>(part.written / tile);
  }
  return launch;
}

std::size_t SlabPlanner::add_step(std::size_t gpu, std::size_t stream, PlanStep step,
                                  std::vector<std::size_t> after) {
  const auto device = static_cast<std::uint32_t>(gpu);
  std::visit(
      [&](auto& known) {
        known.order = {static_cast<std::uint32_t>(stream), std::move(after), device};
      },
      step);
  plan_.launches.push_back(std::move(step));
  return plan_.launches.size() - 1;
}

/// Brings `depth` ghost planes at each cut from the GPU that computed them.
void SlabPlanner::exchange(const std::string& array, std::int64_t depth, std::int64_t round) {
  if (depth == 0) return;
  for (Gpu& gpu : gpus_) {
    gpu.readers.clear();
    gpu.sent = array;
  }
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    const Slab& slab = gpus_[gpu].slab;
    if (gpu > 0) bring(gpu, gpu - 1, array, slab.own_begin - depth, depth, round);
    if (gpu + 1 < gpus_.size()) bring(gpu, gpu + 1, array, slab.own_end, depth, round);
  }
}

/// The neighbour `from` need not wait before it goes on: it next waits for this GPU's steps, which follow the
/// copy, unless it writes the array before (Gpu::readers).
void SlabPlanner::bring(std::size_t to, std::size_t from, const std::string& array, std::int64_t first_plane,
                        std::int64_t depth, std::int64_t round) {
  const Side side = from < to ? low : high;  // of the ghost planes
  const auto place = [&](std::size_t gpu) {
    const auto plane = static_cast<std::uint64_t>(first_plane - gpus_[gpu].slab.begin);
    return CopySide{of_gpu(array, gpu), plane * gpus_[gpu].layout.strides[2]};
  };
  const std::uint64_t count = static_cast<std::uint64_t>(depth) * gpus_[to].layout.strides[2];
  const CopySide source = place(from), target = place(to);
  if (exchange_ == "host") {
    const std::string staged = format("staged_{}_from_{}_{}", to, from, round % 2);
    staged_.insert(staged);
    const std::size_t sent = add_step(from, from, Copy{source, {staged}, count}, {});
    add_step(to, to, Copy{{staged}, target, count}, {sent});
    return;  // the neighbour's own stream has read the array
  }
  PlanStep step = Copy{source, target, count};
  if (exchange_ == "kernel") {
    const std::int64_t vectors = static_cast<std::int64_t>(count) * job_.element_bytes() / 16;
    const std::int64_t blocks = std::clamp<std::int64_t>(ceil_div(vectors, exchange_threads), 1,
                                                         overlap_ ? few_exchange_blocks : exchange_blocks);
    step = make_launch(exchange_entry, blocks, block_of(exchange_threads),
                       {BufferArgument{source.buffer, source.offset, count, true},
                        BufferArgument{target.buffer, target.offset, count}, int64(count)});
  }
  std::vector<std::size_t> after = {gpus_[from].computed[side == low ? high : low]};
  if (!overlap_) {
    gpus_[from].readers.push_back(add_step(to, to, std::move(step), std::move(after)));
    return;
  }
  after.push_back(gpus_[to].computed[side]);
  gpus_[to].brought[side] = {add_step(to, gpus_.size() + 2 * to + side, std::move(step), std::move(after))};
}

void SlabPlanner::add_buffers(bool other) {
  for (std::size_t number = 0; number < gpus_.size(); ++number) {
    const Gpu& gpu = gpus_[number];
    const auto device = static_cast<std::uint32_t>(number);
    const auto at = [](std::int64_t plane) { return static_cast<std::uint64_t>(plane); };
    const auto add = [&](const char* name, const char* tensor, BufferRole role) {
      BufferSpec buffer{of_gpu(name, number), job_.type, gpu.layout, role, true};
      buffer.part = {tensor, at(gpu.slab.begin), at(gpu.slab.own_begin - gpu.slab.begin),
                     at(gpu.slab.own_end - gpu.slab.begin)};
      buffer.device = device;
      plan_.buffers.push_back(std::move(buffer));
    };
    add("in", "in", BufferRole::input);
    add("out", "out", BufferRole::output);
    if (other) add("other", "out", BufferRole::scratch);
    for (const auto& [name, spec] : gpu.others) {
      BufferSpec& buffer = plan_.buffers.emplace_back(spec);
      buffer.name = name;
      buffer.role = BufferRole::scratch;
      buffer.device = device;
    }
  }
  const std::uint64_t staged =
      static_cast<std::uint64_t>(rhythm_.steps * reach_) * gpus_.front().layout.strides[2];
  for (const std::string& name : staged_) {
    BufferSpec buffer{name, job_.type, Layout::dense({staged}), BufferRole::scratch, true};
    buffer.place = MemoryPlace::pinned;
    plan_.buffers.push_back(std::move(buffer));
  }
}

}  // namespace

std::vector<Slab> slabs_of(const StencilJob& job, std::int64_t ghosts) {
  std::vector<Slab> slabs;
  for (std::int64_t gpu = 0; gpu < job.gpus; ++gpu) {
    Slab& slab = slabs.emplace_back();
    slab.own_begin = job.nz * gpu / job.gpus;
    slab.own_end = job.nz * (gpu + 1) / job.gpus;
    slab.begin = gpu == 0 ? 0 : slab.own_begin - ghosts;
    slab.end = gpu + 1 == job.gpus ? job.nz : slab.own_end + ghosts;
  }
  return slabs;
}

StencilJob slab_job(const StencilJob& job) {
  StencilJob slab = job;
  slab.nz = ceil_div(job.nz, job.gpus);
  return slab;
}

std::string cannot_cut(const StencilJob& job) {
  const std::int64_t reach = job.stencil.radii()[2], planes = thinnest_slab(job);
  if (job.gpus == 1 || planes >= std::max<std::int64_t>(reach, 1)) return {};
  return format(
      "--set gpus={}: a slab of {} {}, and the stencil reaches {}: take fewer GPUs, or more {} along {}",
      job.gpus, planes, job.dimensions == 2 ? "rows" : "planes", reach,
      job.dimensions == 2 ? "rows" : "planes", job.dimensions == 2 ? "ny" : "nz");
}

bool computes_slabs(std::string_view variant) {
  return variant != "fft";
}

void add_slab_parameters(FamilySpace& space, const StencilJob& job) {
  const std::int64_t reach = job.stencil.radii()[2], planes = thinnest_slab(job);
  const std::int64_t max = std::max<std::int64_t>(1, reach > 0 ? planes / reach : planes);
  std::vector<Value> every;
  for (const std::int64_t passes : {1, 2, 3, 4, 5, 6, 8, 12, 16})
    if (passes == 1 || (passes <= job.steps && passes <= max)) every.emplace_back(passes);
  constexpr std::int64_t many_steps = 64;
  const Value roomy = job.steps >= 4 && max >= many_steps ? Value(4) : Value(1);
  space.add("exchange_every",
            "passes between two exchanges of ghost planes: of `fused` steps, or of one where a variant fuses "
            "none. The more, the thicker the ghost planes, which both GPUs compute",
            every, roomy);
  space.add(
      "exchange",
      "who brings ghost planes: the copy engine, a kernel that reads the other GPU's memory, or the copy "
      "engines by way of pinned host memory",
      {"copy", "kernel", "host"}, "kernel");
  space.add(
      "overlap",
      "whether a pass is two launches, each of which needs the ghost planes of one cut, so that the other "
      "cut's are brought meanwhile, on a stream of their own",
      {false, true}, false, var("exchange") != "host");
  space.add("graph", "whether the steps of all GPUs are recorded and started as one CUDA graph",
            {false, true}, true);
  const Expr fuses = is_variant("temporal") || is_variant("composed");
  space.rule(!fuses || var("exchange_every") * var("fused") <= max,
             "the ghost planes are thicker than the slab of a neighbour");
  const Expr alone = !var("overlap");
  Expr splits = is_variant("direct") || is_variant("streaming") || is_variant("split");
  if (job.dimensions == 3) splits = splits || is_variant("temporal");
  space.rule(alone || splits, "the launches of this variant cannot be split at a plane");
  space.rule(alone || var("exchange_every") == 1, "split launches exchange after every pass");
  space.rule(alone || !var("padded"), "padded launches touch planes beyond their part");
  space.rule(alone || var("loader") != "tma", "the copy engine's maps are of whole arrays");
}

Result<LaunchPlan> plan_slabs(const StencilJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  return SlabPlanner(job, configuration, sources).plan();
}

std::vector<CheckSize> slab_sizes(const StencilJob& job, const Configuration& configuration) {
  const Rhythm rhythm(configuration);
  const std::int64_t ghosts = ghost_planes(job, configuration);
  std::vector<CheckSize> sizes = stencil_variants().of(configuration).checked(slab_job(job), configuration);
  for (CheckSize& size : sizes) {
    size.nz += job.gpus * ghosts;
    const Value* overlap = configuration.find("overlap");
    if (overlap != nullptr && overlap->as_bool())
      size.nz += job.gpus * (2 * ghosts + tile_planes(job, configuration));
    // Two exchanges, the second before fewer steps, and the steps that remain as in the job.
    size.steps = std::min(job.steps, 2 * rhythm.steps + rhythm.pass + job.steps % rhythm.pass);
  }
  return sizes;
}

}  // namespace tune::kernels
