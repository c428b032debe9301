// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/variant.hpp"

#include "kernels/framework/bounds.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {

using search::Expr;
using search::Value;
using search::var;

const KernelFiles& gemm_files() {
  static const KernelFiles files("gemm");
  return files;
}

Constants gemm_constants(const GemmJob& job) {
  return {{"words", job.element_bytes() / 4}, {"alignment", 16 / job.element_bytes()}};
}

std::int64_t gemm_value(const Expr& expression, const GemmJob& job,
                        const search::Configuration& configuration, Constants defaults) {
  defaults.merge(gemm_constants(job));
  return evaluated(expression, configuration, defaults);
}

Layout matrix_layout(std::int64_t rows, std::int64_t columns, ElementType type, bool padded) {
  return row_layout({static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)}, padded,
                    static_cast<std::int64_t>(128 / element_size(type)));
}

std::int64_t value_or(const search::Configuration& configuration, std::string_view name,
                      std::int64_t otherwise) {
  return configuration.has(name) ? configuration[name].as_int() : otherwise;
}

bool is_padded(const search::Configuration& configuration) {
  return configuration.has("padded") && configuration["padded"].as_bool();
}

std::int64_t row_vector(const search::Configuration& configuration) {
  return is_padded(configuration) || !configuration.has("vector") ? 1 : configuration["vector"].as_int();
}

LaunchPlan gemm_plan(const GemmJob& job, std::string_view file, const search::Configuration& configuration,
                     const KernelSources& sources) {
  LaunchPlan plan;
  plan.compile = gemm_files().request(file, sources);
  plan.compile.defines = {{"REAL", std::string(to_string(job.type))},
                          {"ACCUMULATE", job.accumulates() ? "1" : "0"}};
  add_macros(plan.compile, configuration, {"padded"});
  const bool padded = is_padded(configuration);
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, BufferRole role) {
    plan.buffers.push_back({name, job.type, matrix_layout(rows, columns, job.type, padded), role, padded});
  };
  add(job.left, job.m, job.k, BufferRole::input);
  add(job.right, job.k, job.n, BufferRole::input);
  add("c", job.m, job.n, BufferRole::output);
  if (job.accumulates()) plan.buffers.back().fill = BufferFill::contents;
  return plan;
}

Launch gemm_launch(const GemmJob& job, const search::Configuration& configuration, const char* entry,
                   const GemmTile& tile, Dim3 block, std::int64_t shared_memory) {
  Launch launch = make_launch(entry, ceil_div(job.m, tile.m) * ceil_div(job.n, tile.n), block,
                              {BufferArgument{job.left}, BufferArgument{job.right}, BufferArgument{"c"},
                               int32(job.m), int32(job.n), int32(job.k)},
                              shared_memory);
  for (const std::int64_t columns : {job.k, job.n, job.n})
    launch.arguments.emplace_back(
        int64(matrix_layout(1, columns, job.type, is_padded(configuration)).strides[1]));
  launch.arguments.emplace_back(real_argument(job.type, job.alpha));
  launch.arguments.emplace_back(real_argument(job.type, job.beta));
  return launch;
}

void add_padded(FamilySpace& space) {
  space.add("padded",
            "whether rows are padded to whole lines of 128 bytes, so that vectors are aligned in every row",
            {false, true}, true);
  space.rule(var("padded") || (var("n") % var("vector") == 0 && var("k") % var("vector") == 0),
             "vectors of unpadded matrices need rows that are whole vectors: else they are not aligned");
}

void add_gemm_limits(FamilySpace& space, const Expr& threads, const Expr& registers, const Expr& shared) {
  const Rules rules = space.rules();
  rules.add_max_threads(threads);
  rules.add_min_threads(threads);
  rules.add_resident_threads(threads);
  rules.add_registers(registers, threads, few_registers);
  rules.add_shared_memory(shared, "the tiles");
}

std::vector<Value> up_to(std::initializer_list<int> numbers, std::int64_t max) {
  std::vector<Value> values;
  for (const int number : numbers)
    if (number <= max || values.empty()) values.emplace_back(number);
  return values;
}

// A group of more than all rows of the smallest tiles is a group of all.
void add_group(FamilySpace& space, const GemmJob& job, std::int64_t min_rows, std::optional<Value> usual) {
  const std::vector<Value> groups = up_to({1, 4, 8, 16}, ceil_div(job.m, min_rows) * 2 - 1);
  space.add("group",
            "rows of tiles that consecutive blocks compute together, so that they share operands in L2",
            groups, usual ? *usual : groups.back());
}

void add_group_rule(FamilySpace& space) {
  space.rule(var("group") == 1 || var("group") < ceil_div(var("m"), var("block_m")) * 2,
             "there are fewer rows of tiles");
}

double seconds_on_scalar_cores(const GemmJob& job, const DeviceProperties& device) {
  return seconds_of_operations(2 * job.multiply_adds(), job.type == ElementType::f64
                                                            ? device.peak_flops_f64()
                                                            : device.peak_flops_f32());
}

double seconds_on_tensor_cores(const GemmJob& job, const DeviceProperties& device) {
  if (job.type == ElementType::f64)
    return seconds_of_operations(2 * job.multiply_adds(), device.peak_flops_tensor_f64());
  const double products = job.arithmetic == Arithmetic::tf32 ? 1 : 3;
  return seconds_of_operations(2 * job.multiply_adds() * products, device.peak_flops_tensor_tf32());
}

}  // namespace tune::kernels
