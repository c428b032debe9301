// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/contents.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/described/struct_layout.hpp"
#include "search/random.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::described {
namespace {

/// FNV-1a: arguments of a problem get different numbers.
std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// The largest number below the type's limit as double: 2^63 is beyond an int64.
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
void fill(std::span<T> to, const Contents& contents, const Argument& argument, bool is_bool,
          std::uint64_t seed, const ExpressionScope& scope) {
  constexpr std::size_t at_once = 1 << 16;  // results of a formula, and between looks whether the run ended
  const Contents::Kind kind = contents.kind;
  search::Random random(hash_of(contents.as.empty() ? argument.name : contents.as) +
                        0x9e3779b97f4a7c15ULL * seed + contents.seed.value_or(0));
  const double low = contents.low.real(scope), first = contents.value.real(scope),
               step = contents.step.real(scope);
  const double span = contents.high.real(scope) - low + (is_floating<T> ? 0 : 1);
  std::vector<double> results;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (i % at_once == 0) throw_if_stopped();
    double value = first;
    if (kind == Contents::Kind::random) {
      value = low + span * random.uniform();
    } else if (kind == Contents::Kind::sequence) {
      value += step * static_cast<double>(i);
    } else if (kind == Contents::Kind::function) {
      value = contents.limit ? contents.limit(i, scope.instance()) : contents.function(i, seed);
    } else if (kind == Contents::Kind::formula) {
      if (i % at_once == 0) results = contents.formula->elements(scope, i, std::min(i + at_once, to.size()));
      value = results[i % at_once];
    }
    if (kind >= Contents::Kind::function && !is_floating<T>) value = std::trunc(value);
    to[i] = as_element<T>(is_bool ? (value >= 1 ? 1 : 0) : value);
  }
}

/// Names of sizes and settings in braces become their values: `x_{n}.bin`.
std::filesystem::path file_at(const Contents& contents, const ExpressionScope& scope) {
  std::string path = contents.file.string();
  for (const auto& [name, word] : scope.words())
    for (std::size_t at = path.find("{" + name + "}"); at != std::string::npos;
         at = path.find("{" + name + "}", at + word.size()))
      path.replace(at, name.size() + 2, word);
  return path;
}

/// `may_be_longer`: for a size other than the file's, whose first elements are taken.
void read_file(HostTensor& tensor, const std::filesystem::path& file, const Argument& argument,
               bool may_be_longer) {
  if (is_other_than_file(file)) argument.place.fail(format("{} is not a regular file", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) argument.place.fail(format("cannot read {}", file.string()));
  const std::span<std::byte> bytes = tensor.bytes();
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto read = static_cast<std::size_t>(in.gcount());
  if (read != bytes.size() || (!may_be_longer && in.peek() != std::ifstream::traits_type::eof()))
    argument.place.fail(format("{} has {} bytes than the {} that '{}' takes", file.string(),
                               read < bytes.size() ? "fewer" : "more", bytes.size(), argument.name));
}

}  // namespace

HostTensor make_tensor(const Contents& contents, const Argument& argument, const TypeName& type,
                       const Extents& extents, std::uint64_t seed, const ExpressionScope& scope,
                       bool is_small) {
  HostTensor tensor(type.element, extents);
  if (contents.kind == Contents::Kind::file)
    read_file(tensor, file_at(contents, scope), argument, is_small);
  else if (contents.kind == Contents::Kind::object)
    std::ranges::copy(laid_out(*argument.object, scope).bytes, tensor.bytes().begin());
  else
    with_element(type.element,
                 [&]<class T>(T) { fill(tensor.as<T>(), contents, argument, type.is_bool, seed, scope); });
  return tensor;
}

}  // namespace tune::described
