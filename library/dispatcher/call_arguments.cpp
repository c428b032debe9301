// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/call_arguments.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/described/kernel_text.hpp"
#include "kernels/described/struct_layout.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::api {
namespace {

/// Returns the size that the scalar is; empty for other arguments.
std::string size_of(const described::Argument& argument, const ProblemInfo& info) {
  if (!argument.value || argument.value->is_function()) return {};
  const std::string text = argument.value->text();
  return std::ranges::count(info.extents, text, &ExtentInfo::name) > 0 ? text : std::string();
}

/// Returns `saxpy(float* y, int n)` of the first launch, as far as the text is understood.
std::string signature_of(const described::KernelDescription& description) {
  if (!description.kernel.text || description.launches.empty()) return {};
  const std::string entry =
      description.launches.front().entry.substr(0, description.launches.front().entry.find('<'));
  const auto declared = described::declarations_of(description.kernel.text->source.text, entry);
  return declared.empty() ? std::string() : format("{}({})", entry, joined(declared.front().parameters));
}

std::string text_of(bool pointer, const std::string& type) {
  if (type.empty()) return pointer ? "a pointer to something else" : "something else";
  return format("{} {}", pointer ? "a pointer to" : type.starts_with("int") ? "an" : "a", type);
}

/// Half and bfloat16 are classes in C++, whatever they are called.
bool is_class_of_two_bytes(ElementType type) {
  return is_floating_point(type) && element_size(type) == 2;
}

std::int64_t whole_number(const Dispatcher::Argument& argument) {
  const std::string_view type = argument.type;
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, argument.value, sizeof value);
    return static_cast<std::int64_t>(value);
  };
  if (type == "int32") return read(std::int32_t{});
  if (type == "uint32") return read(std::uint32_t{});
  if (type == "int16") return read(std::int16_t{});
  if (type == "int8") return read(std::int8_t{});
  if (type == "uint8") return read(std::uint8_t{});
  if (type == "uint16") return read(std::uint16_t{});
  return read(std::int64_t{});
}

}  // namespace

std::size_t bytes_of(const described::Argument& array, const described::DescribedProblem& problem,
                     const Instance& instance) {
  const described::TypeName type = problem.type_of(array, instance);
  std::size_t bytes = element_size(type.element) * static_cast<std::size_t>(type.components);
  const described::ExpressionScope scope(problem.description().parameters, instance);
  for (const described::Expression& extent : array.extents)
    bytes *= static_cast<std::size_t>(extent.real(scope));
  return bytes;
}

CallArguments::CallArguments(const described::DescribedProblem& problem, const Instance& instance,
                             bool with_sizes)
    : problem_(problem.info().name), signature_(signature_of(problem.description())) {
  const described::ExpressionScope scope(problem.description().parameters, instance);
  for (const described::Argument& argument : problem.description().arguments) {
    const std::string size = with_sizes ? size_of(argument, problem.info()) : "";
    if (!argument.is_passed() && size.empty()) continue;
    Expected expected{argument.name, argument.is_vector()};
    expected.size = size;
    if (argument.object) {
      expected.type = "struct";
      expected.bytes = described::laid_out(*argument.object, scope).bytes.size();
    } else {
      const ElementType type = problem.type_of(argument, instance).element;
      expected.type = tune::to_string(type);
      if (!expected.pointer && is_class_of_two_bytes(type)) expected.bytes = element_size(type);
    }
    all_.push_back(std::move(expected));
  }
}

void CallArguments::refuse(const std::string& what) const {
  throw UsageError(format("{}: launch{}{}", problem_, what,
                          signature_.empty() ? "" : format("; the kernel is {}", signature_)));
}

void CallArguments::check(const Dispatcher::Argument* arguments, std::size_t count) const {
  if (count != all_.size())
    refuse(
        format(" takes {} arguments ({}), {} were given", all_.size(), joined(all_, &Expected::name), count));
  for (std::size_t i = 0; i < count; ++i) {
    const Expected& wanted = all_[i];
    const Dispatcher::Argument& given = arguments[i];
    const std::string_view type = given.type;
    if (!wanted.size.empty() && !given.pointer && type.find("int") != std::string_view::npos) continue;
    const bool is_struct = type == "struct" && !given.pointer && wanted.bytes > 0;
    const bool fits = given.pointer == wanted.pointer &&
                      (type == wanted.type || is_struct || (given.pointer && type.empty()));
    if (!fits)
      refuse(format(": argument {} '{}' is {}, {} was given", i + 1, wanted.name,
                    text_of(wanted.pointer, wanted.type), text_of(given.pointer, given.type)));
    if (is_struct && given.size != wanted.bytes)
      refuse(format(": the struct '{}' has {} bytes, {} were given", wanted.name, wanted.bytes, given.size));
    void* null = nullptr;
    if (given.pointer && std::memcmp(given.value, &null, sizeof null) == 0)
      refuse(format(": argument {} '{}' is a null pointer", i + 1, wanted.name));
  }
}

Sizes CallArguments::take_sizes(const Dispatcher::Argument* arguments,
                                std::vector<Dispatcher::Argument>& others) const {
  Sizes sizes;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].size.empty()) {
      others.push_back(arguments[i]);
      continue;
    }
    const std::int64_t value = whole_number(arguments[i]);
    if (sizes.has(all_[i].size) && sizes[all_[i].size] != value)
      refuse(format(": the size {} is {} and, as '{}', {}", all_[i].size, sizes[all_[i].size], all_[i].name,
                    value));
    sizes.set(all_[i].size, value);
  }
  return sizes;
}

CallVariables::CallVariables(const described::DescribedProblem& problem, const Instance& instance)
    : problem_(problem.info().name) {
  for (const described::Argument& argument : problem.description().arguments)
    if (!argument.symbol.empty())
      all_.push_back({argument.name, argument.symbol,
                      std::string(tune::to_string(problem.type_of(argument, instance).element)),
                      bytes_of(argument, problem, instance),
                      std::ranges::all_of(argument.extents, &described::Expression::is_constant)});
}

const CallVariables::Variable& CallVariables::named(const std::string& name) const {
  const auto found = std::ranges::find(all_, name, &Variable::name);
  if (found != all_.end()) return *found;
  std::vector<std::string> known;
  for (const Variable& one : all_) known.push_back(one.name);
  throw UsageError(
      format("{}: there is no symbol '{}'{}", problem_, name, search::did_you_mean(name, known)));
}

bool CallVariables::takes(const std::string& name, std::size_t bytes) const {
  return named(name).bytes == bytes;
}

void CallVariables::check(const std::string& name, const char* type, const void* data,
                          std::size_t bytes) const {
  const Variable& variable = named(name);
  const std::string_view given = type;
  if (!given.empty() && given != "struct" && given != variable.type)
    throw UsageError(
        format("{}: the symbol '{}' is of {}, {} was given", problem_, name, variable.type, given));
  if (data == nullptr || (variable.same_at_all_sizes ? bytes != variable.bytes : bytes == 0))
    throw UsageError(
        format("{}: the symbol '{}' has {} bytes, {} were given", problem_, name, variable.bytes, bytes));
}

void CallVariables::set(const std::string& name, const char* type, const void* data, std::size_t bytes) {
  check(name, type, data, bytes);
  const auto found = std::ranges::find(all_, name, &Variable::name);
  if (bytes != found->bytes)
    throw UsageError(format("{}: the symbol '{}' has {} bytes at this size, {} were given", problem_, name,
                            found->bytes, bytes));
  const auto* const first = static_cast<const std::byte*>(data);
  found->contents.assign(first, first + bytes);
  ++found->version;
}

const std::vector<CallVariables::Variable>& CallVariables::all() const {
  for (const Variable& one : all_)
    if (one.version == 0)
      throw UsageError(format(
          "{}: the symbol '{}' is not set: call symbol(\"{}\", data, count) before launch, with {} bytes",
          problem_, one.name, one.name, one.bytes));
  return all_;
}

}  // namespace tune::api
