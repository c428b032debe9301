// SPDX-License-Identifier: Apache-2.0
// The data that functions of a problem read and fill.
#include <algorithm>
#include <string>
#include <vector>

#include "library/tuner/problem.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/reference_numbers.hpp"

namespace tune::api {
namespace {

template<class Set>
auto& tensor_named(Set& tensors, const std::string& name, const char* what) {
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, tensor] : tensors) known.push_back(other);
  throw Error(format("there is no {} '{}'{}", what, name, search::did_you_mean(name, known)));
}

/// Returns the elements of a tensor of this type and their number.
std::pair<const void*, std::size_t> elements_named(const TensorSet& tensors, const std::string& name,
                                                   const char* what, const std::string& type) {
  const HostTensor& tensor = tensor_named(tensors, name, what);
  if (type != to_string(tensor.type()))
    throw Error(format("the {} '{}' is of {}, not {}", what, name, to_string(tensor.type()),
                       type.empty() ? "that type" : type));
  return {tensor.bytes().data(), tensor.bytes().size() / element_size(tensor.type())};
}

/// Returns the place of element `first` in bytes. Throws Error for another type and beyond the end.
std::uint64_t place_of(const HostAccess& memory, const std::string& name, const std::string& type,
                       std::size_t first, std::size_t count) {
  const BufferSpec& buffer = memory.buffer(name);
  if (type != to_string(buffer.type))
    throw Error(format("the array '{}' is of {}, not {}", name, to_string(buffer.type),
                       type.empty() ? "that type" : type));
  const std::uint64_t elements = element_count(buffer.layout.extents);
  if (first > elements || count > elements - first)
    throw Error(format("elements {} to {} of '{}', which has {}", first, first + count, name, elements));
  return first * element_size(buffer.type);
}

}  // namespace

void HostArrays::read_bytes(const std::string& name, const std::string& type, std::size_t first,
                            std::size_t count, void* to) const {
  const std::uint64_t place = place_of(contents_.memory, name, type, first, count);
  const std::size_t bytes = count * element_size(contents_.memory.buffer(name).type);
  contents_.memory.read(name, place, {static_cast<std::byte*>(to), bytes});
}

void HostArrays::write_bytes(const std::string& name, const std::string& type, std::size_t first,
                             std::size_t count, const void* from) {
  const std::uint64_t place = place_of(contents_.memory, name, type, first, count);
  if (contents_.memory.buffer(name).role == BufferRole::input)
    throw Error(format("the array '{}' is an input, which stays as it is", name));
  const std::size_t bytes = count * element_size(contents_.memory.buffer(name).type);
  contents_.memory.write(name, place, {static_cast<const std::byte*>(from), bytes});
}

const Sizes& HostArrays::sizes() const {
  return contents_.sizes;
}

const Configuration& HostArrays::configuration() const {
  return contents_.configuration;
}

const Sizes& HostData::sizes() const {
  return contents_.sizes;
}

bool HostData::stopped() const {
  return contents_.scope != nullptr && contents_.scope->is_over();
}

View<double> HostData::result(const std::string& name) {
  HostTensor& tensor = tensor_named(contents_.results, name, "output");
  if (tensor.type() != ElementType::f64)
    throw Error(format("the output '{}' is filled as {} already", name, to_string(tensor.type())));
  const auto values = tensor.as<double>();
  return {values.data(), values.size()};
}

std::pair<void*, std::size_t> HostData::result_bytes(const std::string& name, const std::string& type) {
  HostTensor& tensor = tensor_named(contents_.results, name, "output");
  const ElementType asked = type == to_string(ElementType::i64) ? ElementType::i64 : ElementType::u64;
  if (tensor.type() != asked) tensor = HostTensor(asked, tensor.extents());
  return {tensor.bytes().data(), tensor.size()};
}

std::pair<const void*, std::size_t> HostData::input_bytes(const std::string& name,
                                                          const std::string& type) const {
  return elements_named(contents_.inputs, name, "input", type);
}

std::pair<const void*, std::size_t> Results::output_bytes(const std::string& name,
                                                          const std::string& type) const {
  return elements_named(contents_.results.outputs, name, "judged output", type);
}

std::pair<const void*, std::size_t> Results::input_bytes(const std::string& name,
                                                         const std::string& type) const {
  return elements_named(contents_.results.inputs, name, "input", type);
}

std::vector<double> Results::reference(const std::string& name) const {
  const HostTensor& tensor = tensor_named(contents_.results.reference, name, "reference of");
  if (is_wide_whole(tensor.type()))
    throw Error(
        format("the reference of '{0}' has whole numbers beyond 2^53: ask for reference<std::{1}_t>(\"{0}\")",
               name, to_string(tensor.type())));
  const HostTensor right = in_double(view_of(tensor));
  const auto values = right.as<double>();
  return {values.begin(), values.end()};
}

void Results::reference_bytes(const std::string& name, void* to) const {
  const HostTensor right = from_reference(tensor_named(contents_.results.reference, name, "reference of"),
                                          contents_.results.outputs.at(name).type());
  std::ranges::copy(right.bytes(), static_cast<std::byte*>(to));
}

const Sizes& Results::sizes() const {
  return contents_.sizes;
}

const Configuration& Results::configuration() const {
  return contents_.configuration;
}

}  // namespace tune::api
