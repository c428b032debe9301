// SPDX-License-Identifier: Apache-2.0
// A problem in code: the kernel, its parameters, arguments and launches, and the right results. See
// docs/reference/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tune/values.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tune::api {

/// Blocks of a grid, or threads of a block. A configuration fails if one is not between 1 and 2^31 - 1.
struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  Dim3() = default;
  Dim3(std::int64_t nx, std::int64_t ny = 1, std::int64_t nz = 1) : x(nx), y(ny), z(nz) {}
};

/// A number as it is given: whole ones, of up to 64 bits with and without sign, are exact.
class Exact {
 public:
  template<class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Exact(T number) : value(held(number)) {}

  std::variant<double, std::int64_t, std::uint64_t> value;

 private:
  template<class T>
  static std::variant<double, std::int64_t, std::uint64_t> held(T number) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
};

/// A number for each configuration: a constant, a formula over sizes, settings and parameters ("ceil_div(n,
/// BLOCK)", the notation of docs/reference/definition.md), or a function of the configuration and the sizes.
class Number {
 public:
  using Function = std::function<Exact(const Configuration&, const Sizes&)>;

  template<class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Number(T number) : value(Exact(number)) {}
  Number(const char* formula) : value(std::string(formula)) {}
  Number(std::string formula) : value(std::move(formula)) {}
  template<class F,
           std::enable_if_t<std::is_invocable_r_v<Exact, F, const Configuration&, const Sizes&>, int> = 0>
  Number(F function) : value(Function(std::move(function))) {}

  std::variant<Exact, std::string, Function> value;
};

/// A number that is the same for all configurations: an extent of an array, a count of operations. In a
/// formula a parameter is the list of its values: "max(TILE)". A function gets the sizes.
class SizeNumber {
 public:
  using Function = std::function<Exact(const Sizes&)>;

  template<class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  SizeNumber(T number) : value(Exact(number)) {}
  SizeNumber(const char* formula) : value(std::string(formula)) {}
  SizeNumber(std::string formula) : value(std::move(formula)) {}
  template<class F, std::enable_if_t<std::is_invocable_r_v<Exact, F, const Sizes&>, int> = 0>
  SizeNumber(F function) : value(Function(std::move(function))) {}

  std::variant<Exact, std::string, Function> value;
};

/// The number of elements along each dimension, the fastest one first: "n" or {"width", "height"}.
class Extents {
 public:
  Extents(std::initializer_list<SizeNumber> extents) : numbers(extents) {}
  template<class T, std::enable_if_t<std::is_constructible_v<SizeNumber, T>, int> = 0>
  Extents(T extent) : numbers{SizeNumber(std::move(extent))} {}

  std::vector<SizeNumber> numbers;
};

/// The contents of an array before the kernel runs.
struct Fill {
  enum class Kind { constant, random, sequence, file, function };
  Kind kind = Kind::random;
  Exact value = 0.0;            ///< constant: every element; sequence: the first one
  Exact step = 1.0;             ///< sequence: from one element to the next
  Exact low = 0.0, high = 1.0;  ///< random: uniform; whole numbers from low to high, high included
  std::string file = {};        ///< elements in the machine's byte order, nothing else
  /// Returns the value of the element at `index`, as laid out in memory. Values that depend on the seed let a
  /// check use two different inputs.
  std::function<Exact(std::size_t index, std::uint64_t seed)> function = {};
};
inline Fill constant(Exact value) {
  return {Fill::Kind::constant, value};
}
inline Fill random(Exact low = 0.0, Exact high = 1.0) {
  return {Fill::Kind::random, 0.0, 1.0, low, high};
}
inline Fill sequence(Exact first = 0.0, Exact step = 1.0) {
  return {Fill::Kind::sequence, first, step};
}
inline Fill from_file(std::string path) {
  return {Fill::Kind::file, 0.0, 1.0, 0.0, 1.0, std::move(path)};
}
inline Fill from(std::function<Exact(std::size_t, std::uint64_t)> function) {
  return {Fill::Kind::function, 0.0, 1.0, 0.0, 1.0, {}, std::move(function)};
}

/// Elements in host memory; the view does not own them.
template<class T>
struct View {
  T* data = nullptr;
  std::size_t size = 0;
  T& operator[](std::size_t i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
};

/// The arguments of a reference in code: the inputs, and room for every output in double precision. Valid
/// while the reference runs.
class TUNE_API HostData {
 public:
  /// Returns the contents of an input, or of an `inout` before the kernel. Throws Error for another name or
  /// type.
  template<class T>
  View<const T> input(const std::string& name) const {
    const auto [data, size] = input_bytes(name, type_name<T>());
    return {static_cast<const T*>(data), size};
  }
  /// Returns the array to fill with the right values of the output. It begins as NaN, so that elements left
  /// out are noticed. Throws Error for another name.
  View<double> result(const std::string& name);
  /// Returns the same in the output's own type, `std::int64_t` or `std::uint64_t`, all numbers of which are
  /// exact; those of the other types are so in double. It begins as 0. Throws Error for another name or type.
  template<class T>
  View<T> result(const std::string& name) {
    static_assert(std::is_integral_v<T> && sizeof(T) == 8, "an int64 or uint64; other types fit into double");
    const auto [data, size] = result_bytes(name, type_name<T>());
    return {static_cast<T*>(data), size};
  }
  const Sizes& sizes() const;
  /// True once nobody waits for the results: the run was cancelled, or its budget has ended. A function that
  /// takes seconds should ask it in its outer loop, from the thread that it was called in, and return. From
  /// other threads it answers what that thread has heard.
  bool stopped() const;

  template<class T>
  static constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, float>) return "float";
    if constexpr (std::is_same_v<T, double>) return "double";
    if constexpr (std::is_integral_v<T>) {
      if constexpr (sizeof(T) == 8) return std::is_signed_v<T> ? "int64" : "uint64";
      if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? "int32" : "uint32";
      if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? "int16" : "uint16";
      if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? "int8" : "uint8";
    }
    return "";
  }

  struct Contents;
  explicit HostData(Contents& contents) : contents_(contents) {}

 private:
  std::pair<const void*, std::size_t> input_bytes(const std::string& name, const std::string& type) const;
  std::pair<void*, std::size_t> result_bytes(const std::string& name, const std::string& type);
  Contents& contents_;
};

/// The data of one checked execution, for a function that judges it. Valid while the function runs.
class TUNE_API Results {
 public:
  /// Returns an output that is judged, or an input (of an `inout` its contents before). Throws Error for
  /// another name or type.
  template<class T>
  View<const T> output(const std::string& name) const {
    const auto [data, size] = output_bytes(name, HostData::type_name<T>());
    return {static_cast<const T*>(data), size};
  }
  template<class T>
  View<const T> input(const std::string& name) const {
    const auto [data, size] = input_bytes(name, HostData::type_name<T>());
    return {static_cast<const T*>(data), size};
  }
  /// Returns the right contents of a judged output, if the problem has a reference. Throws Error if a
  /// double cannot hold them: whole numbers of 64 bits from 2^53 on.
  std::vector<double> reference(const std::string& name) const;
  /// Returns the same as `std::int64_t` or `std::uint64_t`, the type of the output. Throws Error for another.
  template<class T>
  std::vector<T> reference(const std::string& name) const {
    static_assert(std::is_integral_v<T> && sizeof(T) == 8, "an int64 or uint64; other types fit into double");
    std::vector<T> all(output_bytes(name, HostData::type_name<T>()).second);
    reference_bytes(name, all.data());
    return all;
  }
  const Sizes& sizes() const;
  const Configuration& configuration() const;

  struct Contents;
  explicit Results(const Contents& contents) : contents_(contents) {}

 private:
  std::pair<const void*, std::size_t> output_bytes(const std::string& name, const std::string& type) const;
  std::pair<const void*, std::size_t> input_bytes(const std::string& name, const std::string& type) const;
  void reference_bytes(const std::string& name, void* to) const;
  const Contents& contents_;
};

/// The arrays of an execution, for host code between two launches. A call waits for all earlier
/// launches. Valid while the code runs.
class TUNE_API HostArrays {
 public:
  /// Returns `count` elements of an array from `first` on. Throws Error for another name or type, and beyond
  /// the array's end.
  template<class T>
  std::vector<T> read(const std::string& name, std::size_t first, std::size_t count) const {
    std::vector<T> elements(count);
    read_bytes(name, HostData::type_name<T>(), first, count, elements.data());
    return elements;
  }
  /// Returns one element.
  template<class T>
  T read(const std::string& name, std::size_t index = 0) const {
    return read<T>(name, index, 1).front();
  }
  template<class T>
  void write(const std::string& name, std::size_t first, const std::vector<T>& elements) {
    write_bytes(name, HostData::type_name<T>(), first, elements.size(), elements.data());
  }
  const Sizes& sizes() const;
  const Configuration& configuration() const;

  struct Contents;
  explicit HostArrays(Contents& contents) : contents_(contents) {}

 private:
  void read_bytes(const std::string& name, const std::string& type, std::size_t first, std::size_t count,
                  void* to) const;
  void write_bytes(const std::string& name, const std::string& type, std::size_t first, std::size_t count,
                   const void* from);
  Contents& contents_;
};

/// The source of a kernel: a file or a text.
struct TUNE_API Kernel {
  /// Names a file; headers are found beside it and in `folders`. It is read when a Problem takes the kernel.
  Kernel(const char* file) : path(file) {}
  Kernel(std::string file) : path(std::move(file)) {}
  /// Takes the text itself; messages call it `name`. Throws Error for an empty text.
  static Kernel from_source(std::string text, std::string name = "kernel.cu");

  Kernel& include(std::string folder);                 ///< adds a folder with headers
  Kernel& header(std::string name, std::string text);  ///< adds a header in memory
  Kernel& option(std::string text);                    ///< adds an option of the compiler: "-use_fast_math"
  Kernel& define(std::string name, Number value);      ///< adds a macro besides the parameters

  std::string path = {};
  std::string text = {};
  std::vector<std::string> folders = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::string> options = {};  ///< names of parameters become their values
  std::vector<std::pair<std::string, Number>> defines = {};
};

/// A problem to tune. Every function adds one part and returns the problem; each throws Error for a part that
/// cannot be: a second one of a name, an empty list of values. References to other parts (in a formula, by an
/// argument's name) are checked when the problem is used. A copy shares nothing.
class TUNE_API Problem {
 public:
  /// `name` identifies it in the database: letters, digits, `_`, `-`, `.`. Throws Error for other characters.
  explicit Problem(std::string name);
  /// Reads the file of a definition (docs/reference/definition.md). The problem is complete: functions that
  /// add a part throw Error. Throws Error for a definition that cannot be read or has a mistake.
  static Problem from_definition(const std::string& file);
  /// The same of a definition's text; names of files in it count from `folder`. `files` are the names and
  /// texts of kernels and headers in memory, which go before those on disk.
  static Problem from_text(std::string definition, const std::string& folder = ".",
                           const std::vector<std::pair<std::string, std::string>>& files = {});
  /// Returns a problem that the program has, such as `stencil3d`, which is complete too. A Dispatcher refuses
  /// it, since it has no arguments of a call. Throws Error for another name.
  static Problem built_in(const std::string& name);
  Problem(const Problem& other);
  Problem(Problem&&) noexcept;
  Problem& operator=(Problem other) noexcept;
  ~Problem();

  /// Adds an extent of the problem, in elements, with its default.
  Problem& size(std::string name, std::int64_t default_value);
  /// Adds another property of an instance (a data type, a radius); the first value is the default. Becomes a
  /// macro.
  Problem& setting(std::string name, std::vector<AnyValue> values);
  /// Adds a tunable with its ordered values; the default is the first one, or the one given. Becomes a macro,
  /// or a template's argument if an entry names it.
  Problem& parameter(std::string name, std::vector<AnyValue> values,
                     std::optional<AnyValue> default_value = {});
  /// Adds one that exists only if `condition` is true, an expression over earlier parameters.
  Problem& parameter_if(std::string condition, std::string name, std::vector<AnyValue> values);

  /// Adds a rule over parameters, sizes, settings, max_threads and max_shared_memory, as an expression.
  /// Messages state the reason `why`.
  Problem& constraint(std::string rule, std::string why = "");
  /// Adds a rule as a function, which sees a configuration only if all expressions hold. `why` names it in
  /// messages and in the hash of the sources, which does not cover what a function does (see `revision`).
  Problem& constraint(std::function<bool(const Configuration&)> rule, std::string why);
  Problem& constraint(std::function<bool(const Configuration&, const Sizes&)> rule, std::string why);

  /// Adds an argument; arguments are declared in the kernel's order. T is float, double, or an integer of 8
  /// to 64 bits.
  template<class T>
  Problem& input(std::string name, Extents extents, Fill fill = random()) {
    return input(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  template<class T>
  Problem& output(std::string name, Extents extents) {
    return output(std::move(name), checked_type<T>(), std::move(extents));
  }
  /// Adds an array that is read and written: it begins with `fill` and is compared.
  template<class T>
  Problem& inout(std::string name, Extents extents, Fill fill = random()) {
    return inout(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  /// Adds an array that passes data from launch to launch; it is not compared.
  template<class T>
  Problem& scratch(std::string name, Extents extents) {
    return scratch(std::move(name), checked_type<T>(), std::move(extents));
  }
  template<class T>
  Problem& scalar(std::string name, Number value) {
    return scalar(std::move(name), checked_type<T>(), std::move(value));
  }
  /// Adds a struct that is passed by value, with these contents.
  template<class T>
  Problem& structure(std::string name, const T& contents) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_class_v<T>, "a struct of plain data");
    return structure(std::move(name), &contents, sizeof(T));
  }
  /// Adds a `__constant__` or `__device__` variable of the kernel, which gets these contents before launches.
  /// It is not an argument, unless a launch's `arguments` name it.
  template<class T>
  Problem& symbol(std::string name, Extents extents, Fill fill = random()) {
    return symbol(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  /// These take the type as a text: `float`, `half`, `bfloat16`, or the name of a setting whose values are
  /// types.
  Problem& input(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& symbol(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& output(std::string name, std::string type, Extents extents);
  Problem& inout(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& scratch(std::string name, std::string type, Extents extents);
  Problem& scalar(std::string name, std::string type, Number value);

  /// Sets the source and adds the first launch: `entry` is a kernel's name or a C++ name expression,
  /// "saxpy<BLOCK, float>", in which names of parameters become their values. Throws Error if the file
  /// cannot be read.
  Problem& kernel(Kernel kernel, std::string entry);
  /// Adds a launch of a kernel in the same source.
  Problem& launch(std::string entry);
  /// Sets the grid (in blocks) and the block (in threads) of the last launch. A function returns a Dim3, or
  /// the number along x.
  Problem& grid(Number x, Number y = 1, Number z = 1);
  Problem& block(Number x, Number y = 1, Number z = 1);
  template<class F,
           std::enable_if_t<std::is_same_v<std::invoke_result_t<F, const Configuration&, const Sizes&>, Dim3>,
                            int> = 0>
  Problem& grid(F function) {
    return grid_function(std::move(function));
  }
  template<class F,
           std::enable_if_t<std::is_same_v<std::invoke_result_t<F, const Configuration&, const Sizes&>, Dim3>,
                            int> = 0>
  Problem& block(F function) {
    return block_function(std::move(function));
  }
  Problem& shared_memory(Number bytes);  ///< dynamic, in bytes per block
  /// All blocks of the launch are resident at once and may wait for each other (`this_grid().sync()`). A grid
  /// that does not fit is a failure.
  Problem& cooperative();
  Problem& arguments(std::vector<std::string> names);  ///< in the kernel's order; default: all, as declared
  Problem& when(Number condition);                     ///< the launch is left out if it is 0

  /// Adds host code that runs once after the launches so far. It is part of the execution: the time that it
  /// takes between two launches counts. On a GPU it needs Options::in_process.
  Problem& host(std::function<void(HostArrays&)> code);
  /// Adds host code that returns true to run the last `launches` launches and the code itself once
  /// more. An execution that goes back a million times fails.
  Problem& repeat_while(std::function<bool(HostArrays&)> code, std::size_t launches = 1);

  /// Sets a function that computes every output. Without any reference the results of the default
  /// configuration count as right.
  Problem& reference(std::function<void(HostData&)> function);
  /// Takes the outputs of this configuration as right; parameters that it does not name are at their
  /// defaults.
  Problem& reference(Configuration configuration);
  /// Takes the results of this kernel as right: of one launch, which the calls that follow describe (grid,
  /// block, shared_memory, arguments) until the next launch. Parameters are macros with the reference
  /// configuration's values, settings as for the tuned kernel.
  Problem& reference(Kernel kernel, std::string entry);
  /// Sets the tolerance: |out - ref| <= absolute + relative * max |ref|. The default is 1e-5 (float) or 1e-10
  /// (double) relative.
  Problem& tolerance(double absolute, double relative = 0);
  /// Sets how far each element of an output may be from its right value, by its index as laid out in memory.
  /// An element with an infinite limit does not count. The function replaces the output's `absolute`.
  Problem& tolerance(std::string output, std::function<double(std::size_t index, const Sizes&)> limit);
  /// Compares only the elements of an output from `first` on, and before `end`.
  Problem& compare(std::string output, SizeNumber first, SizeNumber end);
  /// Lets a function judge these outputs after each checked execution: it returns what is wrong, or an empty
  /// text. They are not compared element by element, and need no reference.
  Problem& judge(std::vector<std::string> outputs, std::function<std::string(const Results&)> function);
  /// Adds small odd sizes at which each configuration is checked first.
  Problem& check_at(Sizes sizes);

  Problem& flops(SizeNumber count);  ///< operations of a solution
  Problem& bytes(SizeNumber count);  ///< bytes that must be moved; default: all arrays once
  /// Sets how often an execution does this work, for instance the number of fused time steps: times are those
  /// of one.
  Problem& work_per_execution(Number count);
  Problem& items(SizeNumber count, std::string name = "element");  ///< for rates
  /// Sets the revision, to be raised when a function given here (a constraint, a geometry, a fill) changes
  /// its meaning: results of another revision are not reused.
  Problem& revision(int number);

  const std::string& name() const;

  struct Spec;  // inside the library
  const Spec& spec() const { return *spec_; }
  Spec& spec() { return *spec_; }

 private:
  template<class T>
  static const char* checked_type() {
    static_assert(HostData::type_name<T>()[0] != 0,
                  "a buffer or scalar is of float, double, or an integer of 8 to 64 bits");
    return HostData::type_name<T>();
  }
  using Geometry = std::function<Dim3(const Configuration&, const Sizes&)>;
  Problem& changed();
  Problem& structure(std::string name, const void* bytes, std::size_t size);
  Problem& grid_function(Geometry function);
  Problem& block_function(Geometry function);

  std::unique_ptr<Spec> spec_;
};

}  // namespace tune::api
