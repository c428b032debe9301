// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernels/described/description.hpp"
#include "kernels/described/readers/json_field.hpp"

// Files that describe a kernel: our own format and the field's exchange format.

namespace tune::described {

/// Reads a definition, T1 or our own. Throws UsageError with file, line and field.
KernelDescription read_definition(const std::filesystem::path& path);
/// The same of a text in memory. Messages call it `path`, in whose folder its files are.
KernelDescription parse_definition(const std::filesystem::path& path, std::string text);

KernelDescription read_t1(const JsonField& root);
KernelDescription read_native(const JsonField& root);

/// The values of a parameter while they are read, each once.
class DistinctValues {
 public:
  /// Returns false for a value that is there already.
  bool add(Value value);
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<Value> values_;
  std::unordered_set<std::string> seen_;
};

/// Adds the parameter. Fails at `place` for a name or value that it cannot have.
void add_parameter(search::Parameter parameter, const JsonField& place, KernelDescription& definition);

/// Adds the constraint of `rule`. An empty reason: the rule itself.
void add_constraint(const JsonField& rule, std::string reason, KernelDescription& definition);

/// Returns the compiler that is named: `nvrtc`, `nvcc` or `automatic`. Fails for another.
CompilerName read_compiler(const JsonField& field);
/// Reads what an array holds: a number, "random", or an object.
Contents read_contents(const JsonField& field);
/// The same, or the name of another array with the same contents (`fill`).
Contents read_fill(const JsonField& field);
/// After all arguments: gives each array whose fill names another one the contents of that one.
void share_contents(KernelDescription& definition);
/// Reads the bounds of an output and of its elements.
void read_tolerance(const JsonField& field, Argument& argument);
/// Reads `command` of a definition, after its parameters, sizes and settings.
void read_command(const JsonField& field, KernelDescription& definition);
/// Reads `environment` of a command or a kernel, after parameters, sizes and settings.
std::vector<std::pair<std::string, std::string>> read_environment(const JsonField& field,
                                                                  const KernelDescription& definition);
/// Reads a launch or a list of them, after the arguments. Fails for none.
KernelSource read_kernel(const JsonField& field, const std::filesystem::path& folder);
std::vector<LaunchDescription> read_launches(const JsonField& field, const KernelDescription& definition);
/// Reads which elements of an output count.
void read_compared(const JsonField& field, Argument& argument);
/// Reads `verify` of a definition, after its arguments and its reference.
void read_judge(const JsonField& root, KernelDescription& definition);
/// After the sizes: those at which results are checked.
void read_check_sizes(const JsonField& root, KernelDescription& definition);
/// After the launches.
void read_reference(const JsonField& root, KernelDescription& definition,
                    const std::filesystem::path& folder);
/// Reads `objective`, after the metrics.
void read_objective(const JsonField& field, KernelDescription& definition);
/// Reads the name of a file, or a list of names, from the definition's folder.
void read_files(const JsonField& field, KernelSource& kernel);
/// Sets the argument's type. Fails for a name that is not a type.
void read_type(const JsonField& field, Argument& argument);
/// Reads the expressions of a vector's extents. Fails for none and for more than three.
void read_extents(const JsonField& field, Argument& argument);
/// Returns a texture with the argument's dimensions and channels.
TextureSpec texture_over(const Argument& argument);

}  // namespace tune::described

// Parts of the reader of T1. The fields are those of the published schema, and those that published
// definitions have in addition.

namespace tune::described::t1 {

/// Returns the text in lower case, without spaces around: names of kinds are compared in this form.
std::string word(const JsonField& field);

void read_kernel(const JsonField& kernel, KernelDescription& definition);

/// Returns our strategy of the same meaning as another tuner's; empty if there is none.
std::string strategy_named(std::string name);

/// Returns the options without those of other compilers and for the host, which go to `dropped`.
std::vector<std::string> usable_options(const std::vector<std::string>& texts, CompilerName compiler,
                                        std::string& dropped);

}  // namespace tune::described::t1
