// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/framework/request.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

/// A tile passes through both passes before the next one, so that the intermediate image stays in a core's
/// cache.
constexpr std::int64_t cached_x = 64, cached_y = 4096;
/// Neighbouring sums are in registers; compilers turn a loop of known length into vector instructions.
constexpr std::int64_t lanes = 16;

/// sums[i] = sum over t of taps[t] * from[i + t * stride], for `lanes` of them.
void sum_taps(const std::vector<double>& taps, const double* from, std::int64_t stride, double* sums) {
  double partial[lanes] = {};
  for (const double tap : taps) {
    for (std::int64_t i = 0; i < lanes; ++i) partial[i] += tap * from[i];
    from += stride;
  }
  std::copy(partial, partial + lanes, sums);
}

template<class Real>
class Tiles {
 public:
  Tiles(const ConvolutionJob& job, const HostTensor& input, HostTensor& output)
      : job_(job),
        rows_(convolution_taps(job, TapAxis::rows)),
        columns_(convolution_taps(job, TapAxis::columns)),
        in_(input.as<Real>().data()),
        out_(output.as<double>().data()) {}

  std::uint64_t count() const { return static_cast<std::uint64_t>(across() * (ceil_div(job_.ny, cached_y))); }

  void compute(std::int64_t tile) const {
    const std::int64_t x0 = tile % across() * cached_x, y0 = tile / across() * cached_y;
    const std::int64_t height = std::min(cached_y, job_.ny - y0), width = std::min(cached_x, job_.nx - x0);
    // The first pass computes rows y0 - radius to y0 + height + radius; beyond the image they are zeros.
    std::vector<double> filtered(static_cast<std::size_t>((height + 2 * job_.radius) * cached_x), 0.0);
    std::vector<double> segment(static_cast<std::size_t>(cached_x + 2 * job_.radius));
    for (std::int64_t i = 0; i < height + 2 * job_.radius; ++i) {
      throw_if_stopped();
      const std::int64_t y = y0 - job_.radius + i;
      if (y < 0 || y >= job_.ny) continue;
      read(in_ + y * job_.nx, x0 - job_.radius, segment);
      for (std::int64_t x = 0; x < cached_x; x += lanes)
        sum_taps(rows_, segment.data() + x, 1, filtered.data() + i * cached_x + x);
    }
    double sums[cached_x];
    for (std::int64_t y = 0; y < height; ++y) {
      throw_if_stopped();
      for (std::int64_t x = 0; x < cached_x; x += lanes)
        sum_taps(columns_, filtered.data() + y * cached_x + x, cached_x, sums + x);
      std::copy(sums, sums + width, out_ + (y0 + y) * job_.nx + x0);
    }
  }

 private:
  std::int64_t across() const { return ceil_div(job_.nx, cached_x); }

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

double norm_of_taps(const ConvolutionJob& job, TapAxis axis) {
  double squares = 0;
  for (const double tap : convolution_taps(job, axis)) squares += tap * tap;
  return std::sqrt(squares);
}

Tolerance of_roundings(const ConvolutionJob& job, double roundings) {
  const double units = 8 * std::sqrt(roundings) * (job.type == ElementType::f64 ? 2 : 1);
  return {
      units * result_roundoff(job),
      format("8 sqrt(n) = {:.3g} roundings of sums, relative to norm(row taps) norm(column taps) max |in|",
             units)};
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

// Inputs are independent numbers of [-1, 1). Sums and their errors grow like random walks: a pass multiplies
// both by the norm of its taps.
double result_roundoff(const ConvolutionJob& job) {
  const double roundoff = job.type == ElementType::f64 ? 0x1.0p-53 : 0x1.0p-24;
  return roundoff * norm_of_taps(job, TapAxis::rows) * norm_of_taps(job, TapAxis::columns);
}

// Every product and every addition rounds once. So does the reference, which counts where it is no more exact
// than the kernels. The sum of n roundings, each relative to a partial sum, exceeds 8 sqrt(n) with
// probability 2 exp(-32) (N. J. Higham and T. Mary, A new approach to probabilistic rounding error analysis,
// SIAM J. Sci. Comput. 41, 2019). A missing or misplaced tap moves results by a thousand times that.
Tolerance sums_tolerance(const ConvolutionJob& job) {
  return of_roundings(job, static_cast<double>(2 * (job.taps() + 1)) + 2);
}

// The product of two taps is rounded once more.
Tolerance direct_tolerance(const ConvolutionJob& job) {
  return of_roundings(job, static_cast<double>(job.taps() * job.taps()) + 4);
}

// Floats have more errors than the roundings of sums. (1) A product of two numbers in two parts of 11 bits
// loses the product of the small parts and the bits that these lack, up to 2^-22 + 2 * 2^-23 of itself, 8
// units of roundoff. Over all taps of both passes these add up like random numbers; eight standard deviations
// count, and pixels have a root mean square of 1 / sqrt(3). (2) Tensor cores truncate their sums, three times
// for 8 terms, by up to two units each and always to one side. These sums grow like a random walk up to a
// result, which is rarely larger than 2.5 norms. With rounding additions only sums of 8 terms are truncated.
Tolerance products_tolerance(const ConvolutionJob& job, bool rounded) {
  if (job.type == ElementType::f64) return sums_tolerance(job);
  const auto steps = static_cast<double>((16 + 2 * job.radius + 7) / 8);
  const double parts = 8 * std::sqrt(2.0 / 3) * 8;
  const double cuts = 2 * 2 * 3 * 2.5 * (rounded ? 1.0 : steps * 2 / 3);
  const Tolerance sums = sums_tolerance(job);
  return {sums.absolute + (parts + cuts) * result_roundoff(job),
          format("{}; {:.3g} units of roundoff for operands in two parts, {:.3g} for sums that are cut",
                 sums.derivation, parts, cuts)};
}

// A transform of n numbers adds 6.7 units of roundoff for each of its log2(n) steps, relative to the root
// mean square of its results (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem
// 24.2), if its factors are good to one unit; powers of them are good to six. Single errors stay below this
// bound, because roundings are spread over all pixels and add up like random numbers: the largest of 10^9 is
// six times the mean, and the sum of worst cases exceeds the mean by more. The spectrum's rounding, the
// product and the scale add ten for each pass. Numbers are pairs of pixels, larger by sqrt(2).
Tolerance transforms_tolerance(const ConvolutionJob& job, double row_length, double column_length) {
  constexpr double step = 7 + 5, product = 10;
  const double steps = std::log2(row_length) + std::log2(column_length);
  const double units = std::sqrt(2.0) * (2 * step * steps + 2 * product);
  return {
      units * result_roundoff(job),
      format(
          "{:.3g} roundings of transforms there and back, relative to norm(row taps) norm(column taps) max "
          "|in|",
          units)};
}

}  // namespace tune::kernels
