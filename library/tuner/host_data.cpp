// SPDX-License-Identifier: Apache-2.0
// What a reference function sees.
#include <limits>

#include "library/tuner/spec.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

template<class Set>
auto& tensor_named(Set& tensors, const std::string& name, const char* what) {
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, tensor] : tensors) known.push_back(other);
  throw Error(format("reference: there is no {} '{}'{}", what, name, search::did_you_mean(name, known)));
}

}  // namespace

const Sizes& HostData::sizes() const {
  return contents_.sizes;
}

View<double> HostData::result(const std::string& name) {
  const auto values = tensor_named(contents_.results, name, "output").as<double>();
  return {values.data(), values.size()};
}

std::pair<const void*, std::size_t> HostData::input_bytes(const std::string& name,
                                                          const std::string& type) const {
  const HostTensor& tensor = tensor_named(contents_.inputs, name, "input");
  if (type != to_string(tensor.type()))
    throw Error(format("reference: the input '{}' is of {}, not {}", name, to_string(tensor.type()),
                       type.empty() ? "that type" : type));
  return {tensor.bytes().data(), tensor.bytes().size() / element_size(tensor.type())};
}

}  // namespace tune::api
