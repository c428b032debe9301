// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune {

using search::Configuration;

/// A named extent of a problem.
struct ExtentInfo {
  std::string name;  ///< nx
  std::string documentation;
  std::int64_t default_value = 0;
};

/// What else fixes the work, with its valid values.
struct SettingInfo {
  std::string name;  ///< radius
  std::string documentation;
  std::vector<Value> values;
  Value default_value;
  /// Whether instances at the default leave it out: settings that came later, or that few care about.
  bool implied = false;
  /// Instead of `values`: whole numbers from the first to the second.
  std::optional<std::pair<std::int64_t, std::int64_t>> range = std::nullopt;
};

struct ProblemInfo {
  std::string name;
  std::string summary;  ///< one line
  std::vector<ExtentInfo> extents;
  std::vector<SettingInfo> settings;
  std::string item;                  ///< what a rate counts: `cell update`
  std::vector<std::string> sources;  ///< kernel files, as KernelSources names them
  int revision = 1;                  ///< raised when the same configuration comes to mean something else
};

/// What may do a work's operations beside the vector units. tf32x3: floats as sums of two numbers of tf32,
/// three products in place of one.
enum class TensorUse { none, f64, tf32, tf32x3 };

/// The least that has to be done at a size, whatever the variant: what the roofline limit follows from.
struct ProblemCost {
  double items = 0;
  double flops = 0;
  double bytes = 0;  ///< each input read once and each output written once
  ElementType arithmetic = ElementType::f32;
  TensorUse tensor = TensorUse::none;
  double bytes_in = 0;   ///< that have to come from host memory
  double bytes_out = 0;  ///< that have to return there
};

/// Finds kernel sources by name (`stencil/direct.cu`): embedded in the program, or in a folder that a
/// person names. Throws Error where there is none.
class KernelSources {
 public:
  virtual ~KernelSources() = default;
  virtual std::string text(std::string_view name) const = 0;
};

/// What is computed. Stateless: everything is a function of the arguments, so one object serves all threads.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const ProblemInfo& info() const = 0;
  /// Parameters, constraints and the constants their expressions use, for a size on a device.
  virtual search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const = 0;
  virtual ProblemCost cost(const Instance& instance) const = 0;
  /// Failure{constraint} where the configuration cannot be laid out at this size.
  virtual Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                                  const KernelSources& sources) const = 0;
  /// Contents of every input buffer, the same for the same seed.
  virtual TensorSet inputs(const Instance& instance, std::uint64_t seed) const = 0;
  /// What every output buffer must hold, in double precision; without those that `reference_plan` computes.
  virtual TensorSet reference(const Instance& instance, const TensorSet& inputs) const = 0;
  virtual Tolerance tolerance(const Instance& instance) const = 0;
  /// Where no host computes the outputs that `reference` lacks, or a device much sooner: a plan whose outputs
  /// are right, to be run once for each size and seed.
  virtual std::optional<Result<LaunchPlan>> reference_plan(const Instance& /*instance*/,
                                                           const KernelSources& /*sources*/) const {
    return std::nullopt;
  }
  /// Whether the outputs of `reference_plan` are all that `reference` would compute, which is then asked only
  /// where the plan cannot run.
  virtual bool plan_replaces_reference(const Instance& /*instance*/) const { return false; }
  /// Small sizes that are no multiples of anything, at which this configuration has a plan: for checking.
  virtual std::vector<Instance> check_instances(const Instance& instance,
                                                const Configuration& configuration) const = 0;
};

/// The instance that `size` (`512x512x512`, empty for the defaults) and `settings` (name=value pairs) ask
/// for. Throws UsageError for a wrong number of extents, one that is not a positive number below 2^31, an
/// unknown setting or a value that is not valid.
Instance make_instance(const ProblemInfo& info, std::string_view size,
                       std::span<const std::pair<std::string, Value>> settings);

/// Operations of the work a second at most: of the vector units, or of the tensor cores where the work may
/// use them and they are faster. 0 where it is not known.
double peak_flops(const ProblemCost& cost, const DeviceProperties& device);
/// Least time on a device: the largest of bytes over copy bandwidth (measured, else the datasheet's), flops
/// over peak, and bytes from and to the host over the measured bandwidth of that way; what is not known of
/// the device counts as 0. All of them can go on at once.
double roofline_limit(const ProblemCost& cost, const DeviceProperties& device);
/// `copies to the device` or `copies to the host` where these take longer than all else; else empty.
std::string_view host_bound(const ProblemCost& cost, const DeviceProperties& device);

/// Hash of the problem's kernel files and revision: results with another hash are of another program.
std::string source_hash(const Problem& problem, const KernelSources& sources);

/// How a description wants its problem to be tuned where nobody asks for anything else.
struct RunDefaults {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  std::optional<double> share = std::nullopt;  ///< of all valid configurations, as evaluations
  std::string strategy = {};                   ///< empty: the program's default
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// What a Problem also is that somebody described (in a file): it says how it is tuned, and has kernel files
/// of its own.
class HasDescription {
 public:
  virtual ~HasDescription() = default;
  virtual RunDefaults run_defaults() const = 0;
  /// Serves the texts of the description, and asks `others` for all that it has not. The problem must outlive
  /// it.
  virtual std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources> others) const = 0;
};

/// Null where the problem is none of a description, or null itself.
inline const HasDescription* find_description(const Problem* problem) {
  return dynamic_cast<const HasDescription*>(problem);
}

}  // namespace tune
