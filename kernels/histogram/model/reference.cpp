// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/model/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

constexpr std::uint64_t grain = 1 << 16;

/// Returns a number in [0, 1) with 32 random bits at least.
double uniform_at(std::uint64_t counter) {
  return static_cast<double>(mixed_bits(Mixer::splitmix, counter) >> 11) * 0x1.0p-53;
}

/// Returns where a sample lies in the range of its type, in [0, 1).
double place_at(HistogramJob::Data data, std::uint64_t seed, std::uint64_t number) {
  const double uniform = uniform_at(seed * 0xd1342543de82ef95ULL + number);
  switch (data) {
    case HistogramJob::Data::one:
      return uniform_at(seed);
    case HistogramJob::Data::skewed: {
      // The first 256th of the range has a quarter of the samples.
      const double square = uniform * uniform;
      return square * square;
    }
    case HistogramJob::Data::uniform:
    case HistogramJob::Data::outside:
      break;
  }
  return uniform;
}

float outside_of_range(std::uint64_t counter) {
  static constexpr float values[] = {1.0F,
                                     -0x1.0p-24F,
                                     -1.0F,
                                     2.5F,
                                     1e30F,
                                     -1e30F,
                                     std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN()};
  return values[counter % std::size(values)];
}

template<class Sample>
Sample sample_at(HistogramJob::Data data, std::uint64_t seed, std::uint64_t number) {
  const double place = place_at(data, seed, number);
  if constexpr (std::is_floating_point_v<Sample>) {
    if (data == HistogramJob::Data::outside && number % 10 == 3) return outside_of_range(number / 10);
    // Rounding could reach 1.
    return std::min(static_cast<Sample>(place), std::nextafter(Sample{1}, Sample{0}));
  } else {
    return static_cast<Sample>(place * std::ldexp(1.0, std::numeric_limits<Sample>::digits));
  }
}

/// Returns the bin of a sample; -1: none.
template<class Sample>
std::int64_t bin_of(Sample sample, std::int64_t bins) {
  if constexpr (std::is_floating_point_v<Sample>) {
    if (!(sample >= 0 && sample < 1)) return -1;
    return std::min(static_cast<std::int64_t>(sample * static_cast<Sample>(bins)), bins - 1);
  } else {
    return static_cast<std::int64_t>(std::uint64_t{sample} * static_cast<std::uint64_t>(bins) >>
                                     std::numeric_limits<Sample>::digits);
  }
}

template<class Use>
void with_sample(ElementType type, const Use& use) {
  with_element(type, [&](auto sample) {
    using Sample = decltype(sample);
    if constexpr (std::is_same_v<Sample, float> || (std::is_unsigned_v<Sample> && sizeof(Sample) <= 4))
      use(sample);
  });
}

}  // namespace

TensorSet histogram_inputs(const HistogramJob& job, std::uint64_t seed) {
  const auto count = static_cast<std::uint64_t>(job.samples);
  HostTensor samples(job.type, {count});
  with_sample(job.type, [&](auto sample) {
    using Sample = decltype(sample);
    const auto to = samples.as<Sample>();
    parallel_for(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
      throw_if_stopped();
      for (std::uint64_t i = begin; i < end; ++i) to[i] = sample_at<Sample>(job.data, seed, i);
    });
  });
  TensorSet set;
  set.emplace("samples", std::move(samples));
  return set;
}

TensorSet histogram_reference(const HistogramJob& job, const TensorSet& inputs) {
  HostTensor counts(ElementType::f64, {static_cast<std::uint64_t>(job.bins)});
  const auto all = counts.as<double>();
  with_sample(job.type, [&](auto sample) {
    using Sample = decltype(sample);
    const auto samples = inputs.find("samples")->second.template as<Sample>();
    std::mutex mutex;
    const std::uint64_t part = std::max<std::uint64_t>(grain, samples.size() / (4 * host_threads()));
    parallel_for(samples.size(), part, [&](std::uint64_t begin, std::uint64_t end) {
      std::vector<std::uint32_t> own(all.size());
      for (std::uint64_t i = begin; i < end; ++i) {
        if (i % grain == 0) throw_if_stopped();
        const std::int64_t bin = bin_of(samples[i], job.bins);
        if (bin >= 0) ++own[static_cast<std::size_t>(bin)];
      }
      const std::lock_guard lock(mutex);
      for (std::size_t bin = 0; bin < own.size(); ++bin) all[bin] += own[bin];
    });
  });
  TensorSet set;
  set.emplace("counts", std::move(counts));
  return set;
}

}  // namespace tune::kernels
