// SPDX-License-Identifier: Apache-2.0
// The user's own kernel and its parameters, from a file in any format or from a program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/declared_types.hpp"
#include "kernels/described/expression.hpp"
#include "kernels/described/kernel_text.hpp"
#include "kernels/described/names_in_code.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::described {

/// The meaning of a type's name: `float`, `int32_t`, `unsigned short`, `half`, `bool`, `float4`, ...
struct TypeName {
  ElementType element = ElementType::f32;
  int components = 1;    ///< of an element of a vector: float4 has four
  bool is_bool = false;  ///< bytes that are 0 or 1
};
/// Returns nothing for a type that no buffer has. Upper and lower case are the same.
std::optional<TypeName> type_named(std::string_view name);

/// `restored`: the kernel may change it, it is not compared, and every execution begins with its contents.
enum class BufferAccess { read, write, both, scratch, restored };

/// The contents of a vector before a kernel runs, or the right ones afterwards. Numbers may be formulas over
/// sizes and settings.
struct Contents {
  enum class Kind { constant, random, sequence, file, function, formula, object };  ///< object: a struct's
  Kind kind = Kind::random;
  Expression value{0.0, {}};               ///< constant: every element; sequence: the first
  Expression step{1.0, {}};                ///< sequence: from one element to the next
  Expression low{0.0, {}}, high{1.0, {}};  ///< random: uniform; whole numbers from low to high, high included
  std::optional<std::uint64_t> seed = std::nullopt;  ///< random: besides that of the check
  std::filesystem::path file = {};                   ///< elements in the machine's byte order, nothing else
  /// Computes an element from its number, as laid out in memory, and the check's seed.
  std::function<ExactNumber(std::size_t, std::uint64_t)> function = {};
  /// Or from its number and the sizes: limits of a comparison.
  std::function<double(std::size_t, const Instance&)> limit = {};
  /// The same as a formula over its number `i`, sizes and settings.
  std::optional<Expression> formula = std::nullopt;
  std::string as = {};  ///< another argument, whose contents these are, element by element
};

struct TensorMapDescription {
  std::vector<Expression> box;  ///< over sizes, settings and parameters
  MapSwizzle swizzle = MapSwizzle::none;
  MapPromotion promotion = MapPromotion::bytes_128;
};

/// A part of a struct: numbers, an address, or another struct.
struct StructField {
  SourceLocation place = {};
  std::string name = {};                 ///< for messages; may be empty
  TypeName type = {};                    ///< of the numbers
  std::vector<Expression> values = {};   ///< numbers and lists of them: several are an array or a vector
  std::string buffer = {};               ///< the argument whose address it is; empty: no address
  std::vector<StructField> fields = {};  ///< of a struct
  std::size_t alignment = 1;             ///< if its own, or that of its fields, is smaller [bytes]
};

/// A struct that is passed by value.
struct StructDescription {
  StructField all = {};               ///< its fields, laid out as C does
  std::vector<std::byte> bytes = {};  ///< or its bytes as they are
};

/// Which elements of an output are compared, and how closely, besides the bounds of the output. Numbers are
/// formulas over sizes and settings, those of elements over their number `i`, too.
struct ElementComparison {
  std::optional<Contents> absolute = std::nullopt;  ///< |out - ref| that each may have; infinite: any
  std::optional<Contents> each = std::nullopt;      ///< the same as a share of |ref|
  std::optional<Expression> from = std::nullopt, to = std::nullopt;  ///< the first; the one behind the last
  std::optional<Expression> where = std::nullopt;                    ///< only those where it is true

  bool any() const { return absolute || each || from || to || where; }
};

/// An argument of a kernel, or the contents of a symbol in constant memory.
struct Argument {
  std::string name;
  SourceLocation place = {};
  std::string type_name = {};  ///< as written
  /// Nothing: the value of the setting `type_name` is the type.
  std::optional<TypeName> type = std::nullopt;
  /// The extents of a vector in elements, the fastest first, over sizes, settings and lists of the
  /// parameters' values. Empty for a scalar.
  std::vector<Expression> extents = {};
  BufferAccess access = BufferAccess::read;
  Contents contents = {};
  /// The right contents of a compared vector, if they are known.
  std::optional<Contents> expected = std::nullopt;
  std::optional<Bounds> bounds = std::nullopt;     ///< of its comparison, instead of the description's
  ElementComparison comparison = {};               ///< of its elements
  std::optional<Expression> value = std::nullopt;  ///< of a scalar: over sizes, settings and parameters
  std::optional<StructDescription> object = std::nullopt;  ///< passed by value, instead of a scalar
  std::string symbol = {};                                 ///< a `__constant__` variable that is given a copy
  std::optional<TextureSpec> texture = std::nullopt;       ///< the kernel gets a texture object over it
  std::optional<TensorMapDescription> map = std::nullopt;  ///< or a tensor map
  /// Of JudgeDescription::launches alone.
  bool is_for_judge = false;
  std::string reference_of = {};  ///< such an array: the output whose right contents it holds

  bool is_vector() const { return !extents.empty(); }
  /// True where contents are made for it before a kernel runs.
  bool is_filled() const {
    return is_vector() && access != BufferAccess::write && access != BufferAccess::scratch && !is_for_judge;
  }
  /// True for an output: only these are compared.
  bool is_written() const;
  /// True for a scalar, and for a struct of scalars, that follow from sizes and configuration.
  bool is_computed() const;
  /// True for what every call of a program passes: no variable of the kernel's code, no scalar that is
  /// computed, no array of a judge.
  bool is_passed() const { return symbol.empty() && !is_for_judge && !is_computed(); }
};

/// A copy between two arrays; without a number, all elements of `from`.
struct CopyDescription {
  std::string from, to;
  std::optional<Expression> count = std::nullopt, from_first = std::nullopt, to_first = std::nullopt;
};

/// Code of the host after a launch. It returns true to run `back` entries before it again.
struct HostDescription {
  using Function = std::function<bool(const Instance&, const Configuration&, HostAccess&)>;
  std::string name = {};  ///< for messages
  Function function = {};
  std::size_t back = 0;
};

/// A launch of a kernel, or another step; expressions are over sizes, settings and parameters.
struct LaunchDescription {
  /// A kernel's name or a C++ name expression: names of parameters become their values. Empty for one of the
  /// other steps below.
  std::string entry = {};
  /// Missing extents are 1. A function may return the list of all three as the first.
  std::array<std::optional<Expression>, 3> grid = {}, block = {};
  std::optional<Expression> shared = std::nullopt;  ///< dynamic shared memory [bytes]
  /// All blocks are resident at once and may wait for each other. Nothing: if the files have `this_grid`.
  std::optional<bool> cooperative = false;
  std::optional<Expression> when = std::nullopt;    ///< the launch is left out where it is false
  std::optional<Expression> repeat = std::nullopt;  ///< how often it runs, one after another; nothing: once
  /// Arrays that take each other's place in every second repetition.
  std::vector<std::pair<std::string, std::string>> swaps = {};
  std::string counter = {};  ///< what formulas call the number of the repetition, from 0; empty: nothing
  std::vector<LaunchDescription> body = {};  ///< steps that run one after another, as often as `repeat` says
  std::optional<CopyDescription> copy = std::nullopt;
  std::string zero = {};  ///< an array that is set to zero
  std::optional<HostDescription> host = std::nullopt;
  /// Names in the kernel's order; nothing: all arguments without symbol, as declared.
  std::optional<std::vector<std::string>> arguments = std::nullopt;
};

/// Calls `use` for each launch of a kernel, those in loops included.
template<class Launches, class Use>
void each_kernel_launch(Launches& launches, const Use& use) {
  for (auto& launch : launches) {
    if (!launch.entry.empty()) use(launch);
    each_kernel_launch(launch.body, use);
  }
}

/// What a kernel is written in. OpenCL C is rewritten as CUDA when it is read; C++ runs on the processor.
enum class KernelLanguage { cuda, opencl, cpp };

struct KernelSource {
  std::filesystem::path path = {};
  std::vector<std::filesystem::path> others = {};                ///< that are included behind it
  std::vector<std::filesystem::path> folders = {};               ///< of headers
  FilesInMemory memory = {};                                     ///< that are read before those on disk
  std::vector<std::string> options = {};                         ///< names of parameters become their values
  std::vector<std::pair<std::string, Expression>> defines = {};  ///< besides the parameters
  CompilerName compiler = CompilerName::automatic;
  KernelLanguage language = KernelLanguage::cuda;
  /// Of the process that runs a kernel of the processor: names in braces become values.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Macros whose `#define` in the files gets another value.
  std::vector<std::pair<std::string, Expression>> redefines = {};
  SourceLocation place = {};
  bool of_kernel_tuner =
      false;  ///< has the macros of Kernel Tuner, even if it does not mention `kernel_tuner`
  std::optional<KernelText> text = std::nullopt;              ///< nothing: read when the problem is made
  std::map<std::string, NameInCode, std::less<>> names = {};  ///< of the text; found when the problem is made
  DeclaredTypes types = {};                                   ///< of the text; likewise
  bool hides_names = false;  ///< asks for macros that its text may not mention; likewise

  /// Finds the names. The text must be there.
  void find_names();
  /// Returns the variable of the text that a symbol names, with its namespaces; the symbol where it is none.
  std::string variable(const std::string& symbol) const;
  /// True for a parameter or setting that the compiler is given as a macro: not for one that the text
  /// declares itself, as an argument or a variable, and not for one that it does not mention.
  bool takes_macro(std::string_view macro, const Value& value) const;
};

/// The source of the right results, beyond those of the arguments.
struct ReferenceDescription {
  using Function = std::function<void(const Instance&, const TensorSet& inputs, TensorSet& results)>;

  /// The configuration whose results count as right; parameters without a value have their defaults.
  Configuration configuration = {};
  SourceLocation place = {};  ///< of the configuration
  /// Another kernel with right results, and launches of its own.
  std::optional<KernelSource> kernel = std::nullopt;
  std::vector<LaunchDescription> launches = {};
  /// Or a function that fills the outputs, which hold NaN before.
  Function function = {};
  bool is_none = false;  ///< nothing is compared
  /// Parameters on whose values the right result depends: the reference has those of the configuration that
  /// is checked, as settings of the instance.
  std::vector<std::string> same = {};
};

/// A name in braces among the words of a program that judges.
struct JudgedName {
  enum class Which { array, reference, before };
  std::string array;
  Which which = Which::array;  ///< its contents; the right ones; those before the execution

  explicit JudgedName(const std::string& name);
};

/// The array in which kernels that judge count.
inline constexpr std::string_view verdict_name = "verdict";

/// How outputs are judged that are not compared element by element: by a program, a function or kernels.
struct JudgeDescription {
  using Function = std::function<Result<void>(const Instance&, const Configuration&, const JudgedResults&)>;

  SourceLocation place = {};
  std::vector<std::string> outputs = {};     ///< empty: there is no judge
  std::vector<std::string> references = {};  ///< the outputs of which it needs the right contents, too
  /// The program and its arguments. Names of arrays in braces become paths of files with their elements,
  /// `{out.reference}` of the right ones, `{out.before}` of those before; names of sizes, settings and
  /// parameters become values.
  std::vector<std::string> command = {};
  std::filesystem::path folder = {};  ///< in which the program runs
  double seconds = 60;                ///< that it may take
  Function function = {};
  /// Kernels that count wrong elements in the array `verdict`: their number, and the index of one.
  std::vector<LaunchDescription> launches = {};

  /// Returns the name of the judge, for users.
  std::string name() const;
  bool judges(std::string_view output) const;
  bool needs_reference(std::string_view output) const;
};

/// A constraint that is a function; it is called if all expressions hold.
struct FunctionRule {
  std::function<bool(const Instance&, const Configuration&)> holds;
  std::string reason;
  SourceLocation place;
};

struct CommandDescription;

struct KernelDescription {
  std::string name;
  std::string summary = {};
  SourceLocation place = {};
  std::vector<ExtentInfo> extents = {};
  std::vector<SettingInfo> settings = {};
  std::vector<search::Parameter> parameters = {};
  std::vector<search::Constraint> constraints = {};
  std::vector<SourceLocation> constraint_places = {};  ///< of the constraints, if they come from a file
  std::vector<FunctionRule> rules = {};
  /// Instead of a kernel, arguments and launches; null: there is a kernel.
  std::shared_ptr<const CommandDescription> command = nullptr;
  KernelSource kernel = {};
  std::vector<Argument> arguments = {};
  std::vector<LaunchDescription> launches = {};
  ReferenceDescription reference = {};
  JudgeDescription judge = {};
  std::optional<double> absolute_tolerance = std::nullopt, relative_tolerance = std::nullopt;
  /// Extents other than those of the work.
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> check_sizes = {};
  /// Extents with which the kernel ranks configurations nearly as with those of the work, if these are larger
  /// (Problem::low_fidelity); empty: none are known.
  std::vector<std::pair<std::string, std::int64_t>> low_fidelity = {};
  std::optional<Expression> items = std::nullopt, flops = std::nullopt, bytes = std::nullopt;
  /// How often an execution does this work, over parameters too; nothing: once.
  std::optional<Expression> per_execution = std::nullopt;
  /// Figures of a measured configuration, over sizes, settings, parameters and facts (Problem::metrics).
  std::vector<std::pair<std::string, Expression>> metrics = {};
  std::string item = "element";
  int revision = 1;
  /// Text that the hash of sources covers. Kernel files that are read later are added.
  std::vector<SourceFile> sources = {};
  std::string unusable = {};  ///< why nothing can be compiled or run; empty if it can
  /// Budgets of a run without another one: configurations, seconds.
  std::optional<std::int64_t> budget_evaluations = std::nullopt;
  std::optional<double> budget_seconds = std::nullopt;
  std::optional<double> budget_share = std::nullopt;  ///< of all valid configurations
  std::string strategy = {};                          ///< of a run without another one; empty: the default
  std::string objective = {};                         ///< likewise; `time` or `max:METRIC`, say
  std::optional<std::uint64_t> seed = std::nullopt;   ///< likewise
  std::vector<std::string> notes = {};                ///< readings that may surprise the user

  /// Returns null for an unknown name.
  const Argument* argument(std::string_view wanted) const;
  /// True for an array whose address a struct holds.
  bool is_in_struct(std::string_view array) const;
  /// Returns the launch's arguments; without a list of its own all but symbols and arrays in structs.
  std::vector<std::string> arguments_of(const LaunchDescription& launch) const;
  /// Returns the names of `metrics`, and of what a command prints besides its time.
  std::vector<std::string> metric_names() const;
  /// Returns it without sources. Throws UsageError if the name is empty.
  ProblemInfo info() const;
  /// The word for this in messages: `definition`, or `problem` in code.
  const char* noun() const { return place.is_file() ? "definition" : "problem"; }
};

}  // namespace tune::described
