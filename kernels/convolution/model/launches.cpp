// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/launches.hpp"

#include <limits>

#include "kernels/common/request.hpp"

namespace tune::kernels {

CompileRequest convolution_request(const ConvolutionJob& job, std::string_view file,
                                   const std::vector<std::string_view>& headers,
                                   const search::Configuration& configuration, const KernelSources& sources) {
  const search::Value* taps = configuration.find("taps");
  CompileRequest request;
  request.source = {std::string(file), sources.text(file)};
  request.headers = {
      {"convolution_taps.cuh", taps_header(job, taps != nullptr && taps->as_text() == "immediate")}};
  for (const std::string_view included : headers) request.headers.push_back(header(sources, included));
  request.defines = {{"REAL", std::string(to_string(job.type))}};
  for (const auto& [parameter, value] : configuration.entries())
    if (parameter != "variant" && parameter != "padded") request.defines.push_back(macro(parameter, value));
  return request;
}

Layout image_layout(const ConvolutionJob& job, bool padded) {
  if (!padded) return Layout::dense(job.extents());
  constexpr std::int64_t line = 32;  // pixels
  const auto pitch = static_cast<std::uint64_t>((job.nx + line - 1) / line * line);
  Layout layout;
  layout.extents = job.extents();
  layout.strides = {1, pitch};
  layout.allocation = pitch * static_cast<std::uint64_t>(job.ny);
  return layout;
}

void add_images(LaunchPlan& plan, const ConvolutionJob& job, const Layout& layout) {
  plan.buffers.push_back({"in", job.type, layout, BufferRole::input, true});
  plan.buffers.push_back({"out", job.type, layout, BufferRole::output, true});
}

Result<std::uint32_t> blocks_of_tiles(const ConvolutionJob& job, std::int64_t tile_x, std::int64_t tile_y) {
  const std::int64_t blocks = ((job.nx + tile_x - 1) / tile_x) * ((job.ny + tile_y - 1) / tile_y);
  if (blocks > std::numeric_limits<std::int32_t>::max())
    return fail(Phase::constraint, "grid", "more blocks than a grid can have");
  return static_cast<std::uint32_t>(blocks);
}

}  // namespace tune::kernels
