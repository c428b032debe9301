// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotate/model/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/framework/family.hpp"
#include "kernels/framework/random_numbers.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

template<class Use>
void with_channel(ElementType type, const Use& use) {
  if (type == ElementType::f32)
    use(float{});
  else if (type == ElementType::u16)
    use(std::uint16_t{});
  else
    use(std::uint8_t{});
}

/// Returns the index within the image along an axis; -1: a zero.
std::int64_t inside(std::int64_t index, std::int64_t extent, RotateJob::Border border) {
  switch (border) {
    case RotateJob::Border::clamp:
      return std::clamp<std::int64_t>(index, 0, extent - 1);
    case RotateJob::Border::wrap:
      index %= extent;
      return index < 0 ? index + extent : index;
    case RotateJob::Border::zero:
      break;
  }
  return index >= 0 && index < extent ? index : -1;
}

/// The two pixels along an axis around a place, and the weight of the second.
struct Around {
  std::int64_t first = 0, second = 0;
  double weight = 0;

  Around(std::int64_t place, std::int64_t extent, RotateJob::Border border) {
    const std::int64_t floor = place >> 33;
    weight = std::ldexp(static_cast<double>(place - (floor << 33)), -33);
    first = inside(floor, extent, border);
    second = inside(floor + 1, extent, border);
  }
};

template<class Channel>
void rotate_row(const RotateJob& job, const Channel* in, std::int64_t y, double* to) {
  const std::int64_t channels = job.channels;
  const auto value = [&](std::int64_t x, std::int64_t row, std::int64_t channel) -> double {
    return x < 0 || row < 0 ? 0.0 : static_cast<double>(in[(row * job.nx + x) * channels + channel]);
  };
  for (std::int64_t x = 0; x < job.nx; ++x) {
    const SourcePlace place = source_place(job, x, y);
    const Around u(place.x, job.nx, job.border), v(place.y, job.ny, job.border);
    for (std::int64_t k = 0; k < channels; ++k) {
      const double above = std::lerp(value(u.first, v.first, k), value(u.second, v.first, k), u.weight);
      const double below = std::lerp(value(u.first, v.second, k), value(u.second, v.second, k), u.weight);
      to[x * channels + k] = std::lerp(above, below, v.weight);
    }
  }
}

}  // namespace

TensorSet rotate_inputs(const RotateJob& job, std::uint64_t seed) {
  HostTensor in(job.type, job.extents());
  with_channel(job.type, [&](auto channel) {
    using Channel = decltype(channel);
    const auto to = in.as<Channel>();
    parallel_for(to.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
      throw_if_stopped();
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t bits = mixed_bits(Mixer::splitmix, seed * 0xd1342543de82ef95ULL + i);
        if constexpr (std::is_same_v<Channel, float>)
          to[i] = static_cast<float>(bits >> 40) * 0x1.0p-24F;
        else
          to[i] = static_cast<Channel>(bits >> (64 - std::numeric_limits<Channel>::digits));
      }
    });
  });
  return tensor_set("in", std::move(in));
}

TensorSet rotate_reference(const RotateJob& job, const TensorSet& inputs) {
  HostTensor out(ElementType::f64, job.extents());
  const auto to = out.as<double>();
  with_channel(job.type, [&](auto channel) {
    using Channel = decltype(channel);
    const auto in = inputs.find("in")->second.template as<Channel>();
    const std::uint64_t grain = std::max<std::uint64_t>(1, (1 << 16) / static_cast<std::uint64_t>(job.nx));
    parallel_for(static_cast<std::uint64_t>(job.ny), grain, [&](std::uint64_t begin, std::uint64_t end) {
      throw_if_stopped();
      for (std::uint64_t y = begin; y < end; ++y)
        rotate_row(job, in.data(), static_cast<std::int64_t>(y),
                   to.data() + y * static_cast<std::uint64_t>(job.nx * job.channels));
    });
  });
  return tensor_set("out", std::move(out));
}

}  // namespace tune::kernels
