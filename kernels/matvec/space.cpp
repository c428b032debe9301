// SPDX-License-Identifier: Apache-2.0
// The parameters of all variants of matvec and the rules that hold for all.
#include <algorithm>
#include <set>

#include "kernels/matvec/model/shape.hpp"
#include "kernels/matvec/variants.hpp"
#include "search/expressions/expr.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::Parameter;
using search::Role;
using search::SpaceDefinition;
using search::var;

/// Facts of an architecture alone do not say how many multiprocessors its devices have: as many as a large
/// one.
std::int64_t multiprocessors(const DeviceProperties& device) {
  constexpr int of_a_large_device = 128;
  return device.multiprocessors > 1 ? device.multiprocessors : of_a_large_device;
}

Expr in_registers() {
  return var("kept") == "registers";
}
Expr in_shared() {
  return var("kept") == "shared";
}

/// Lengths of strips of which so many lie below each other as blocks for the whole device need, with 1 to 64
/// tiles beside each other.
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

/// Of these and the powers of two up to `most`: the powers, and what divides the columns.
std::vector<Value> divisors(const MatvecJob& job, std::int64_t min, std::int64_t max,
                            std::initializer_list<std::int64_t> others) {
  std::set<std::int64_t> values;
  for (std::int64_t power = min; power <= max; power *= 2) values.insert(power);
  for (const std::int64_t other : others)
    if (other <= max && job.columns % other == 0) values.insert(other);
  return {values.begin(), values.end()};
}

/// Threads along a row: no more than it needs, and fewer than a warp for narrow matrices alone.
std::vector<Value> widths(const MatvecJob& job) {
  constexpr std::int64_t narrow = 2048, warp = 32, max = 1024;
  std::int64_t enough = warp;
  while (enough < std::min(job.columns, max)) enough *= 2;
  return divisors(job, job.columns <= narrow ? 8 : warp, enough,
                  {96, 192, 384, 768, 224, 448, 896, 320, 640});
}

/// Vectors of a row that a thread has: where columns are no power of two, whatever fits them.
std::vector<Value> unrolled(const MatvecJob& job) {
  if ((job.columns & (job.columns - 1)) == 0) return {1, 2, 4, 8, 16};
  return {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
}

Value nearest(const std::vector<Value>& values, std::int64_t wanted) {
  return *std::ranges::min_element(values, {}, [&](const Value& value) {
    return value.as_int() > wanted ? value.as_int() - wanted : wanted - value.as_int();
  });
}

Parameter variant_parameter(const MatvecJob& job) {
  Parameter variant{"variant", "", {}, "two_pass"};
  for (const MatvecVariant& known : matvec_variants()) {
    if (!known.applies(job)) continue;
    variant.values.push_back(std::string(known.name));
    variant.documentation +=
        format("{}{}: {}", variant.documentation.empty() ? "" : "; ", known.name, known.summary);
  }
  return variant;
}

/// In an order in which what the limits on memory tie together lies side by side.
std::vector<Parameter> tile_parameters(const MatvecJob& job, const DeviceProperties& device) {
  const std::vector<Value> lengths = row_blocks(job, device), wide = widths(job);
  std::vector<Parameter> all;
  all.push_back({"kept",
                 "where rows lie while they are multiplied, and where they are loaded ahead to",
                 {"registers", "shared"},
                 "registers"});
  if (job.has_n())
    all.push_back({"place", "where the block's part of x lies", {"registers", "shared"}, "registers"});
  all.push_back({"vector",
                 "neighbouring columns that a thread loads together",
                 {1, 2, 4},
                 job.type == ElementType::f64 ? 2 : 4,
                 std::nullopt,
                 Role::work});
  all.push_back(
      {"unroll_x", "vectors of a row that a thread has", unrolled(job), 1, std::nullopt, Role::work});
  all.push_back(
      {"block_x", "threads of a block along a row", wide, nearest(wide, 128), std::nullopt, Role::threads});
  all.push_back(
      {"unroll_y", "rows that a thread has at a time", {1, 2, 3, 4, 6, 8, 16}, 4, std::nullopt, Role::work});
  all.push_back(
      {"block_y", "threads of a block along the rows", {1, 2, 4, 8, 16, 32}, 1, std::nullopt, Role::threads});
  all.push_back({"stages",
                 "batches of rows (block_y * unroll_y of them) that are there or on their way",
                 {1, 2, 3, 4, 6, 8},
                 2});
  if (job.op == MatvecJob::Op::ata)
    all.push_back({"lag",
                   "batches between that whose products are sent to other blocks and that whose products are "
                   "asked for",
                   {0, 1, 2, 3},
                   1,
                   var("variant") == "sliced"});
  all.push_back({"min_blocks",
                 "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
                 {1, 2, 3, 4, 8},
                 1});
  all.push_back({"strip", "rows of a block", lengths,
                 nearest(lengths, (job.rows + multiprocessors(device) - 1) / multiprocessors(device))});
  return all;
}

std::vector<Parameter> path_parameters(const MatvecJob& job) {
  std::vector<Parameter> all;
  all.push_back({"path",
                 "loads into registers: ld.global.nc (readonly) or evict first (streaming)",
                 {"readonly", "streaming"},
                 "readonly",
                 in_registers()});
  all.push_back({"reduction",
                 "how the sums of several blocks are added up: by a second launch (kernel) or after a "
                 "barrier of the grid "
                 "(barrier), in a fixed order both; or as they come (atomic), which differs from run to run",
                 {"kernel", "atomic"},
                 "kernel"});
  if (job.op == MatvecJob::Op::ata) all.back().values.emplace_back("barrier");
  all.push_back({"reduce_parts",
                 "warps of a block of the second launch",
                 {4, 8, 16, 32},
                 8,
                 var("reduction") == "kernel"});
  all.push_back({"padded",
                 "whether rows are padded to whole lines of 32 elements",
                 {false, true},
                 job.columns % 32 != 0});
  return all;
}

Expr threads() {
  return var("block_x") * var("block_y");
}
Expr cells() {
  return var("vector") * var("unroll_x");
}
Expr tile() {
  return var("block_x") * cells();
}
Expr batch() {
  return var("block_y") * var("unroll_y");
}
Expr slices() {
  return ceil_div(var("columns"), tile());
}
Expr row_blocks() {
  return ceil_div(var("rows"), var("strip"));
}

void add_tile_rules(std::vector<Constraint>& rules, const MatvecJob& job, const DeviceProperties& device) {
  const auto add = [&](const Expr& rule, const char* reason) { rules.push_back({rule, reason}); };
  add(threads() <= var("max_threads"), "a block has more threads than the device allows");
  add(threads() % 32 == 0, "a block is of whole warps");
  add(threads() * var("min_blocks") <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on a multiprocessor");
  add(var("padded") || var("columns") % var("vector") == 0,
      "vectors of an unpadded matrix need rows that are whole vectors: else they are not aligned");
  add(!var("padded") || var("columns") % 32 != 0, "rows are whole lines: there is nothing to pad");
  add((slices() * tile() - var("columns")) * 4 <= var("columns") || tile() <= 256,
      "more than a fifth of the threads' columns lie beyond the row");
  add(job.rows <= max_matvec_rows && job.columns <= max_matvec_columns,
      "the kernels count rows and columns in 32 bits");
  add(batch() <= var("strip"), "a strip has fewer rows than a batch");
  add(var("min_blocks") == 1 || slices() * row_blocks() > var("multiprocessors") * (var("min_blocks") - 1),
      "there are not so many blocks for a multiprocessor");
  if (job.elements() >= static_cast<double>(multiprocessors(device)) * 4096) {
    add(slices() * row_blocks() * 2 > var("multiprocessors"),
        "most of the multiprocessors would have no block");
    add(slices() * row_blocks() <= var("multiprocessors") * 64 || row_blocks() == 1,
        "blocks have too little work");
  }
}

void add_memory_rules(std::vector<Constraint>& rules, const MatvecJob& job) {
  const auto add = [&](const Expr& rule, const char* reason) { rules.push_back({rule, reason}); };
  add(in_shared() || var("stages") <= 2, "registers hold one batch, and another one that is on its way");
  add(in_registers() || var("stages") >= 2, "a stage of shared memory is filled while another one is used");
  add(cells() * var("unroll_y") <= 256, "the unrolled products are too long to compile quickly");
  const Expr x = job.has_n() ? if_else(var("place") == "registers", cells(), Expr(0)) : Expr(0);
  const Expr sums = job.has_t() ? cells() : Expr(0);
  const Expr rows = if_else(in_registers(), var("unroll_y") * cells() * var("stages"),
                            (var("unroll_y") + 1) * var("vector"));
  add((x + sums + rows) * var("words") + 20 <=
          min(Expr(255), floor_div(var("multiprocessor_registers"), threads() * var("min_blocks"))),
      "the elements alone need more registers than min_blocks leaves to a thread");
  const Expr x_shared = job.has_n() ? if_else(var("place") == "shared", tile(), Expr(0)) : Expr(0);
  const Expr ring = if_else(in_shared(), var("stages") * batch() * tile(), Expr(0));
  const Expr combined = if_else(var("block_y") > 1, threads() * var("vector"), Expr(0));
  // The words of the warps (march.cuh), of the teams' coefficients and of the last sums (sums.cuh).
  const Expr warps = ceil_div(var("block_x"), Expr(32));
  const Expr fixed = batch() * warps * 2 + threads() +
                     ceil_div(threads(), min(var("block_x"), Expr(32))) * var("unroll_y") *
                         if_else(in_shared(), var("stages"), Expr(0));
  const Expr bytes = (max(x_shared + ring, combined) + fixed) * var("words") * 4;
  add(bytes <= var("block_shared"), "the stages do not fit the shared memory of a block");
  add((bytes + var("reserved_shared")) * var("min_blocks") <= var("multiprocessor_shared"),
      "the stages of min_blocks blocks do not fit the shared memory of a multiprocessor");
}

void add_reduction_rules(std::vector<Constraint>& rules, const MatvecJob& job) {
  const auto add = [&](const Expr& rule, const char* reason) { rules.push_back({rule, reason}); };
  const Expr several = job.op == MatvecJob::Op::n   ? slices() > 1
                       : job.op == MatvecJob::Op::t ? row_blocks() > 1
                                                    : slices() > 1 || row_blocks() > 1;
  constexpr const char* nothing = "there is nothing to add up: only the first choice counts";
  add(several || var("reduction") == "kernel", nothing);
  add(several || var("reduce_parts") == 8, nothing);
  if (job.op == MatvecJob::Op::ata)
    add(var("reduction") != "barrier" ||
            ceil_div(slices() * row_blocks(), var("multiprocessors")) <= var("min_blocks"),
        "all blocks have to be on the multiprocessors at once");
}

}  // namespace

SpaceDefinition matvec_space(const MatvecJob& job, const DeviceProperties& device) {
  SpaceDefinition space;
  const auto add = [&](std::vector<Parameter> parameters) {
    for (Parameter& parameter : parameters) space.parameters.push_back(std::move(parameter));
  };
  add({variant_parameter(job)});
  add(tile_parameters(job, device));
  add(path_parameters(job));
  add_tile_rules(space.constraints, job, device);
  add_memory_rules(space.constraints, job);
  add_reduction_rules(space.constraints, job);
  for (const MatvecVariant& variant : matvec_variants())
    if (variant.applies(job)) variant.add_rules(space.constraints, job);
  space.constants = {
      {"rows", job.rows},
      {"columns", job.columns},
      {"words", job.element_bytes() / 4},
      {"multiprocessors", multiprocessors(device)},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
  return space;
}

}  // namespace tune::kernels
