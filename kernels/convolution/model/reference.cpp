// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/reference.hpp"

#include <algorithm>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/framework/request.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::kernels {
namespace {

/// Both passes of one tile after another, so that what lies between them stays in a core's cache.
constexpr std::int64_t tile_x = 64, tile_y = 4096;
/// Neighbouring sums, in registers: a loop of known length is what compilers turn into vector instructions.
constexpr std::int64_t together = 16;

/// sums[i] = sum over t of taps[t] * from[i + t * stride], for `together` neighbours.
void sum_taps(const std::vector<double>& taps, const double* from, std::int64_t stride, double* sums) {
  double partial[together] = {};
  for (const double tap : taps) {
    for (std::int64_t i = 0; i < together; ++i) partial[i] += tap * from[i];
    from += stride;
  }
  std::copy(partial, partial + together, sums);
}

template<class Real>
class Tiles {
 public:
  Tiles(const ConvolutionJob& job, const HostTensor& input, HostTensor& output)
      : job_(job),
        rows_(convolution_taps(job.radius, TapAxis::rows)),
        columns_(convolution_taps(job.radius, TapAxis::columns)),
        in_(input.as<Real>().data()),
        out_(output.as<double>().data()) {}

  std::uint64_t count() const { return static_cast<std::uint64_t>(across() * (ceil_div(job_.ny, tile_y))); }

  void compute(std::int64_t tile) const {
    const std::int64_t x0 = tile % across() * tile_x, y0 = tile / across() * tile_y;
    const std::int64_t height = std::min(tile_y, job_.ny - y0), width = std::min(tile_x, job_.nx - x0);
    // Rows y0 - radius to y0 + height + radius of the first pass; beyond the image they are zeros.
    std::vector<double> filtered(static_cast<std::size_t>((height + 2 * job_.radius) * tile_x), 0.0);
    std::vector<double> segment(static_cast<std::size_t>(tile_x + 2 * job_.radius));
    for (std::int64_t i = 0; i < height + 2 * job_.radius; ++i) {
      const std::int64_t y = y0 - job_.radius + i;
      if (y < 0 || y >= job_.ny) continue;
      read(in_ + y * job_.nx, x0 - job_.radius, segment);
      for (std::int64_t x = 0; x < tile_x; x += together)
        sum_taps(rows_, segment.data() + x, 1, filtered.data() + i * tile_x + x);
    }
    double sums[tile_x];
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < tile_x; x += together)
        sum_taps(columns_, filtered.data() + y * tile_x + x, tile_x, sums + x);
      std::copy(sums, sums + width, out_ + (y0 + y) * job_.nx + x0);
    }
  }

 private:
  std::int64_t across() const { return ceil_div(job_.nx, tile_x); }

  void read(const Real* row, std::int64_t begin, std::vector<double>& segment) const {
    const auto length = static_cast<std::int64_t>(segment.size());
    const std::int64_t first = std::clamp<std::int64_t>(-begin, 0, length);
    const std::int64_t last = std::clamp<std::int64_t>(job_.nx - begin, first, length);
    std::fill(segment.begin(), segment.end(), 0.0);
    for (std::int64_t i = first; i < last; ++i)
      segment[static_cast<std::size_t>(i)] = static_cast<double>(row[begin + i]);
  }

  const ConvolutionJob& job_;
  std::vector<double> rows_, columns_;
  const Real* in_;
  double* out_;
};

template<class Real>
void compute(const ConvolutionJob& job, const HostTensor& input, HostTensor& output) {
  const Tiles<Real> tiles(job, input, output);
  parallel_for(tiles.count(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t tile = begin; tile < end; ++tile) tiles.compute(static_cast<std::int64_t>(tile));
  });
}

}  // namespace

HostTensor convolution_input(const ConvolutionJob& job, std::uint64_t seed) {
  return random_tensor(job.type, job.extents(), Mixer::splitmix, seed * 0x9e3779b97f4a7c15ULL);
}

HostTensor convolution_reference(const ConvolutionJob& job, const HostTensor& input) {
  HostTensor output(ElementType::f64, job.extents());
  if (job.type == ElementType::f64)
    compute<double>(job, input, output);
  else
    compute<float>(job, input, output);
  return output;
}

}  // namespace tune::kernels
