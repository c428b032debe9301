// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

using Constants = decltype(search::SpaceDefinition::constants);

inline constexpr const char* too_many_terms =
    "the unrolled sums are larger than the instruction cache and take seconds to compile";
inline constexpr const char* no_tensor_cores =
    "the device has no tensor cores for these types: they came with compute capability 8.0";

inline constexpr const char* no_async_copies =
    "the device has no asynchronous copies (cp.async): they came with compute capability 8.0";

/// True where the device has asynchronous copies to shared memory, over the constants of a FamilySpace.
search::Expr has_async_copies();

/// Returns the device's number of SMs; that of a large device if the properties, those of an
/// architecture, have none.
std::int64_t multiprocessors(const DeviceProperties& device);

search::Expr is_variant(std::string_view name);

search::Parameter min_blocks(std::vector<search::Value> values,
                             std::optional<search::Expr> exists_if = std::nullopt);

/// Evaluates an expression over the configuration's parameters and, for other names, the constants. Throws
/// search::ExprError for a name that is neither.
std::int64_t evaluated(const search::Expr& expression, const search::Configuration& configuration,
                       const Constants& constants);

/// Adds rules that hold where `applies` does, or everywhere. Units: 32-bit registers of a thread, bytes of
/// shared memory of a block. `blocks` of them have to fit on an SM.
class Rules {
 public:
  explicit Rules(std::vector<search::Constraint>& all, std::optional<search::Expr> applies = std::nullopt)
      : all_(all), applies_(std::move(applies)) {}

  void add(const search::Expr& rule, std::string reason) const;

  void add_max_threads(const search::Expr& threads) const;
  void add_min_threads(const search::Expr& threads) const;
  void add_resident_threads(const search::Expr& threads,
                            const search::Expr& blocks = search::var("min_blocks")) const;
  /// Limits the registers that the compiler needs at least. `max`: the limit of a thread, whatever the block.
  void add_registers(const search::Expr& registers, const search::Expr& threads, const char* reason,
                     const search::Expr& blocks = search::var("min_blocks"),
                     const search::Expr& max = search::var("thread_registers")) const;
  /// `what` lies in shared memory: "the tiles". `too_large`: the reason if that of one block does not fit;
  /// empty: the usual sentence.
  void add_shared_memory(const search::Expr& bytes, const std::string& what, std::string too_large = {},
                         const search::Expr& blocks = search::var("min_blocks")) const;

 private:
  std::vector<search::Constraint>& all_;
  std::optional<search::Expr> applies_;
};

/// Orders a family's parameters and rules if the variants declare them in another order. Those without a name
/// here come last.
struct SpaceOrder {
  std::vector<std::string_view> parameters;
  std::vector<std::string_view> rules;  ///< names of variants
};

/// Collects the space of a family, variant by variant. A parameter that several variants declare, each with
/// its own values, exists under all of them: it has the values of all, and a rule excludes those that a
/// variant does not offer.
///
/// Rules may use the family's constants and those of the device: compute_major, multiprocessors, max_threads,
/// multiprocessor_threads, thread_registers, multiprocessor_registers, tensor_maps, block_shared,
/// reserved_shared and multiprocessor_shared (bytes).
class FamilySpace {
 public:
  FamilySpace(Constants constants, const DeviceProperties& device);

  const DeviceProperties& device() const { return device_; }

  /// Begins a variant: later parameters and rules belong to it, earlier ones to all.
  void begin(std::string_view variant);
  /// Makes the variant a value of `variant`. preferred: it becomes the default, unless an earlier one is.
  void offer(std::string_view summary, bool preferred = false);
  /// Adds a parameter of the current variant; `parameter.exists_if` is its condition there. The documentation
  /// is that of the first variant that declares it, the default value that of the default variant or else of
  /// the first.
  void add(search::Parameter parameter);
  void add(std::string name, std::string documentation, std::vector<search::Value> values,
           search::Value default_value, std::optional<search::Expr> exists_if = std::nullopt,
           search::Role role = search::Role::other) {
    add(search::Parameter{std::move(name), std::move(documentation), std::move(values),
                          std::move(default_value), std::move(exists_if), role});
  }
  /// Changes the default that the current variant declared for a parameter. The declared defaults of a
  /// variant that does so are its guess (SpaceDefinition::guesses). Throws std::logic_error where it declared
  /// no such parameter, or not with this value.
  void prefer(std::string_view parameter, const search::Value& value);
  /// Returns the rules of the current variant; those of all variants before the first. Valid as long as the
  /// space.
  Rules rules();
  /// Returns rules of the current variant that hold where `applies` does.
  Rules rules(search::Expr applies) { return Rules(rules_.back().second, std::move(applies)); }
  /// Returns rules of all variants, placed among those of the current one.
  Rules rules_of_all() { return Rules(rules_.back().second); }
  void rule(const search::Expr& rule, const char* reason) { rules().add(rule, reason); }

  /// Returns the space. The default variant is the preferred one, or else the first. Throws std::logic_error
  /// if none is offered.
  search::SpaceDefinition definition(const SpaceOrder& order = {}) const;

 private:
  struct Declared {
    std::string variant;
    std::vector<search::Value> values;
    search::Value default_value;
    std::optional<search::Expr> when;
  };
  struct Shared {
    search::Parameter parameter;
    std::vector<Declared> declared;  ///< empty: before the first variant
  };

  DeviceProperties device_;
  search::SpaceDefinition definition_;  ///< the constants
  search::Parameter variant_;
  std::string preferred_;             ///< empty: none
  std::set<std::string> with_guess_;  ///< variants
  std::vector<Shared> parameters_;
  std::deque<std::pair<std::string, std::vector<search::Constraint>>> rules_;  ///< by variant
};

/// One of the algorithms of a problem family, all of which compute the same. `Job` is the work of an
/// instance; `Checked` determines the sizes at which a configuration is checked.
template<class Job, class Checked>
struct Variant {
  std::string_view name;     ///< fused
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// True if it can compute the job.
  bool (*applies)(const Job& job);
  /// Adds its parameters and rules.
  void (*add_to_space)(FamilySpace& space, const Job& job);
  /// Plans a configuration. Sets LaunchPlan::tolerance if the problem's is not right.
  Result<LaunchPlan> (*plan)(const Job& job, const Configuration& configuration,
                             const KernelSources& sources);
  Checked (*checked)(const Job& job, const Configuration& configuration);
  /// True if it is usually the fastest, and so the default. Null: never.
  bool (*preferred)(const Job& job) = nullptr;
  /// Returns seconds that none of its configurations can beat (Problem::least_seconds). Null: unknown.
  double (*least_seconds)(const Job& job, const DeviceProperties& device) = nullptr;
};

/// The `applies` of a variant that can compute all jobs of its family.
inline constexpr auto always = [](const auto&) { return true; };

/// One line of a family's table: declares and calls the function of a variant, which the variant's own file
/// defines.
#define TUNE_VARIANT(Type, function) \
  ([] {                              \
    extern Type function();          \
    return function();               \
  }())

/// All variants of a family, in the order of the values of the parameter `variant`.
template<class Job, class Checked>
class VariantTable {
 public:
  using Entry = Variant<Job, Checked>;

  VariantTable(std::string_view family, std::vector<Entry> entries)
      : family_(family), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// Returns the variant of a configuration. Throws std::out_of_range for an unknown name.
  const Entry& of(const Configuration& configuration) const {
    const std::string& name = configuration["variant"].as_text();
    for (const Entry& entry : entries_)
      if (entry.name == name) return entry;
    throw std::out_of_range("no " + std::string(family_) + " variant '" + name + "'");
  }

  /// See Problem::least_seconds. 0 for an unknown name.
  double least_seconds(const Job& job, const search::Value& variant, const DeviceProperties& device) const {
    for (const Entry& entry : entries_)
      if (search::Value(std::string(entry.name)) == variant && entry.least_seconds != nullptr)
        return entry.least_seconds(job, device);
    return 0;
  }

  void add_to(FamilySpace& space, const Job& job) const {
    for (const Entry& entry : entries_) {
      if (!entry.applies(job)) continue;
      space.begin(entry.name);
      space.offer(entry.summary, entry.preferred != nullptr && entry.preferred(job));
      entry.add_to_space(space, job);
    }
  }

 private:
  std::string_view family_;
  std::vector<Entry> entries_;
};

/// A small size at which a configuration is checked.
struct CheckedSize {
  decltype(Instance::extents) extents;
  /// Replaces these settings, if the instance has them.
  decltype(Instance::settings) settings = {};
};

/// The definition of a family's problem in terms of its job.
template<class Job>
struct FamilyFunctions {
  std::function<Job(const Instance&)> job;
  search::SpaceDefinition (*space)(const Job& job, const DeviceProperties& device);
  ProblemCost (*cost)(const Job& job);
  Result<LaunchPlan> (*plan)(const Job& job, const Configuration& configuration,
                             const KernelSources& sources);
  TensorSet (*inputs)(const Job& job, std::uint64_t seed);
  TensorSet (*reference)(const Job& job, const TensorSet& inputs);
  Tolerance (*tolerance)(const Job& job);
  std::vector<CheckedSize> (*checked_sizes)(const Job& job, const Configuration& configuration);
  /// See Problem::least_seconds. Null: nothing is known.
  double (*least_seconds)(const Job& job, const search::Value& variant,
                          const DeviceProperties& device) = nullptr;
};

template<class Job>
class FamilyProblem : public Problem {
 public:
  FamilyProblem(ProblemInfo info, FamilyFunctions<Job> functions)
      : info_(std::move(info)), functions_(std::move(functions)) {}

  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    search::SpaceDefinition definition = functions_.space(job(instance), device);
    if (!definition.counting_order) definition.counting_order.emplace();
    return definition;
  }
  ProblemCost cost(const Instance& instance) const override { return functions_.cost(job(instance)); }
  double least_seconds(const Instance& instance, const search::Value& variant,
                       const DeviceProperties& device) const override {
    return functions_.least_seconds == nullptr ? 0 : functions_.least_seconds(job(instance), variant, device);
  }
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    return functions_.plan(job(instance), configuration, sources);
  }
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    return functions_.inputs(job(instance), seed);
  }
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    return functions_.reference(job(instance), inputs);
  }
  Tolerance tolerance(const Instance& instance) const override { return functions_.tolerance(job(instance)); }
  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    std::vector<Instance> instances;
    for (CheckedSize& size : functions_.checked_sizes(job(instance), configuration)) {
      Instance& check = instances.emplace_back(instance);
      check.extents = std::move(size.extents);
      for (auto& [name, value] : check.settings)
        for (const auto& [changed, other] : size.settings)
          if (name == changed) value = other;
    }
    return instances;
  }

 protected:
  Job job(const Instance& instance) const { return functions_.job(instance); }

 private:
  ProblemInfo info_;
  FamilyFunctions<Job> functions_;
};

inline TensorSet tensor_set(const char* name, HostTensor tensor) {
  TensorSet set;
  set.emplace(name, std::move(tensor));
  return set;
}

}  // namespace tune::kernels
