// SPDX-License-Identifier: Apache-2.0
// A problem that somebody wrote down in a file, in whichever format.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/described/readers/json_field.hpp"
#include "search/space/parameter.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::definition {

/// A formula and where it stands, for its errors.
struct Formula {
  std::string text;
  JsonField place;

  /// Throws UsageError with the place.
  FormulaValue evaluate(const Names& names) const;
};

enum class BufferAccess { read, write, both, scratch };

/// What a vector holds before a kernel runs, or must hold afterwards.
struct Contents {
  enum class Kind { constant, random, sequence, file };
  Kind kind = Kind::random;
  double value = 0;          ///< constant: every element; sequence: the first
  double step = 1;           ///< sequence: from one element to the next
  double low = 0, high = 1;  ///< random: uniform; whole numbers from low to high, high included
  std::optional<std::uint64_t> seed = std::nullopt;  ///< random: besides that of the check
  std::filesystem::path file = {};                   ///< elements in the machine's byte order, nothing else
};

/// A tensor map over all of a vector; formulas of the box over sizes, settings and parameters.
struct MapDefinition {
  JsonField place;
  std::vector<Formula> box;
  MapSwizzle swizzle = MapSwizzle::none;
  MapPromotion promotion = MapPromotion::bytes_128;
};

/// An argument of a kernel, or what a constant-memory symbol holds.
struct Argument {
  std::string name;
  JsonField place;
  ElementType type = ElementType::f32;
  std::string type_setting = {};  ///< a setting whose value is the type; empty: `type` it is
  int components = 1;             ///< of an element of a vector: float4 has four
  bool is_bool = false;           ///< bool: bytes that are 0 or 1
  /// Of a vector: its extents in elements, the fastest first; formulas over sizes, settings and lists of the
  /// parameters' values. Empty for a scalar.
  std::vector<Formula> extents = {};
  BufferAccess access = BufferAccess::read;
  Contents contents = {};
  /// Of a vector that is compared: what it must hold, where a file or a rule says so.
  std::optional<Contents> expected = std::nullopt;
  std::optional<Bounds> bounds = std::nullopt;        ///< of its comparison, instead of the definition's
  std::optional<Formula> value = std::nullopt;        ///< of a scalar: over sizes, settings and parameters
  std::string symbol = {};                            ///< a `__constant__` variable that is given a copy
  std::optional<TextureSpec> texture = std::nullopt;  ///< the kernel gets a texture object over it
  std::optional<MapDefinition> map = std::nullopt;    ///< or a tensor map

  bool is_vector() const { return !extents.empty(); }
};

/// One launch of a kernel; formulas over sizes, settings and parameters.
struct LaunchDefinition {
  std::string entry;  ///< a kernel's name or a C++ name expression: names of parameters become their values
  std::array<std::optional<Formula>, 3> grid = {}, block = {};
  std::optional<Formula> shared = std::nullopt;  ///< dynamic shared memory [bytes]
  std::optional<Formula> when = std::nullopt;    ///< left out where it is false
  std::vector<std::string> arguments = {};       ///< names, in the kernel's order
};

struct KernelFile {
  std::filesystem::path path;
  std::vector<std::filesystem::path> folders;  ///< of headers
  std::vector<std::string> options;            ///< for the compiler; names of parameters become their values
  std::map<std::string, Formula> defines;      ///< besides the parameters
};

/// How the right result is known, beyond what arguments say themselves.
struct ReferenceDefinition {
  /// The configuration whose results are taken for right; values that are not named are defaults.
  std::vector<std::pair<std::string, Value>> configuration = {};
  /// Another kernel whose results are: with launches of its own.
  std::optional<KernelFile> kernel = std::nullopt;
  std::vector<LaunchDefinition> launches = {};
};

struct Definition {
  std::string name;
  std::string summary;
  std::filesystem::path file;
  std::shared_ptr<const JsonText> source = {};  ///< the file as it was read
  std::string unusable = {};  ///< why nothing can be compiled or run; empty: nothing is in the way
  std::vector<ExtentInfo> extents = {};
  std::vector<SettingInfo> settings = {};
  std::vector<search::Parameter> parameters = {};
  std::vector<search::Constraint> constraints = {};
  KernelFile kernel = {};
  std::vector<Argument> arguments = {};
  std::vector<LaunchDefinition> launches = {};
  ReferenceDefinition reference = {};
  std::optional<double> absolute_tolerance = std::nullopt, relative_tolerance = std::nullopt;
  std::vector<std::vector<std::int64_t>> check_sizes = {};  ///< in the order of the extents
  std::optional<Formula> items = std::nullopt, flops = std::nullopt, bytes = std::nullopt;
  std::string item = "element";
  /// Of a run that is given no other: configurations, seconds.
  std::optional<std::int64_t> budget_evaluations = std::nullopt;
  std::optional<double> budget_seconds = std::nullopt;
  std::optional<double> budget_share = std::nullopt;  ///< of all valid configurations
  std::string strategy = {};                          ///< of a run that is given none; empty: the default one
  std::optional<std::uint64_t> seed = std::nullopt;   ///< likewise
  std::vector<std::string> notes = {};  ///< what was read differently from what a person might think

  /// Null where there is none of that name.
  const Argument* argument(std::string_view wanted) const;
};

/// Reads a definition, T1 or our own. Throws UsageError with file, line and field.
Definition read_definition(const std::filesystem::path& path);

Definition read_t1(const JsonField& root);
Definition read_native(const JsonField& root);

/// What the name of a type means: `float`, `int32_t`, `unsigned short`, `half`, `bool`, `float4`, ...
struct TypeName {
  ElementType element = ElementType::f32;
  int components = 1;
  bool is_bool = false;
};
/// Nothing for a type that no buffer has. Upper and lower case are the same.
std::optional<TypeName> type_named(std::string_view name);
/// Sets the argument's type. Fails for another.
void read_type(const JsonField& field, Argument& argument);

}  // namespace tune::definition
