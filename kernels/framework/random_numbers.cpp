// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/random_numbers.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

constexpr std::uint64_t increment = 0x9e3779b97f4a7c15ULL;

template<Mixer mixer>
std::uint64_t bits(std::uint64_t counter) {
  if constexpr (mixer == Mixer::splitmix || mixer == Mixer::splitmix_scaled) {
    counter = mixer == Mixer::splitmix ? counter + increment : counter * increment;
    counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9ULL;
    counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebULL;
    return counter ^ (counter >> 31);
  } else if constexpr (mixer == Mixer::murmur) {
    counter = (counter ^ (counter >> 33)) * 0xff51afd7ed558ccdULL;
    counter = (counter ^ (counter >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return counter ^ (counter >> 33);
  } else {
    for (int i = 0; i < 2; ++i) counter = (counter ^ (counter >> 31)) * 0xd6e8feb86659fd93ULL;
    return counter ^ (counter >> 32);
  }
}

template<class Real>
Real number(std::uint64_t bits) {
  if constexpr (std::is_same_v<Real, double>) {
    // The 54 upper bits as a whole number with a sign, which a double holds exactly.
    constexpr std::uint64_t sign = 1ULL << 63;
    return static_cast<double>(static_cast<std::int64_t>(bits ^ sign) >> 10) * 0x1.0p-53;
  } else {
    return static_cast<float>(static_cast<double>(bits >> 40) * 0x1.0p-23 - 1.0);
  }
}

template<Mixer mixer, class Real>
void fill(Real* elements, std::uint64_t count, std::uint64_t start) {
  parallel_for(count, 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t together = 1 << 16;
    while (begin < end) {
      throw_if_stopped();
      const std::uint64_t part = std::min(end, begin + together);
      for (; begin < part; ++begin) elements[begin] = number<Real>(bits<mixer>(start + begin));
    }
  });
}

/// Calls `use` with the mixer as a constant, outside of loops.
template<class Use>
auto with_constant(Mixer mixer, const Use& use) {
  switch (mixer) {
    case Mixer::splitmix:
      return use.template operator()<Mixer::splitmix>();
    case Mixer::splitmix_scaled:
      return use.template operator()<Mixer::splitmix_scaled>();
    case Mixer::murmur:
      return use.template operator()<Mixer::murmur>();
    case Mixer::multiply_twice:
      break;
  }
  return use.template operator()<Mixer::multiply_twice>();
}

}  // namespace

std::uint64_t mixed_bits(Mixer mixer, std::uint64_t counter) {
  return with_constant(mixer, [&]<Mixer constant>() { return bits<constant>(counter); });
}

double number_at(ElementType type, Mixer mixer, std::uint64_t counter) {
  const std::uint64_t mixed = mixed_bits(mixer, counter);
  return type == ElementType::f64 ? number<double>(mixed) : static_cast<double>(number<float>(mixed));
}

void fill_random(HostTensor& tensor, std::uint64_t count, Mixer mixer, std::uint64_t start) {
  with_constant(mixer, [&]<Mixer constant>() {
    if (tensor.type() == ElementType::f64)
      fill<constant>(tensor.as<double>().data(), count, start);
    else
      fill<constant>(tensor.as<float>().data(), count, start);
  });
}

HostTensor random_tensor(ElementType type, Extents extents, Mixer mixer, std::uint64_t start) {
  HostTensor tensor(type, std::move(extents));
  fill_random(tensor, tensor.size(), mixer, start);
  return tensor;
}

}  // namespace tune::kernels
