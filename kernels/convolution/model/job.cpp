// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/job.hpp"

#include "kernels/common/transfers.hpp"
#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::string array_of(const char* name, const std::vector<double>& taps, bool immediate) {
  constexpr std::size_t each_line = 4;
  std::string text =
      format("{}__constant__ REAL {}[{}] = {{", immediate ? "constexpr " : "", name, taps.size());
  for (std::size_t i = 0; i < taps.size(); ++i)
    text += format("{}REAL({:.17g}),", i % each_line == 0 ? "\n    " : " ", taps[i]);
  text.pop_back();
  return text + "};\n";
}

}  // namespace

ConvolutionJob convolution_job(const Instance& instance) {
  ConvolutionJob job;
  job.nx = instance.extent("nx");
  job.ny = instance.extent("ny");
  job.radius = static_cast<int>(instance.setting("radius").as_int());
  job.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  job.transfers = with_transfers(instance);
  return job;
}

std::vector<double> convolution_taps(const ConvolutionJob& job, TapAxis axis) {
  const auto count = static_cast<std::size_t>(job.taps());
  const std::uint64_t start = (static_cast<std::uint64_t>(job.radius) * 2 + (axis == TapAxis::rows ? 0 : 1))
                              << 32;
  std::vector<double> taps(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double tap =
        (1 + 0.5 * number_at(job.type, Mixer::splitmix, start + i)) / static_cast<double>(count);
    taps[i] = job.type == ElementType::f64 ? tap : static_cast<double>(static_cast<float>(tap));
  }
  return taps;
}

std::string taps_header(const ConvolutionJob& job, bool immediate) {
  const auto vector_width = static_cast<std::size_t>(job.vector_width());
  const auto whole = [vector_width](std::vector<double> taps) {
    taps.resize((taps.size() + vector_width - 1) / vector_width * vector_width, 0.0);
    return taps;
  };
  std::vector<double> rows = convolution_taps(job, TapAxis::rows);
  const auto radius = static_cast<std::size_t>(job.radius);
  rows.insert(rows.begin(), (vector_width - radius % vector_width) % vector_width, 0.0);
  return format("// Weights along x and y.\n#pragma once\n\nconstexpr int radius = {};\n\n", job.radius) +
         array_of("row_taps", whole(std::move(rows)), immediate) + "\n" +
         array_of("column_taps", whole(convolution_taps(job, TapAxis::columns)), immediate);
}

std::string product_taps_header(const ConvolutionJob& job, bool immediate) {
  std::vector<double> products;
  for (const double column : convolution_taps(job, TapAxis::columns))
    for (const double row : convolution_taps(job, TapAxis::rows)) products.push_back(column * row);
  return format("// Products of the weights along y and x.\n#pragma once\n\nconstexpr int radius = {};\n\n",
                job.radius) +
         array_of("product_taps", products, immediate);
}

}  // namespace tune::kernels
