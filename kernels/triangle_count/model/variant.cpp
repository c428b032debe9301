// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/variant.hpp"

#include <algorithm>

#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

// As in prepare.cuh.
constexpr std::int64_t prepare_threads = 256, prepare_tile = 2048, degree_classes = 1024;

void add_scratch(LaunchPlan& plan, const char* name, ElementType type, std::int64_t length) {
  plan.buffers.push_back({name, type,
                          Layout::dense({static_cast<std::uint64_t>(std::max<std::int64_t>(1, length))}),
                          BufferRole::scratch});
}

/// Adds the launches that make an oriented graph of the given one.
class Preparation {
 public:
  Preparation(LaunchPlan& plan, const TriangleJob& job, bool renumbers, bool with_sources)
      : plan_(plan),
        steps_(job.builds ? plan.launches : plan.setup),
        job_(job),
        renumbers_(renumbers),
        with_sources_(with_sources) {}

  void add() {
    if (renumbers_) add_numbers();
    const char* const starts = renumbers_ ? "given_starts" : "starts";
    const char* const targets = renumbers_ ? "given_targets" : "targets";
    const std::int64_t tiles = std::max<std::int64_t>(1, ceil_div(job_.entries(), prepare_tile));
    add_scratch(plan_, "flags", ElementType::u32, tiles * (prepare_tile / 32));
    add_scratch(plan_, "sums", ElementType::u32, tiles);
    add_scratch(plan_, "starts", ElementType::u32, job_.vertices + 1);
    add_scratch(plan_, "targets", ElementType::i32, job_.edges);
    if (with_sources_) add_scratch(plan_, "sources", ElementType::i32, job_.edges);
    const KernelArgument offsets = BufferArgument{"offsets"}, neighbours = BufferArgument{"neighbours"};
    const KernelArgument vertices = int32(job_.vertices);
    const KernelArgument entries = static_cast<std::uint32_t>(job_.entries());
    const KernelArgument numbers = BufferArgument{renumbers_ ? "numbers" : "neighbours"};
    launch(
        "triangle_orient", tiles,
        {offsets, neighbours, vertices, entries, numbers, BufferArgument{"flags"}, BufferArgument{"sums"}});
    launch_sums("sums", tiles);
    launch("triangle_compact", tiles,
           {offsets, neighbours, vertices, entries, numbers, BufferArgument{"flags"}, BufferArgument{"sums"},
            BufferArgument{starts}, BufferArgument{targets}, sources_argument()});
    if (renumbers_) add_moves();
  }

  /// Adds the rests of rows, by target.
  void add_rests() {
    add_scratch(plan_, "rest_starts", ElementType::u32, job_.vertices + 1);
    add_scratch(plan_, "taken", ElementType::u32, job_.vertices);
    add_scratch(plan_, "rests", ElementType::u32, 2 * job_.edges);
    add_starts("rest_starts", "rest_sums", true);
    steps_.emplace_back(Zero{"taken"});
    launch("triangle_rests", ceil_div(job_.vertices, prepare_threads / 8),
           {BufferArgument{"starts"}, BufferArgument{"targets"}, int32(job_.vertices),
            BufferArgument{"rest_starts"}, BufferArgument{"taken"}, BufferArgument{"rests"}});
  }

  /// Adds the bits of the core and the filters of the other vertices.
  void add_bits(std::int64_t core, std::int64_t filter) {
    constexpr std::int64_t row_bits = 128;
    const std::int64_t blocks = ceil_div(std::min(core, job_.vertices), row_bits),
                       others = job_.vertices - core;
    // Of each block of places all rows have one vector more.
    add_scratch(plan_, "core_rows", ElementType::u32, 4 * (row_bits / 2) * blocks * (blocks + 1));
    add_scratch(plan_, "filters", ElementType::u32, std::max<std::int64_t>(0, others) * (filter / 32));
    launch("triangle_core", ceil_div(std::min(core, job_.vertices), prepare_threads / 32),
           {BufferArgument{"starts"}, BufferArgument{"targets"}, int32(job_.vertices),
            BufferArgument{"core_rows"}});
    if (filter == 0 || others <= 0) return;
    launch("triangle_filters", ceil_div(others * (filter / 32), prepare_threads),
           {BufferArgument{"starts"}, BufferArgument{"targets"}, int32(others), BufferArgument{"filters"}});
  }

 private:
  void launch(const char* entry, std::int64_t blocks, std::vector<KernelArgument> arguments,
              std::int64_t threads = prepare_threads) {
    if (std::ranges::find(plan_.compile.entries, entry) == plan_.compile.entries.end())
      plan_.compile.entries.emplace_back(entry);
    steps_.emplace_back(make_launch(entry, blocks, block_of(threads), std::move(arguments)));
  }

  void launch_sums(const char* sums, std::int64_t count) {
    launch("triangle_sums", 1, {BufferArgument{sums}, int32(count)}, 1024);
  }

  KernelArgument sources_argument() const { return BufferArgument{with_sources_ ? "sources" : "targets"}; }

  void add_numbers() {
    add_scratch(plan_, "classes", ElementType::u32, 2 * degree_classes);
    add_scratch(plan_, "numbers", ElementType::i32, job_.vertices);
    add_scratch(plan_, "order", ElementType::i32, job_.vertices);
    const std::int64_t blocks = ceil_div(job_.vertices, prepare_tile);
    steps_.emplace_back(Zero{"classes"});
    launch("triangle_classes", blocks,
           {BufferArgument{"offsets"}, int32(job_.vertices), BufferArgument{"classes"}});
    launch("triangle_numbers", blocks,
           {BufferArgument{"offsets"}, int32(job_.vertices), BufferArgument{"classes"},
            BufferArgument{"classes", degree_classes}, BufferArgument{"numbers"}, BufferArgument{"order"}});
  }

  /// Adds up the edges from (or to) each vertex.
  void add_starts(const char* starts, const char* sums, bool incoming) {
    const std::int64_t blocks = ceil_div(job_.vertices, prepare_tile);
    add_scratch(plan_, sums, ElementType::u32, blocks);
    const KernelArgument given = BufferArgument{renumbers_ ? "given_starts" : "starts"};
    const KernelArgument order = BufferArgument{renumbers_ ? "order" : "neighbours"};
    const KernelArgument offsets = BufferArgument{"offsets"}, vertices = int32(job_.vertices);
    launch("triangle_sizes", blocks,
           {offsets, given, order, vertices, int32(incoming ? 1 : 0), BufferArgument{sums}});
    launch_sums(sums, blocks);
    launch("triangle_starts", blocks,
           {offsets, given, order, vertices, int32(incoming ? 1 : 0), BufferArgument{sums},
            BufferArgument{starts}});
  }

  void add_moves() {
    constexpr std::int64_t max_long_blocks = 1056;
    add_scratch(plan_, "given_starts", ElementType::u32, job_.vertices + 1);
    add_scratch(plan_, "given_targets", ElementType::i32, job_.edges);
    add_starts("starts", "row_sums", false);
    const KernelArgument given = BufferArgument{"given_starts"}, order = BufferArgument{"order"};
    const KernelArgument vertices = int32(job_.vertices);
    launch("triangle_move", ceil_div(job_.vertices, prepare_threads / 32),
           {given, BufferArgument{"given_targets"}, order, vertices, BufferArgument{"starts"},
            BufferArgument{"targets"}, sources_argument()});
    launch("triangle_move_long", std::min(max_long_blocks, ceil_div(job_.vertices, prepare_threads)),
           {given, BufferArgument{"given_targets"}, order, vertices, BufferArgument{"starts"},
            BufferArgument{"targets"}});
  }

  LaunchPlan& plan_;
  std::vector<PlanStep>& steps_;
  const TriangleJob& job_;
  bool renumbers_, with_sources_;
};

}  // namespace

const KernelFiles& triangle_kernels() {
  static const KernelFiles files("triangle_count");
  return files;
}

LaunchPlan triangle_plan(const TriangleJob& job, std::string_view file, const Configuration& configuration,
                         const KernelSources& sources, MoreOfEdges more) {
  LaunchPlan plan;
  plan.compile = triangle_kernels().request(file, sources);
  add_macros(plan.compile, configuration, {"blocks"});
  plan.buffers.push_back({"offsets", ElementType::u32, Layout::dense(job.offsets()), BufferRole::input});
  plan.buffers.push_back(
      {"neighbours", ElementType::i32, Layout::dense(job.neighbours()), BufferRole::input});
  plan.buffers.push_back({"count", ElementType::u64, Layout::dense({1}), BufferRole::output});
  BufferSpec total{"total", ElementType::u64, Layout::dense({3}), BufferRole::scratch};
  total.fill = BufferFill::zero;
  plan.buffers.push_back(total);
  Preparation preparation(plan, job, configuration["orientation"].as_text() == "renumber",
                          more == MoreOfEdges::sources);
  preparation.add();
  if (more == MoreOfEdges::rests) preparation.add_rests();
  if (more == MoreOfEdges::bits)
    preparation.add_bits(configuration["core"].as_int(), configuration["filter"].as_int());
  return plan;
}

void add_count(LaunchPlan& plan, const char* entry, std::int64_t most, const Configuration& configuration,
               std::vector<KernelArgument> arguments, std::int64_t shared_memory) {
  plan.compile.entries.emplace_back(entry);
  arguments.insert(arguments.end(), {BufferArgument{"total"}, BufferArgument{"count"}});
  plan.launches.emplace_back(
      make_launch(entry, std::clamp<std::int64_t>(most, 1, configuration["blocks"].as_int()),
                  block_of(configuration["block"].as_int()), std::move(arguments), shared_memory));
}

}  // namespace tune::kernels
