// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
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
#include "tuner/measurement/timing.hpp"
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

/// A setting of a problem, with its valid values.
struct SettingInfo {
  std::string name;  ///< radius
  std::string documentation;
  std::vector<Value> values;
  Value default_value;
  /// Instances at the default leave it out, so that keys from before the setting existed stay valid.
  bool implied = false;
  /// Replaces `values`: whole numbers from the first to the second.
  std::optional<std::pair<std::int64_t, std::int64_t>> range = std::nullopt;
  /// The range has the numbers between whole ones, too.
  bool real = false;
};

/// The kind of device that a problem's kernels or commands run on.
enum class Target { gpu, cpu };

struct ProblemInfo {
  std::string name;
  std::string summary;  ///< one line
  std::vector<ExtentInfo> extents;
  std::vector<SettingInfo> settings;
  std::string item;                  ///< what a rate counts: `cell update`
  std::vector<std::string> sources;  ///< kernel files, as KernelSources names them
  int revision = 1;                  ///< raised when a configuration gets another meaning
  Target target = Target::gpu;
};

/// The tensor cores that may do the operations beside the vector units. tf32x3: floats as sums of two numbers
/// of tf32, three products in place of one.
enum class TensorUse { none, f64, tf32, tf32x3 };

/// The least operations and bytes of an instance, whatever the variant: the roofline limit follows from them.
struct ProblemCost {
  double items = 0;
  double flops = 0;
  double bytes = 0;  ///< each input read once and each output written once
  ElementType arithmetic = ElementType::f32;
  TensorUse tensor = TensorUse::none;
  double bytes_in = 0;   ///< from host memory
  double bytes_out = 0;  ///< to host memory
};

/// Finds kernel sources by name (`stencil/direct.cu`): embedded in the program, or in a folder that the user
/// names. Throws Error where there is none.
class KernelSources {
 public:
  virtual ~KernelSources() = default;
  virtual std::string text(std::string_view name) const = 0;
};

using Facts = std::map<std::string, double, std::less<>>;
/// All names that facts may have.
inline constexpr std::array fact_names = {"time",        "energy",        "power",   "registers",
                                          "spill_bytes", "shared_memory", "threads", "occupancy"};

/// A metric of a problem.
struct MetricInfo {
  std::string name;
  bool needs_energy = false;  ///< `energy` or `power`
};

/// A problem that can be tuned. Stateless: one object serves all threads.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const ProblemInfo& info() const = 0;
  /// Returns parameters, constraints and the constants of their expressions, for a size on a device.
  virtual search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const = 0;
  virtual ProblemCost cost(const Instance& instance) const = 0;
  /// Returns seconds that no configuration with this value of the first parameter (a variant) can beat, such
  /// as the time that its traffic takes at the device's bandwidth; 0 where nothing is known.
  virtual double least_seconds(const Instance& /*instance*/, const Value& /*variant*/,
                               const DeviceProperties& /*device*/) const {
    return 0;
  }
  /// Returns a cheaper instance that ranks configurations nearly as `instance` does, such as one of fewer
  /// time steps; nothing where there is none. Configurations that are valid at both are then evaluated there
  /// first (MultiFidelityEvaluator).
  virtual std::optional<Instance> low_fidelity(const Instance& /*instance*/) const { return std::nullopt; }
  /// Failure{constraint} where the configuration cannot be laid out at this size.
  virtual Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                                  const KernelSources& sources) const = 0;
  /// Returns the contents of every input buffer, the same for the same seed.
  virtual TensorSet inputs(const Instance& instance, std::uint64_t seed) const = 0;
  /// Returns the instance of which inputs and reference count for a configuration: `instance`, with more
  /// settings where the right result depends on the configuration.
  virtual Instance reference_instance(const Instance& instance,
                                      const Configuration& /*configuration*/) const {
    return instance;
  }
  /// Returns what every output buffer must hold, in double precision, without those that `reference_plan`
  /// computes.
  virtual TensorSet reference(const Instance& instance, const TensorSet& inputs) const = 0;
  virtual Tolerance tolerance(const Instance& instance) const = 0;
  /// Returns the limits of single elements of outputs, besides `tolerance`.
  virtual LimitSet limits(const Instance& /*instance*/) const { return {}; }
  /// Returns a plan that computes the outputs that `reference` lacks, or computes them much sooner than the
  /// host. It runs once for each size and seed; its outputs are trusted.
  virtual std::optional<Result<LaunchPlan>> reference_plan(const Instance& /*instance*/,
                                                           const KernelSources& /*sources*/) const {
    return std::nullopt;
  }
  /// True where `reference_plan` computes everything that `reference` would; `reference` is then called only
  /// where the plan cannot run.
  virtual bool plan_replaces_reference(const Instance& /*instance*/) const { return false; }
  /// Returns further figures of a measured configuration that the problem defines. `facts` has what is known
  /// of the measurement: `time` [s], `energy` [J], `power` [W], `registers` and `spill_bytes` (a thread),
  /// `shared_memory` (bytes a block), `threads` (a block), `occupancy` (0 to 1). A figure that needs one that
  /// is not known is left out.
  virtual Metrics metrics(const Instance& /*instance*/, const Configuration& /*configuration*/,
                          const Facts& /*facts*/) const {
    return {};
  }
  /// Returns the metrics that `metrics` may return.
  virtual std::vector<MetricInfo> metric_infos() const { return {}; }
  /// Returns small odd sizes at which this configuration has a plan, for checking.
  virtual std::vector<Instance> check_instances(const Instance& instance,
                                                const Configuration& configuration) const = 0;
};

/// Makes an instance of `size` (`512x512x512`, empty for the defaults) and `settings` (name=value pairs).
/// Throws UsageError for a wrong number of extents, an extent that is not a positive number below 2^31, an
/// unknown setting or a value that is not valid.
Instance make_instance(const ProblemInfo& info, std::string_view size,
                       std::span<const std::pair<std::string, Value>> settings);

/// Returns the most operations a second: of the vector units, or of the tensor cores where the problem may
/// use them and they are faster. 0 where unknown.
double peak_flops(const ProblemCost& cost, const DeviceProperties& device);
/// Returns the least seconds on a device: the largest of bytes over copy bandwidth (measured, else the
/// datasheet's), flops over peak, and bytes from and to the host over the measured bandwidth of that
/// direction, because all of them can overlap. A term whose rate is unknown counts as 0.
double roofline_limit(const ProblemCost& cost, const DeviceProperties& device);
/// Returns `copies to the device` or `copies to the host` where these take longest; else empty.
std::string_view host_bound(const ProblemCost& cost, const DeviceProperties& device);

/// Hashes the problem's kernel files and revision: results with another hash are of another program.
std::string source_hash(const Problem& problem, const KernelSources& sources);

/// The defaults of a run of a described problem.
struct RunDefaults {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  std::optional<double> share = std::nullopt;  ///< of all valid configurations, as evaluations
  std::string strategy = {};                   ///< empty: the program's default
  std::string objective = {};                  ///< as `--objective`; empty: the time
  std::optional<std::uint64_t> seed = std::nullopt;
};

/// Implemented by a described Problem: it has defaults for its runs, and kernel files of its own.
class HasDescription {
 public:
  virtual ~HasDescription() = default;
  virtual RunDefaults run_defaults() const = 0;
  /// Serves the kernel files of the description, and all others from `others`. The problem must outlive it.
  virtual std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources> others) const = 0;
  /// Returns the parameters that nothing mentions: that they change nothing is told where it is read.
  virtual std::vector<std::string> unused_parameters() const { return {}; }
};

/// Null where the problem is null or has no description.
inline const HasDescription* find_description(const Problem* problem) {
  return dynamic_cast<const HasDescription*>(problem);
}

}  // namespace tune
