// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/space.hpp"

#include <algorithm>
#include <stdexcept>

#include "tuner/base/format.hpp"

namespace tune::kernels {

using search::Expr;
using search::Parameter;
using search::Value;
using search::var;

namespace {

/// The values of both: numbers in their order, texts as they came.
void merge_values(std::vector<Value>& all, const std::vector<Value>& more) {
  for (const Value& value : more)
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  if (std::ranges::none_of(all, &Value::is_text))
    std::ranges::sort(all, {}, [](const Value& value) { return value.as_real(); });
}

}  // namespace

Expr is_gemm_variant(std::string_view name) {
  return var("variant") == std::string(name);
}

GemmSpace::GemmSpace(const GemmJob& job, const DeviceProperties& device) : variant_{"variant", "", {}, ""} {
  definition_.constants = {
      {"m", job.m},
      {"n", job.n},
      {"k", job.k},
      {"words", job.element_bytes() / 4},
      {"alignment", 16 / job.element_bytes()},
      // The facts of an architecture rather than a device name one: some number of a large device.
      {"multiprocessors", device.multiprocessors > 1 ? device.multiprocessors : 128},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"thread_registers", 255},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
}

void GemmSpace::begin(std::string_view variant, std::string_view summary) {
  variant_.values.emplace_back(std::string(variant));
  variant_.documentation += format("{}{}: {}", variant_.documentation.empty() ? "" : "; ", variant, summary);
}

void GemmSpace::add(Parameter parameter) {
  const std::string variant = variant_.values.back().as_text();
  Declared declared{variant, parameter.values, parameter.default_value, parameter.exists_if};
  for (Shared& shared : parameters_) {
    if (shared.parameter.name != parameter.name) continue;
    merge_values(shared.parameter.values, parameter.values);
    shared.declared.push_back(std::move(declared));
    return;
  }
  parameters_.push_back({std::move(parameter), {std::move(declared)}});
}

void GemmSpace::rule(const Expr& rule, const char* reason) {
  rules_.push_back({!is_gemm_variant(variant_.values.back().as_text()) || rule, reason});
}

void GemmSpace::add_limits(const Expr& threads, const Expr& registers, const Expr& shared) {
  const Expr blocks = var("min_blocks");
  rule(threads <= var("max_threads"), "a block has more threads than the device allows");
  rule(threads >= 64, "fewer than two warps a block cannot fill a multiprocessor");
  rule(threads * blocks <= var("multiprocessor_threads"),
       "min_blocks blocks have more threads than fit on a multiprocessor");
  rule(
      registers <= min(var("thread_registers"), floor_div(var("multiprocessor_registers"), threads * blocks)),
      "a thread needs more registers than min_blocks leaves to it");
  rule(shared <= var("block_shared"), "the tiles do not fit the shared memory of a block");
  rule((shared + var("reserved_shared")) * blocks <= var("multiprocessor_shared"),
       "the tiles of min_blocks blocks do not fit the shared memory of a multiprocessor");
}

void GemmSpace::add_padded() {
  add({"padded",
       "whether rows are padded to whole lines of 128 bytes, so that vectors are aligned in every row",
       {false, true},
       true});
  rule(var("padded") || (var("n") % var("vector") == 0 && var("k") % var("vector") == 0),
       "vectors of unpadded matrices need rows that are whole vectors: else they are not aligned");
}

search::SpaceDefinition GemmSpace::definition() const {
  if (variant_.values.empty()) throw std::logic_error("no variant of gemm applies");
  search::SpaceDefinition space = definition_;
  space.parameters.push_back(variant_);
  // Where tensor cores may be used nothing else is as fast.
  const auto tensor = std::ranges::find(variant_.values, search::Value("tensor"));
  const search::Value& usual = tensor == variant_.values.end() ? variant_.values.front() : *tensor;
  space.parameters.back().default_value = usual;
  space.constraints = rules_;
  for (const Shared& shared : parameters_) {
    Parameter parameter = shared.parameter;
    std::optional<Expr> exists;
    for (const Declared& declared : shared.declared) {
      Expr under = is_gemm_variant(declared.variant);
      if (declared.when) under = under && *declared.when;
      exists = exists ? *exists || under : under;
      if (declared.variant == usual.as_text()) parameter.default_value = declared.default_value;
      if (declared.values.size() == parameter.values.size()) continue;
      space.constraints.push_back(
          {!is_gemm_variant(declared.variant) ||
               in(var(parameter.name), std::vector<Expr>(declared.values.begin(), declared.values.end())),
           "the variant does not offer this value"});
    }
    parameter.exists_if = exists;
    space.parameters.push_back(std::move(parameter));
  }
  return space;
}

}  // namespace tune::kernels
