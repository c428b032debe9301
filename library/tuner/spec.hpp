// SPDX-License-Identifier: Apache-2.0
// What a Problem of the interface was told.
#pragma once

#include <tune/problem.hpp>

#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::api {

enum class ArgumentAccess { read, write, both, scratch, scalar };

struct ArgumentSpec {
  std::string name;
  ArgumentAccess access = ArgumentAccess::read;
  std::string type;  ///< `float`, or the name of a setting
  std::vector<SizeNumber> extents = {};
  Fill fill = {};
  Number value = 0;  ///< of a scalar
  /// An array that is copied to the variable of this name before launches: an argument only where a launch
  /// names it.
  bool symbol = false;

  bool is_array() const { return access != ArgumentAccess::scalar; }
  bool compared() const { return access == ArgumentAccess::write || access == ArgumentAccess::both; }
  /// A scalar that is not given as a number: it follows from sizes and configuration.
  bool computed() const { return !is_array() && !std::holds_alternative<double>(value.value); }
};

using GeometryFunction = std::function<Dim3(const Configuration&, const Sizes&)>;

/// Three numbers, or one function for all.
struct GeometrySpec {
  std::vector<Number> numbers = {};
  GeometryFunction function = {};
  bool given() const { return function || !numbers.empty(); }
};

struct LaunchSpec {
  std::string entry;
  GeometrySpec grid = {}, block = {};
  std::optional<Number> shared = std::nullopt;
  std::optional<Number> when = std::nullopt;
  std::optional<std::vector<std::string>> arguments = std::nullopt;
};

/// A kernel and what it is compiled from.
struct KernelSpec {
  Kernel kernel;
  SourceFile source = {};                ///< its text
  std::vector<SourceFile> headers = {};  ///< as far as they were found
};

/// Another kernel, whose outputs are right, with its one launch.
struct ReferenceKernel {
  KernelSpec kernel;
  LaunchSpec launch;
};

/// A constraint that is a function; the reason names it.
struct FunctionRule {
  std::function<bool(const Configuration&, const Sizes&)> rule;
  std::string reason;
};

struct Problem::Spec {
  std::string name;
  std::vector<ExtentInfo> extents = {};
  std::vector<SettingInfo> settings = {};
  std::vector<search::Parameter> parameters = {};
  std::vector<search::Constraint> constraints = {};
  std::vector<FunctionRule> rules = {};
  std::vector<ArgumentSpec> arguments = {};
  std::optional<KernelSpec> kernel = std::nullopt;
  std::vector<LaunchSpec> launches = {};
  std::function<void(HostData&)> reference = {};
  std::optional<ReferenceKernel> reference_kernel = std::nullopt;
  bool describes_reference = false;  ///< whether grid, block, ... are of the reference's launch
  search::Configuration reference_configuration = {};
  std::optional<double> absolute_tolerance = std::nullopt, relative_tolerance = std::nullopt;
  std::vector<Sizes> checks = {};
  std::optional<SizeNumber> flops = std::nullopt, bytes = std::nullopt, items = std::nullopt;
  std::string item = "element";
  int revision = 1;
  std::uint64_t stamp = 0;  ///< another one after every change

  /// Null where there is none of that name.
  const ArgumentSpec* argument(std::string_view wanted) const;
  /// What the launch names, else all that are declared but the symbols.
  std::vector<std::string> arguments_of(const LaunchSpec& launch) const;
};

using Spec = Problem::Spec;

/// What a reference function works on.
struct HostData::Contents {
  const Sizes& sizes;
  const TensorSet& inputs;
  TensorSet& results;
};

/// `float`, `int32`, ...; nothing for another text.
std::optional<ElementType> type_named(std::string_view name);

}  // namespace tune::api
