// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/family.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {

using search::Expr;
using search::Parameter;
using search::Value;
using search::var;

namespace {

/// Adds the missing values; numbers are sorted, texts are appended.
void merge_values(std::vector<Value>& all, const std::vector<Value>& more) {
  for (const Value& value : more)
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  if (std::ranges::none_of(all, &Value::is_text))
    std::ranges::sort(all, {}, [](const Value& value) { return value.as_real(); });
}

/// Returns the name's position; behind all others if it has none.
std::ptrdiff_t place(const std::vector<std::string_view>& order, const std::string& name) {
  return std::ranges::find(order, name) - order.begin();
}

}  // namespace

std::int64_t multiprocessors(const DeviceProperties& device) {
  constexpr int of_a_large_device = 128;
  return device.multiprocessors > 1 ? device.multiprocessors : of_a_large_device;
}

Expr is_variant(std::string_view name) {
  return var("variant") == std::string(name);
}

Parameter min_blocks(std::vector<Value> values, std::optional<Expr> exists_if) {
  return {"min_blocks", "blocks that must fit on an SM; the compiler limits the registers accordingly",
          std::move(values), 1, std::move(exists_if)};
}

std::int64_t evaluated(const Expr& expression, const search::Configuration& configuration,
                       const Constants& constants) {
  const Value value = expression.evaluate([&](std::string_view name) -> const Value* {
    if (const Value* const chosen = configuration.find(name)) return chosen;
    const auto constant = constants.find(name);
    return constant == constants.end() ? nullptr : &constant->second;
  });
  return value.as_int();
}

void Rules::add(const Expr& rule, std::string reason) const {
  all_.push_back({applies_ ? !*applies_ || rule : rule, std::move(reason)});
}

Expr has_async_copies() {
  // 0: a device of no architecture.
  return var("compute_major") == 0 || var("compute_major") >= 8;
}

void Rules::add_max_threads(const Expr& threads) const {
  add(threads <= var("max_threads"), "a block has more threads than the device allows");
}

void Rules::add_min_threads(const Expr& threads) const {
  add(threads >= 64, "fewer than two warps per block cannot fill an SM");
}

void Rules::add_resident_threads(const Expr& threads, const Expr& blocks) const {
  add(threads * blocks <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on an SM");
}

void Rules::add_registers(const Expr& registers, const Expr& threads, const char* reason, const Expr& blocks,
                          const Expr& max) const {
  add(registers <= min(max, floor_div(var("multiprocessor_registers"), threads * blocks)), reason);
}

void Rules::add_shared_memory(const Expr& bytes, const std::string& what, std::string too_large,
                              const Expr& blocks) const {
  add(bytes <= var("block_shared"),
      too_large.empty() ? what + " do not fit the shared memory of a block" : std::move(too_large));
  add((bytes + var("reserved_shared")) * blocks <= var("multiprocessor_shared"),
      what + " of min_blocks blocks do not fit the shared memory of an SM");
}

FamilySpace::FamilySpace(Constants constants, const DeviceProperties& device)
    : device_(device), variant_{"variant", "", {}, ""} {
  definition_.constants = {
      {"compute_major", device.compute_major},
      {"multiprocessors", multiprocessors(device)},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"thread_registers", 255},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"tensor_maps", has_tensor_maps(device)},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
  definition_.constants.merge(constants);
  begin("");
}

void FamilySpace::begin(std::string_view variant) {
  rules_.push_back({std::string(variant), {}});
}

void FamilySpace::offer(std::string_view summary, bool preferred) {
  const std::string& name = rules_.back().first;
  variant_.values.emplace_back(name);
  variant_.documentation += format("{}{}: {}", variant_.documentation.empty() ? "" : "; ", name, summary);
  if (preferred && preferred_.empty()) preferred_ = name;
}

void FamilySpace::prefer(std::string_view parameter, const search::Value& value) {
  const std::string& variant = rules_.back().first;
  for (Shared& shared : parameters_)
    for (Declared& declared : shared.declared)
      if (shared.parameter.name == parameter && declared.variant == variant &&
          std::ranges::find(declared.values, value) != declared.values.end()) {
        declared.default_value = value;
        with_guess_.insert(variant);
        return;
      }
  throw std::logic_error(format("{} does not declare {}={}", variant, parameter, value.to_string()));
}

void FamilySpace::add(Parameter parameter) {
  const std::string& variant = rules_.back().first;
  if (variant.empty()) {
    parameters_.push_back({std::move(parameter), {}});
    return;
  }
  Declared declared{variant, parameter.values, parameter.default_value, parameter.exists_if};
  for (Shared& shared : parameters_) {
    if (shared.parameter.name != parameter.name) continue;
    merge_values(shared.parameter.values, parameter.values);
    shared.declared.push_back(std::move(declared));
    return;
  }
  parameters_.push_back({std::move(parameter), {std::move(declared)}});
}

Rules FamilySpace::rules() {
  auto& [variant, all] = rules_.back();
  return variant.empty() ? Rules(all) : Rules(all, is_variant(variant));
}

search::SpaceDefinition FamilySpace::definition(const SpaceOrder& order) const {
  if (variant_.values.empty()) throw std::logic_error("no variant applies");
  search::SpaceDefinition space = definition_;
  space.parameters.push_back(variant_);
  const std::string default_variant = preferred_.empty() ? variant_.values.front().as_text() : preferred_;
  space.parameters.back().default_value = default_variant;

  std::deque<std::pair<std::string, std::vector<search::Constraint>>> rules = rules_;
  std::ranges::stable_sort(std::next(rules.begin()), rules.end(), {},
                           [&](const auto& of_variant) { return place(order.rules, of_variant.first); });
  for (auto& [variant, own] : rules) std::ranges::move(own, std::back_inserter(space.constraints));

  for (const Shared& shared : parameters_) {
    Parameter parameter = shared.parameter;
    std::optional<Expr> exists;
    for (const Declared& declared : shared.declared) {
      Expr under = is_variant(declared.variant);
      if (declared.when) under = under && *declared.when;
      exists = exists ? *exists || under : under;
      if (declared.variant == default_variant) parameter.default_value = declared.default_value;
      if (declared.values.size() == parameter.values.size()) continue;
      space.constraints.push_back(
          {!is_variant(declared.variant) ||
               in(var(parameter.name), std::vector<Expr>(declared.values.begin(), declared.values.end())),
           "the variant does not offer this value"});
    }
    if (exists) parameter.exists_if = exists;
    space.parameters.push_back(std::move(parameter));
  }
  for (const search::Value& variant : variant_.values) {
    if (!with_guess_.contains(variant.as_text())) continue;
    auto& guess = space.guesses.emplace_back();
    guess.emplace_back(variant_.name, variant);
    for (const Shared& shared : parameters_)
      for (const Declared& declared : shared.declared)
        if (declared.variant == variant.as_text())
          guess.emplace_back(shared.parameter.name, declared.default_value);
  }
  std::ranges::stable_sort(
      std::next(space.parameters.begin()), space.parameters.end(), {},
      [&](const Parameter& parameter) { return place(order.parameters, parameter.name); });
  return space;
}

}  // namespace tune::kernels
