// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/contents.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "search/random.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/element_types.hpp"

namespace tune::definition {
namespace {

/// FNV-1a: arguments of one problem shall not hold the same numbers.
std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// The largest number that is still below the type's limit as double: 2^63 is beyond an int64.
template<class T>
double highest() {
  const auto max = static_cast<double>(std::numeric_limits<T>::max());
  return sizeof(T) < 8 ? max : std::nextafter(max, 0.0);
}

template<class T>
T as_element(double value) {
  if constexpr (is_floating<T>)
    return static_cast<T>(value);
  else
    return static_cast<T>(
        std::clamp(std::floor(value), static_cast<double>(std::numeric_limits<T>::lowest()), highest<T>()));
}

template<class T>
void fill(std::span<T> to, const Contents& contents, bool is_bool, std::uint64_t seed) {
  search::Random random(seed);
  const double span = contents.high - contents.low + (is_floating<T> ? 0 : 1);
  for (std::size_t i = 0; i < to.size(); ++i) {
    double value = contents.value;
    if (contents.kind == Contents::Kind::random)
      value = contents.low + span * random.uniform();
    else if (contents.kind == Contents::Kind::sequence)
      value += contents.step * static_cast<double>(i);
    to[i] = as_element<T>(is_bool ? (value >= 1 ? 1 : 0) : value);
  }
}

void read_file(HostTensor& tensor, const Contents& contents, const Argument& argument) {
  std::ifstream in(contents.file, std::ios::binary);
  if (!in) argument.place.fail(format("cannot read {}", contents.file.string()));
  const std::span<std::byte> bytes = tensor.bytes();
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto read = static_cast<std::size_t>(in.gcount());
  if (read != bytes.size() || in.peek() != std::ifstream::traits_type::eof())
    argument.place.fail(format("{} has {} bytes than the {} that '{}' takes", contents.file.string(),
                               read < bytes.size() ? "fewer" : "more", bytes.size(), argument.name));
}

}  // namespace

HostTensor make_tensor(const Contents& contents, const Argument& argument, const Extents& extents,
                       std::uint64_t seed) {
  HostTensor tensor(argument.type, extents);
  if (contents.kind == Contents::Kind::file)
    read_file(tensor, contents, argument);
  else
    with_element(tensor.type(), [&]<class T>(T) {
      fill(tensor.as<T>(), contents, argument.is_bool,
           hash_of(argument.name) + 0x9e3779b97f4a7c15ULL * seed + contents.seed.value_or(0));
    });
  return tensor;
}

}  // namespace tune::definition
