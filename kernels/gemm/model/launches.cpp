// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/launches.hpp"

#include <algorithm>

#include "kernels/common/request.hpp"

namespace tune::kernels {

Layout matrix_layout(std::int64_t rows, std::int64_t columns, ElementType type, bool padded) {
  const Extents extents = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)};
  if (!padded) return Layout::dense(extents);
  const auto line = static_cast<std::int64_t>(128 / element_size(type));
  Layout layout;
  layout.extents = extents;
  layout.strides = {1, static_cast<std::uint64_t>(tiles_of(columns, line) * line)};
  layout.allocation = layout.strides[1] * extents[1];
  return layout;
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

CompileRequest gemm_request(const GemmJob& job, std::string_view file,
                            const std::vector<std::string_view>& headers,
                            const search::Configuration& configuration, const KernelSources& sources,
                            const std::vector<std::string_view>& no_macros) {
  CompileRequest request;
  request.source = {std::string(file), sources.text(file)};
  for (const std::string_view name : headers) request.headers.push_back(header(sources, name));
  request.defines = {{"REAL", std::string(to_string(job.type))},
                     {"ACCUMULATE", job.accumulates() ? "1" : "0"}};
  for (const auto& [parameter, value] : configuration.entries())
    if (parameter != "variant" && parameter != "padded" &&
        std::ranges::find(no_macros, parameter) == no_macros.end())
      request.defines.push_back(macro(parameter, value));
  return request;
}

void add_matrices(LaunchPlan& plan, const GemmJob& job, bool padded) {
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, BufferRole role) {
    plan.buffers.push_back({name, job.type, matrix_layout(rows, columns, job.type, padded), role, padded});
  };
  add(job.left, job.m, job.k, BufferRole::input);
  add(job.right, job.k, job.n, BufferRole::input);
  add("c", job.m, job.n, BufferRole::output);
  if (job.accumulates()) plan.buffers.back().fill = BufferFill::contents;
}

ScalarArgument real_argument(const GemmJob& job, double value) {
  if (job.type == ElementType::f64) return value;
  return static_cast<float>(value);
}

std::vector<KernelArgument> gemm_arguments(const GemmJob& job, bool padded) {
  std::vector<KernelArgument> arguments{BufferArgument{job.left}, BufferArgument{job.right},
                                        BufferArgument{"c"}};
  for (const std::int64_t extent : {job.m, job.n, job.k})
    arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(extent)});
  for (const std::int64_t columns : {job.k, job.n, job.n}) {
    const Layout layout = matrix_layout(1, columns, job.type, padded);
    arguments.emplace_back(ScalarArgument{static_cast<std::int64_t>(layout.strides[1])});
  }
  arguments.emplace_back(real_argument(job, job.alpha));
  arguments.emplace_back(real_argument(job, job.beta));
  return arguments;
}

}  // namespace tune::kernels
