// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "kernels/matvec/model/variant.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {

const VariantTable<MatvecJob, MatvecCheck>& matvec_variants() {
  static const VariantTable<MatvecJob, MatvecCheck> table = {
      "matvec",
      {
          TUNE_VARIANT(MatvecVariant, two_pass_matvec),
          TUNE_VARIANT(MatvecVariant, fused_matvec),
          TUNE_VARIANT(MatvecVariant, sliced_matvec),
          TUNE_VARIANT(MatvecVariant, cooperative_matvec),
      },
  };
  return table;
}

// Parameters and rules of all variants.
namespace {

using search::Expr;
using search::Role;
using search::var;

Expr in_registers() {
  return var("kept") == "registers";
}
Expr in_shared() {
  return var("kept") == "shared";
}

/// Returns lengths of strips that make enough blocks for the whole device, with 1 to 64 tiles beside each
/// other.
std::vector<Value> row_blocks(const MatvecJob& job, const DeviceProperties& device) {
  const std::int64_t all = multiprocessors(device);
  std::set<std::int64_t> counts = {1};
  for (const std::int64_t blocks : {1, 2, 3, 4, 8, 16}) counts.insert(blocks * all);
  for (std::int64_t slices = 2; slices <= 64; slices *= 2)
    counts.insert(std::max<std::int64_t>(1, all / slices));
  std::set<std::int64_t> lengths;
  for (const std::int64_t count : counts) lengths.insert((job.rows + count - 1) / count);
  return {lengths.begin(), lengths.end()};
}

/// Returns the powers of two from `min` to `max`, and those of `others` that divide the columns.
std::vector<Value> divisors(const MatvecJob& job, std::int64_t min, std::int64_t max,
                            std::initializer_list<std::int64_t> others) {
  std::set<std::int64_t> values;
  for (std::int64_t power = min; power <= max; power *= 2) values.insert(power);
  for (const std::int64_t other : others)
    if (other <= max && job.columns % other == 0) values.insert(other);
  return {values.begin(), values.end()};
}

/// Returns threads along a row: no more than it needs, and fewer than a warp for narrow matrices only.
std::vector<Value> widths(const MatvecJob& job) {
  constexpr std::int64_t narrow = 2048, warp = 32, max = 1024;
  std::int64_t enough = warp;
  while (enough < std::min(job.columns, max)) enough *= 2;
  return divisors(job, job.columns <= narrow ? 8 : warp, enough,
                  {96, 192, 384, 768, 224, 448, 896, 320, 640});
}

/// Returns vectors of a row in a thread: more choices if the columns are not a power of two.
std::vector<Value> unrolled(const MatvecJob& job) {
  if ((job.columns & (job.columns - 1)) == 0) return {1, 2, 4, 8, 16};
  return {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
}

Value nearest(const std::vector<Value>& values, std::int64_t wanted) {
  return *std::ranges::min_element(values, {}, [&](const Value& value) {
    return value.as_int() > wanted ? value.as_int() - wanted : wanted - value.as_int();
  });
}

/// The order keeps parameters together that memory limits connect.
void add_tile_parameters(FamilySpace& space, const MatvecJob& job) {
  const DeviceProperties& device = space.device();
  const std::vector<Value> lengths = row_blocks(job, device), wide = widths(job);
  space.add("kept", "where rows lie while they are multiplied, and where they are loaded ahead to",
            {"registers", "shared"}, "registers");
  if (job.has_n())
    space.add("place", "where the block's part of x lies", {"registers", "shared"}, "registers");
  space.add("vector", "neighbouring columns that a thread loads together", {1, 2, 4},
            job.type == ElementType::f64 ? 2 : 4, std::nullopt, Role::work);
  space.add("unroll_x", "vectors of a row that a thread has", unrolled(job), 1, std::nullopt, Role::work);
  space.add("block_x", "threads of a block along a row", wide, nearest(wide, 128), std::nullopt,
            Role::threads);
  space.add("unroll_y", "rows that a thread has at a time", {1, 2, 3, 4, 6, 8, 16}, 4, std::nullopt,
            Role::work);
  space.add("block_y", "threads of a block along the rows", {1, 2, 4, 8, 16, 32}, 1, std::nullopt,
            Role::threads);
  space.add("stages", "batches of rows (block_y * unroll_y of them) on the chip or being loaded",
            {1, 2, 3, 4, 6, 8}, 2);
  if (job.op == MatvecJob::Op::ata)
    space.add("lag",
              "batches between that whose products are sent to other blocks and that whose products are "
              "asked for",
              {0, 1, 2, 3}, 1, var("variant") == "sliced");
  space.add(min_blocks({1, 2, 3, 4, 8}));
  space.add("strip", "rows of a block", lengths,
            nearest(lengths, (job.rows + multiprocessors(device) - 1) / multiprocessors(device)));
}

void add_path_parameters(FamilySpace& space, const MatvecJob& job) {
  space.add("path", "loads into registers: ld.global.nc (readonly) or evict first (streaming)",
            {"readonly", "streaming"}, "readonly", in_registers());
  std::vector<Value> reductions = {"kernel", "atomic"};
  if (job.op == MatvecJob::Op::ata) reductions.emplace_back("barrier");
  space.add("reduction",
            "how the sums of several blocks are added up: by a second launch (kernel) or after a "
            "barrier of the grid "
            "(barrier), in a fixed order both; or as they come (atomic), which differs from run to run",
            reductions, "kernel");
  space.add("reduce_parts", "warps of a block of the second launch", {4, 8, 16, 32}, 8,
            var("reduction") == "kernel");
  space.add("padded", "whether rows are padded to whole lines of 32 elements", {false, true},
            job.columns % 32 != 0);
}

Expr threads() {
  return var("block_x") * var("block_y");
}
Expr cells() {
  return var("vector") * var("unroll_x");
}
void add_tile_rules(FamilySpace& space, const MatvecJob& job) {
  const Rules rules = space.rules();
  const auto add = [&](const Expr& rule, const char* reason) { rules.add(rule, reason); };
  rules.add_max_threads(threads());
  add(threads() % 32 == 0, "a block is of whole warps");
  rules.add_resident_threads(threads());
  add(var("padded") || var("columns") % var("vector") == 0,
      "vectors of an unpadded matrix need rows that are whole vectors: else they are not aligned");
  add(!var("padded") || var("columns") % 32 != 0, "rows are whole lines: there is nothing to pad");
  add((matvec_slices() * matvec_tile() - var("columns")) * 4 <= var("columns") || matvec_tile() <= 256,
      "more than a fifth of the threads' columns lie beyond the row");
  add(job.rows <= max_matvec_rows && job.columns <= max_matvec_columns,
      "the kernels count rows and columns in 32 bits");
  add(matvec_batch() <= var("strip"), "a strip has fewer rows than a batch");
  add(var("min_blocks") == 1 ||
          matvec_slices() * matvec_row_blocks() > var("multiprocessors") * (var("min_blocks") - 1),
      "the grid has fewer blocks per SM");
  if (job.elements() >= static_cast<double>(multiprocessors(space.device())) * 4096) {
    add(matvec_slices() * matvec_row_blocks() * 2 > var("multiprocessors"), "most SMs would have no block");
    add(matvec_slices() * matvec_row_blocks() <= var("multiprocessors") * 64 || matvec_row_blocks() == 1,
        "blocks have too little work");
  }
}

void add_memory_rules(FamilySpace& space, const MatvecJob& job) {
  const Rules rules = space.rules();
  const auto add = [&](const Expr& rule, const char* reason) { rules.add(rule, reason); };
  add(in_registers() || has_async_copies(), no_async_copies);
  add(in_shared() || var("stages") <= 2, "registers hold one batch, and another one that is on its way");
  add(in_registers() || var("stages") >= 2, "a stage of shared memory is filled while another one is used");
  add(cells() * var("unroll_y") <= 256, "the unrolled products are too long to compile quickly");
  const Expr x = job.has_n() ? if_else(var("place") == "registers", cells(), Expr(0)) : Expr(0);
  const Expr sums = job.has_t() ? cells() : Expr(0);
  const Expr rows = if_else(in_registers(), var("unroll_y") * cells() * var("stages"),
                            (var("unroll_y") + 1) * var("vector"));
  rules.add_registers((x + sums + rows) * var("words") + 20, threads(),
                      "the elements alone need more registers than min_blocks leaves to a thread",
                      var("min_blocks"), Expr(255));
  // The words of the warps (march.cuh), of the teams' coefficients and of the last sums (sums.cuh).
  const Expr warps = ceil_div(var("block_x"), Expr(32));
  const Expr fixed = matvec_batch() * warps * 2 + threads() +
                     ceil_div(threads(), min(var("block_x"), Expr(32))) * var("unroll_y") *
                         if_else(in_shared(), var("stages"), Expr(0));
  const Expr bytes = (matvec_shared(job.has_n(), true) + fixed) * var("words") * 4;
  rules.add_shared_memory(bytes, "the stages");
}

void add_reduction_rules(FamilySpace& space, const MatvecJob& job) {
  const Rules rules = space.rules();
  const auto add = [&](const Expr& rule, const char* reason) { rules.add(rule, reason); };
  const Expr several = job.op == MatvecJob::Op::n   ? matvec_slices() > 1
                       : job.op == MatvecJob::Op::t ? matvec_row_blocks() > 1
                                                    : matvec_slices() > 1 || matvec_row_blocks() > 1;
  constexpr const char* nothing = "there is nothing to add up: only the first choice counts";
  add(several || var("reduction") == "kernel", nothing);
  add(several || var("reduce_parts") == 8, nothing);
  if (job.op == MatvecJob::Op::ata)
    add(var("reduction") != "barrier" ||
            ceil_div(matvec_slices() * matvec_row_blocks(), var("multiprocessors")) <= var("min_blocks"),
        "all blocks must be resident at once");
}

}  // namespace

search::SpaceDefinition matvec_space(const MatvecJob& job, const DeviceProperties& device) {
  FamilySpace space({{"rows", job.rows}, {"columns", job.columns}, {"words", job.element_bytes() / 4}},
                    device);
  add_tile_parameters(space, job);
  add_path_parameters(space, job);
  add_tile_rules(space, job);
  add_memory_rules(space, job);
  add_reduction_rules(space, job);
  matvec_variants().add_to(space, job);
  search::SpaceDefinition definition = space.definition();
  // The limits of registers and shared memory, which are those of all variants, are counted once for all.
  definition.counting_order = {"stages",  "kept",    "place",    "vector", "unroll_x",
                               "block_x", "block_y", "unroll_y", "variant"};
  return definition;
}

}  // namespace tune::kernels
