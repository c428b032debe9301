// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/slabs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Value;
using search::var;

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

/// An array of a GPU.
std::string of_gpu(const std::string& array, std::size_t gpu) {
  return format("{}_{}", array, gpu);
}

constexpr const char* exchange_entry = "exchange_planes";
constexpr std::int64_t exchange_threads = 256;
constexpr std::int64_t exchange_blocks = 264;  // two for each SM of a large device

/// Adds the kernel that copies planes to a request.
void add_exchange_kernel(CompileRequest& request, const KernelSources& sources) {
  const CompileRequest exchange = stencil_files().request("exchange.cu", sources);
  request.headers.push_back({"slab_variant.cu", std::move(request.source.text)});
  request.source.text = "#include \"slab_variant.cu\"\n" + exchange.source.text;
  request.entries.emplace_back(exchange_entry);
}

class SlabPlanner {
 public:
  SlabPlanner(const StencilJob& job, const Configuration& configuration, const KernelSources& sources)
      : job_(job),
        configuration_(configuration),
        sources_(sources),
        rhythm_(configuration),
        reach_(job.stencil.radii()[2]),
        exchange_(configuration["exchange"].as_text()),
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
    std::size_t last = 0;                      ///< the last step that computed
    /// Copies out of its array `sent`, by the other GPUs: they must end before it is written again.
    std::vector<std::size_t> readers = {};
    std::string sent = {};
  };

  Result<const LaunchPlan*> pass_plan(std::int64_t planes, std::int64_t steps);
  Result<void> begin();
  Result<void> add_pass(std::size_t gpu, const std::string& source, const std::string& target,
                        std::int64_t remaining, std::int64_t steps);
  void add_launch(std::size_t gpu, Launch launch, const LaunchPlan& pass, const std::string& source,
                  const std::string& target, std::int64_t first_plane);
  std::string renamed(Gpu& gpu, std::size_t number, const std::string& name, const LaunchPlan& pass,
                      const std::string& source, const std::string& target);
  void exchange(const std::string& array, std::int64_t depth, std::int64_t round);
  void bring(std::size_t to, std::size_t from, const std::string& array, std::int64_t first_plane,
             std::int64_t depth, std::int64_t round);
  std::size_t add_step(std::size_t gpu, PlanStep step, std::vector<std::size_t> after);
  void add_buffers(bool other);

  const StencilJob& job_;
  const Configuration& configuration_;
  const KernelSources& sources_;
  Rhythm rhythm_;
  std::int64_t reach_;
  std::string exchange_;
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
  Result<LaunchPlan> made = stencil_variants().of(configuration_).plan(job, configuration_, sources_);
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

/// Adds the launches of some steps of one GPU. Before them, `remaining` steps are left until the next
/// exchange: so many times the reach are the ghost planes that are right, and the pass computes from there.
Result<void> SlabPlanner::add_pass(std::size_t number, const std::string& source, const std::string& target,
                                   std::int64_t remaining, std::int64_t steps) {
  Gpu& gpu = gpus_[number];
  const std::int64_t spoilt = (rhythm_.steps - remaining) * reach_;
  const std::int64_t first = gpu.slab.low_cut() ? spoilt : 0;
  const std::int64_t last = gpu.slab.planes() - (gpu.slab.high_cut() ? spoilt : 0);
  const Result<const LaunchPlan*> pass = pass_plan(last - first, steps);
  if (!pass) return tl::unexpected(pass.error());
  const Layout& layout = (*pass)->buffer("in").layout;
  if (layout.strides != gpu.layout.strides || layout.offset != gpu.layout.offset)
    throw std::logic_error("the layouts of a slab's passes differ");
  gpu.layout.allocation = std::max(gpu.layout.allocation,
                                   layout.allocation + static_cast<std::uint64_t>(first) * layout.strides[2]);
  for (const PlanStep& step : (*pass)->launches)
    add_launch(number, std::get<Launch>(step), **pass, source, target, first);
  return {};
}

/// Returns the name of an array of the GPU that has this name in the plan of a pass.
std::string SlabPlanner::renamed(Gpu& gpu, std::size_t number, const std::string& name,
                                 const LaunchPlan& pass, const std::string& source,
                                 const std::string& target) {
  if (name == "in") return of_gpu(source, number);
  if (name == "out") return of_gpu(target, number);
  const std::string own = of_gpu("pass_" + name, number);
  BufferSpec& buffer = gpu.others.try_emplace(own, pass.buffer(name)).first->second;
  buffer.layout.allocation = std::max(buffer.layout.allocation, pass.buffer(name).layout.allocation);
  return own;
}

void SlabPlanner::add_launch(std::size_t number, Launch launch, const LaunchPlan& pass,
                             const std::string& source, const std::string& target, std::int64_t first_plane) {
  Gpu& gpu = gpus_[number];
  const std::uint64_t shift = static_cast<std::uint64_t>(first_plane) * gpu.layout.strides[2];
  std::vector<std::size_t> after;
  for (KernelArgument& argument : launch.arguments) {
    if (auto* map = std::get_if<TensorMapArgument>(&argument)) {
      if (map->buffer == "in" || map->buffer == "out") map->map.offset += shift;
      map->buffer = renamed(gpu, number, map->buffer, pass, source, target);
    } else if (auto* given = std::get_if<BufferArgument>(&argument)) {
      given->read_only = given->buffer == "in";
      if (given->buffer == "in" || given->buffer == "out") given->offset += shift;
      given->buffer = renamed(gpu, number, given->buffer, pass, source, target);
    }
  }
  if (gpu.sent == target) {
    after = std::exchange(gpu.readers, {});
    gpu.sent.clear();
  }
  gpu.last = add_step(number, std::move(launch), std::move(after));
}

std::size_t SlabPlanner::add_step(std::size_t gpu, PlanStep step, std::vector<std::size_t> after) {
  const auto number = static_cast<std::uint32_t>(gpu);
  std::visit([&](auto& known) { known.order = {number, std::move(after), number}; }, step);
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
  const auto side = [&](std::size_t gpu) {
    const auto place = static_cast<std::uint64_t>(first_plane - gpus_[gpu].slab.begin);
    return CopySide{of_gpu(array, gpu), place * gpus_[gpu].layout.strides[2]};
  };
  const std::uint64_t count = static_cast<std::uint64_t>(depth) * gpus_[to].layout.strides[2];
  const std::size_t computed = gpus_[from].last;
  std::size_t read = 0;
  if (exchange_ == "host") {
    const std::string staged = format("staged_{}_from_{}_{}", to, from, round % 2);
    staged_.insert(staged);
    read = add_step(from, Copy{side(from), {staged}, count}, {});
    add_step(to, Copy{{staged}, side(to), count}, {read});
    return;  // the neighbour's own stream has read the array
  }
  if (exchange_ == "copy") {
    read = add_step(to, Copy{side(from), side(to), count}, {computed});
  } else {
    const std::int64_t blocks =
        std::min(exchange_blocks, ceil_div(static_cast<std::int64_t>(count), exchange_threads * 4));
    const CopySide source = side(from), target = side(to);
    Launch launch = make_launch(exchange_entry, blocks, block_of(exchange_threads),
                                {BufferArgument{source.buffer, source.offset, count, true},
                                 BufferArgument{target.buffer, target.offset, count}, int64(count)});
    read = add_step(to, std::move(launch), {computed});
  }
  gpus_[from].readers.push_back(read);
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
  slab.gpus = 1;
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
      {"copy", "kernel", "host"}, "copy");
  space.add("graph", "whether the steps of all GPUs are recorded and started as one CUDA graph",
            {false, true}, false);
  const Expr fuses = is_variant("temporal") || is_variant("composed");
  space.rule(!fuses || var("exchange_every") * var("fused") <= max,
             "the ghost planes are thicker than the slab of a neighbour");
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
    // Two exchanges, the second before fewer steps, and the steps that remain as in the job.
    size.steps = std::min(job.steps, 2 * rhythm.steps + rhythm.pass + job.steps % rhythm.pass);
  }
  return sizes;
}

}  // namespace tune::kernels
