// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/stencil3d.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "kernels/stencil/geometry.hpp"
#include "kernels/stencil/reference.hpp"
#include "kernels/stencil/shapes.hpp"
#include "kernels/stencil/size.hpp"
#include "kernels/stencil/space.hpp"
#include "kernels/stencil/weights.hpp"
#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

/// What the kernel files include, all in the folder of the problem.
constexpr const char* common_headers[] = {"indices.cuh", "vectors.cuh"};
constexpr const char* streaming_headers[] = {
    "async_copy.cuh",       "streaming_inputs.cuh", "streaming_partial_sums.cuh",
    "streaming_planes.cuh", "streaming_sums.cuh",   "streaming_tile.cuh"};

std::string file_name(std::string_view name) {
  return format("stencil/{}", name);
}

ProblemInfo make_info() {
  ProblemInfo info;
  info.name = "stencil3d";
  info.summary = "one time step of a 3-D star or box stencil";
  info.extents = {{"nx", "cells along x, the fastest dimension", 512},
                  {"ny", "cells along y", 512},
                  {"nz", "cells along z", 512}};
  info.settings = {
      {"type", "type of a cell", {"float", "double"}, "float"},
      {"shape", "star: points on the axes; box: all points within the radius", {"star", "box"}, "star"},
      {"radius", "how far the stencil reaches along each axis [cells]", {1, 2, 3, 4, 5, 6, 7, 8}, 1},
  };
  info.item = "cell update";
  info.sources = {file_name("direct.cu"), file_name("streaming.cu")};
  for (const char* header : common_headers) info.sources.push_back(file_name(header));
  for (const char* header : streaming_headers) info.sources.push_back(file_name(header));
  return info;
}

/// A parameter's value as the kernel's macro takes it: numbers as they are, a named choice as the enumerator
/// (`loader=async` is `Loader::async`).
std::string macro_value(const std::string& name, const Value& value) {
  if (!value.is_text()) return std::to_string(value.as_int());
  std::string type = name;
  type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
  return type + "::" + value.as_text();
}

std::string macro_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return name;
}

CompileRequest compile_request(const StencilSize& size, const Configuration& configuration,
                               const KernelSources& sources) {
  const bool streaming = configuration["variant"].as_text() == "streaming";
  const std::string file = file_name(configuration["variant"].as_text() + ".cu");
  CompileRequest request;
  request.source = {file, sources.text(file)};
  request.headers = {{"stencil_weights.cuh", weights_header(make_stencil(size.shape, size.radius))}};
  const auto add = [&](const char* header) {
    request.headers.push_back({header, sources.text(file_name(header))});
  };
  for (const char* header : common_headers) add(header);
  if (streaming)
    for (const char* header : streaming_headers) add(header);
  request.defines = {{"RADIUS", std::to_string(size.radius)},
                     {"SHAPE", "Shape::" + size.shape},
                     {"REAL", std::string(to_string(size.type))}};
  for (const auto& [name, value] : configuration.entries()) {
    if (name != "variant") request.defines.emplace_back(macro_name(name), macro_value(name, value));
  }
  // A box has one queue only, so that it is no choice of its space.
  if (!size.star() && streaming) request.defines.emplace_back("QUEUE", "Queue::partial_sums");
  request.entries = {"stencil3d"};
  return request;
}

class Stencil3d : public Problem {
 public:
  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance& instance, const DeviceFacts& device) const override {
    return stencil_space(StencilSize(instance), device);
  }

  Work work(const Instance& instance) const override {
    const StencilSize size(instance);
    const auto inner = [&](std::int64_t extent) {
      return static_cast<double>(std::max<std::int64_t>(0, extent - 2 * size.radius));
    };
    const auto points = static_cast<double>(make_stencil(size.shape, size.radius).points.size());
    Work work;
    work.items = size.cells();
    work.flops = inner(size.nx) * inner(size.ny) * inner(size.nz) * (2 * points - 1);
    work.bytes = 2 * size.cells() * size.element_bytes();
    work.arithmetic = size.type;
    return work;
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    const StencilSize size(instance);
    const StencilGeometry geometry = stencil_geometry(size, configuration);
    const Result<Dim3> grid = stencil_grid(size, geometry);
    if (!grid) return tl::unexpected<Failure>(grid.error());
    const Layout layout = stencil_layout(size, geometry, configuration["padded"].as_bool());
    if (layout.strides[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      return fail(Phase::constraint, "extent", "a row does not fit the kernel's 32-bit pitch");

    LaunchPlan plan;
    plan.compile = compile_request(size, configuration, sources);
    plan.buffers = {{"in", size.type, layout, BufferRole::input},
                    {"out", size.type, layout, BufferRole::output}};
    Launch launch;
    launch.entry = "stencil3d";
    launch.grid = *grid;
    launch.block = geometry.block;
    launch.dynamic_shared_memory = geometry.shared_bytes;
    launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"}};
    for (const std::int64_t extent : {size.nx, size.ny, size.nz})
      launch.arguments.push_back(ScalarArgument{static_cast<std::int32_t>(extent)});
    for (const std::size_t axis : {1, 2})
      launch.arguments.push_back(ScalarArgument{static_cast<std::int64_t>(layout.strides[axis])});
    plan.launches = {launch};
    return plan;
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    TensorSet set;
    set.emplace("in", stencil_input(StencilSize(instance), seed));
    return set;
  }

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    const StencilSize size(instance);
    TensorSet set;
    set.emplace("out",
                stencil_reference(size, make_stencil(size.shape, size.radius), inputs.find("in")->second));
    return set;
  }

  Tolerance tolerance(const Instance& instance) const override {
    const StencilSize size(instance);
    const Stencil stencil = make_stencil(size.shape, size.radius);
    const double unit = size.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
    const auto terms = static_cast<double>(stencil.points.size());
    // Every addition rounds a partial sum, at most sum |w| |in|, by one unit roundoff; the weights' own
    // rounding and, without fused multiply-adds, that of the products add one such unit each over the whole
    // sum.
    return {(terms + 3) * unit * absolute_weight(stencil),
            format("(points + 3) roundings of a sum bounded by sum |weight| max |in| = {:.3g}",
                   absolute_weight(stencil))};
  }

  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    const StencilSize size(instance);
    const std::int64_t r = size.radius;
    // A reference of a large box costs (2 r + 1)^3 operations a cell: fewer cells there.
    const bool costly = !size.star() && r > 2;
    std::vector<Instance> instances;
    const auto add = [&](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
      // Rows of an unpadded array are whole vectors.
      const std::int64_t vector = configuration["padded"].as_bool() ? 1 : configuration["vector"].as_int();
      Instance check = instance;
      check.extents = {{"nx", (nx + vector - 1) / vector * vector}, {"ny", ny}, {"nz", nz}};
      instances.push_back(std::move(check));
    };
    if (costly)
      add(2 * r + 21, 2 * r + 7, 2 * r + 9);
    else
      add(139, 45, 39);
    add(2 * r + 1, 2 * r + 3, 2 * r + 2);
    add(5, 3, 2);  // boundary cells alone, as soon as the radius is 1
    return instances;
  }

 private:
  ProblemInfo info_ = make_info();
};

}  // namespace

std::unique_ptr<Problem> make_stencil3d() {
  return std::make_unique<Stencil3d>();
}

}  // namespace tune::kernels
