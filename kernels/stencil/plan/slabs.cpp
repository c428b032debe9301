// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/slabs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
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

/// An array of a GPU.
std::string of_gpu(const std::string& array, std::size_t gpu) {
  return format("{}_{}", array, gpu);
}

constexpr const char* exchange_entry = "exchange_planes";
constexpr std::int64_t exchange_threads = 256;
constexpr std::int64_t exchange_blocks = 1056;  // eight for each SM of a large device

/// Adds the kernel that copies planes to a request.
void add_exchange_kernel(CompileRequest& request, const KernelSources& sources) {
  const CompileRequest exchange = stencil_files().request("exchange.cu", sources);
  request.headers.push_back({"slab_variant.cu", std::move(request.source.text)});
  request.source.text = "#include \"slab_variant.cu\"\n" + exchange.source.text;
  request.entries.emplace_back(exchange_entry);
}

/// Planes of an array of a GPU.
struct Place {
  std::string buffer;
  std::int64_t first = 0;  ///< the plane of the slab that lies there first
};

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
  /// The planes at a cut, which are computed a second time in arrays of their own, so that the neighbour need
  /// not wait for the whole slab.
  struct Edge {
    Place made = {};                       ///< the results
    std::size_t computed = 0;              ///< the step that made them
    std::optional<std::size_t> read = {};  ///< the neighbour's copy of the results before
    std::uint64_t planes = 0;              ///< of the arrays; 0: there are none
    std::uint64_t allocation = 0;          ///< elements
  };
  struct Gpu {
    Slab slab;
    Layout layout = {};                        ///< of its arrays
    std::map<std::string, BufferSpec> others;  ///< further arrays of its variant, by their names there
    std::size_t last = 0;                      ///< the last step that computed
    /// Copies out of its array `sent`, by the other GPUs: they must end before it is written again.
    std::vector<std::size_t> readers = {};
    std::string sent = {};
    std::size_t newest = 0;  ///< the last step on its own stream
    bool any = false;        ///< there is one
    /// Of each array, passes on planes at the cuts that read it.
    std::map<std::string, std::vector<std::size_t>> edge_readers = {};
    std::array<Edge, 2> edges = {};  ///< at the low and the high cut
  };

  Result<const LaunchPlan*> pass_plan(std::int64_t planes, std::int64_t steps);
  Result<void> begin();
  Result<void> add_pass(std::size_t gpu, const std::string& source, const std::string& target,
                        std::int64_t remaining, std::int64_t steps);
  Result<void> add_edges(const std::string& source, std::int64_t steps, std::int64_t depth);
  Result<void> add_edge(std::size_t gpu, bool high, const std::string& source, std::int64_t steps,
                        std::int64_t depth);
  Launch on_slab(Gpu& gpu, Launch launch, const LaunchPlan& pass, const Place& source, const Place& target,
                 std::int64_t first_plane, const std::string& scratch);
  void check_layout(Gpu& gpu, const LaunchPlan& pass) const;
  void exchange(const std::string& array, std::int64_t depth, std::int64_t round);
  void bring(std::size_t to, std::size_t from, const std::string& array, std::int64_t first_plane,
             std::int64_t depth, std::int64_t round);
  std::size_t add_step(std::size_t gpu, PlanStep step, std::vector<std::size_t> after);
  std::size_t add_step_beside(std::size_t gpu, std::size_t stream, PlanStep step,
                              std::vector<std::size_t> after);
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
    const std::int64_t next = std::min(rhythm_.steps, job_.steps - done - steps);
    if (const Result<void> added = add_edges(source, steps, next * reach_); !added)
      return tl::unexpected(added.error());
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
  check_layout(gpu, **pass);
  gpu.layout.allocation =
      std::max(gpu.layout.allocation, (*pass)->buffer("in").layout.allocation +
                                          static_cast<std::uint64_t>(first) * gpu.layout.strides[2]);
  for (const PlanStep& step : (*pass)->launches) {
    Launch launch = on_slab(gpu, std::get<Launch>(step), **pass, {of_gpu(source, number)},
                            {of_gpu(target, number)}, first, of_gpu("pass", number));
    std::vector<std::size_t> after = std::exchange(gpu.edge_readers[target], {});
    if (gpu.sent == target) {
      after.insert(after.end(), gpu.readers.begin(), gpu.readers.end());
      gpu.sent.clear();
    }
    gpu.last = add_step(number, std::move(launch), std::move(after));
  }
  return {};
}

void SlabPlanner::check_layout(Gpu& gpu, const LaunchPlan& pass) const {
  const Layout& layout = pass.buffer("in").layout;
  if (layout.strides != gpu.layout.strides || layout.offset != gpu.layout.offset)
    throw std::logic_error("the layouts of a slab's passes differ");
}

/// Returns a launch of a pass from plane `first_plane` of the slab on, from source to target; its other
/// arrays are called after `scratch`.
Launch SlabPlanner::on_slab(Gpu& gpu, Launch launch, const LaunchPlan& pass, const Place& source,
                            const Place& target, std::int64_t first_plane, const std::string& scratch) {
  const auto shift = [&](const Place& place) {
    return static_cast<std::uint64_t>(first_plane - place.first) * gpu.layout.strides[2];
  };
  const auto move = [&](std::string& name, std::uint64_t& offset) {
    if (name == "in" || name == "out") {
      const Place& place = name == "in" ? source : target;
      offset += shift(place);
      name = place.buffer;
      return;
    }
    const BufferSpec& spec = pass.buffer(name);
    name = scratch + "_" + name;
    BufferSpec& buffer = gpu.others.try_emplace(name, spec).first->second;
    buffer.layout.allocation = std::max(buffer.layout.allocation, spec.layout.allocation);
  };
  for (KernelArgument& argument : launch.arguments) {
    if (auto* map = std::get_if<TensorMapArgument>(&argument)) {
      move(map->buffer, map->map.offset);
    } else if (auto* given = std::get_if<BufferArgument>(&argument)) {
      given->read_only = given->buffer == "in";
      move(given->buffer, given->offset);
    }
  }
  return launch;
}

/// Computes the planes at all cuts that the neighbours need `steps` later, `depth` of them.
Result<void> SlabPlanner::add_edges(const std::string& source, std::int64_t steps, std::int64_t depth) {
  if (!overlap_ || depth == 0) return {};
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu)
    for (const bool high : {false, true}) {
      if (high ? !gpus_[gpu].slab.high_cut() : !gpus_[gpu].slab.low_cut()) continue;
      if (const Result<void> added = add_edge(gpu, high, source, steps, depth); !added) return added;
    }
  return {};
}

Result<void> SlabPlanner::add_edge(std::size_t number, bool high, const std::string& source,
                                   std::int64_t steps, std::int64_t depth) {
  Gpu& gpu = gpus_[number];
  Edge& edge = gpu.edges[high ? 1 : 0];
  const std::int64_t ghosts = rhythm_.steps * reach_;
  const std::int64_t cut = (high ? gpu.slab.own_end : gpu.slab.own_begin) - gpu.slab.begin;
  const std::int64_t own_first = high ? cut - depth : cut;
  const std::int64_t base = std::max<std::int64_t>(0, high ? cut - 2 * ghosts : cut - ghosts);
  const std::string name = of_gpu(high ? "high" : "low", number);
  const std::size_t stream = gpus_.size() + 2 * number + (high ? 1 : 0);
  Place from{of_gpu(source, number)};
  std::vector<std::size_t> after;
  if (gpu.any) after.push_back(gpu.newest);
  if (edge.read) after.push_back(*std::exchange(edge.read, {}));
  int turn = 0;
  for (std::int64_t done = 0; done < steps; done += rhythm_.pass, ++turn) {
    const std::int64_t spoilt = (steps - done) * reach_;
    const std::int64_t first = std::max<std::int64_t>(0, own_first - spoilt);
    const std::int64_t last = std::min(gpu.slab.planes(), own_first + depth + spoilt);
    const Result<const LaunchPlan*> pass = pass_plan(last - first, std::min(rhythm_.pass, steps - done));
    if (!pass) return tl::unexpected(pass.error());
    check_layout(gpu, **pass);
    const Place to{format("edge_{}_{}", name, turn % 2), base};
    edge.planes = std::max(edge.planes, static_cast<std::uint64_t>(last - base));
    edge.allocation =
        std::max(edge.allocation, (*pass)->buffer("in").layout.allocation +
                                      static_cast<std::uint64_t>(first - base) * gpu.layout.strides[2]);
    gpu.layout.allocation =
        std::max(gpu.layout.allocation, (*pass)->buffer("in").layout.allocation +
                                            static_cast<std::uint64_t>(first) * gpu.layout.strides[2]);
    for (const PlanStep& step : (*pass)->launches) {
      Launch launch =
          on_slab(gpu, std::get<Launch>(step), **pass, from, to, first, format("edge_{}_pass", name));
      edge.computed = add_step_beside(number, stream, std::move(launch), std::exchange(after, {}));
    }
    if (turn == 0) gpu.edge_readers[source].push_back(edge.computed);
    from = to;
  }
  edge.made = from;
  return {};
}

/// Adds a step on the stream of a GPU.
std::size_t SlabPlanner::add_step(std::size_t gpu, PlanStep step, std::vector<std::size_t> after) {
  gpus_[gpu].any = true;
  return gpus_[gpu].newest = add_step_beside(gpu, gpu, std::move(step), std::move(after));
}

std::size_t SlabPlanner::add_step_beside(std::size_t gpu, std::size_t stream, PlanStep step,
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
  Edge& edge = gpus_[from].edges[from < to ? 1 : 0];
  const auto side = [&](std::size_t gpu) {
    const Place array_place = gpu == from && overlap_ ? edge.made : Place{of_gpu(array, gpu)};
    const auto place = static_cast<std::uint64_t>(first_plane - gpus_[gpu].slab.begin - array_place.first);
    return CopySide{array_place.buffer, place * gpus_[gpu].layout.strides[2]};
  };
  const std::uint64_t count = static_cast<std::uint64_t>(depth) * gpus_[to].layout.strides[2];
  const std::size_t computed = overlap_ ? edge.computed : gpus_[from].last;
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
    const std::int64_t vectors = static_cast<std::int64_t>(count) * job_.element_bytes() / 16;
    const std::int64_t blocks =
        std::clamp<std::int64_t>(ceil_div(vectors, exchange_threads), 1, exchange_blocks);
    const CopySide source = side(from), target = side(to);
    Launch launch = make_launch(exchange_entry, blocks, block_of(exchange_threads),
                                {BufferArgument{source.buffer, source.offset, count, true},
                                 BufferArgument{target.buffer, target.offset, count}, int64(count)});
    read = add_step(to, std::move(launch), {computed});
  }
  if (overlap_)
    edge.read = read;
  else
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
    for (const bool high : {false, true})
      for (const int turn : {0, 1}) {
        const Edge& edge = gpu.edges[high ? 1 : 0];
        if (edge.planes == 0) continue;
        Layout layout = gpu.layout;
        layout.extents[2] = edge.planes;
        layout.allocation = edge.allocation;
        BufferSpec buffer{format("edge_{}_{}", of_gpu(high ? "high" : "low", number), turn), job_.type,
                          layout, BufferRole::scratch, true};
        buffer.device = device;
        plan_.buffers.push_back(std::move(buffer));
      }
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
      "whether the planes at the cuts are computed a second time, on a stream of their own, so that the "
      "exchange need not wait for a whole slab",
      {false, true}, false, var("exchange") != "host");
  space.add("graph", "whether the steps of all GPUs are recorded and started as one CUDA graph",
            {false, true}, true);
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
