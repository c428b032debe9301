// SPDX-License-Identifier: Apache-2.0
// A problem in code: the kernel, what may vary, the arguments, the launches, what is right. See
// docs/library.md.
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

/// Blocks of a grid, threads of a block. Not positive, or beyond 2^31 - 1: a failure of the configuration.
struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  Dim3() = default;
  Dim3(std::int64_t nx, std::int64_t ny = 1, std::int64_t nz = 1) : x(nx), y(ny), z(nz) {}
};

/// A number: itself, a formula over sizes, settings and, where they have values, parameters
/// ("ceil_div(n, BLOCK)", the notation of docs/your-own-kernel.md), or a function of the configuration and
/// the sizes.
class Number {
 public:
  using Function = std::function<double(const Configuration&, const Sizes&)>;

  template<class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Number(T number) : value(static_cast<double>(number)) {}
  Number(const char* formula) : value(std::string(formula)) {}
  Number(std::string formula) : value(std::move(formula)) {}
  template<class F,
           std::enable_if_t<std::is_invocable_r_v<double, F, const Configuration&, const Sizes&>, int> = 0>
  Number(F function) : value(Function(std::move(function))) {}

  std::variant<double, std::string, Function> value;
};

/// A number that is the same for all configurations: an extent of an array, the work. A formula may name
/// parameters, as the list of their values: "max(TILE)". A function gets the sizes.
class SizeNumber {
 public:
  using Function = std::function<double(const Sizes&)>;

  template<class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  SizeNumber(T number) : value(static_cast<double>(number)) {}
  SizeNumber(const char* formula) : value(std::string(formula)) {}
  SizeNumber(std::string formula) : value(std::move(formula)) {}
  template<class F, std::enable_if_t<std::is_invocable_r_v<double, F, const Sizes&>, int> = 0>
  SizeNumber(F function) : value(Function(std::move(function))) {}

  std::variant<double, std::string, Function> value;
};

/// Numbers of elements along each dimension, the fastest one first: "n" or {"width", "height"}.
class Extents {
 public:
  Extents(std::initializer_list<SizeNumber> extents) : numbers(extents) {}
  template<class T, std::enable_if_t<std::is_constructible_v<SizeNumber, T>, int> = 0>
  Extents(T extent) : numbers{SizeNumber(std::move(extent))} {}

  std::vector<SizeNumber> numbers;
};

/// What an array holds before the kernel runs.
struct Fill {
  enum class Kind { constant, random, sequence, file, function };
  Kind kind = Kind::random;
  double value = 0;          ///< constant: every element; sequence: the first one
  double step = 1;           ///< sequence: from one element to the next
  double low = 0, high = 1;  ///< random: uniform; whole numbers from low to high, high included
  std::string file = {};     ///< elements in the machine's byte order, nothing else
  /// Of an element's number, as laid out in memory. Another result for another seed lets a check use two
  /// different inputs.
  std::function<double(std::size_t index, std::uint64_t seed)> function = {};
};
inline Fill constant(double value) {
  return {Fill::Kind::constant, value};
}
inline Fill random(double low = 0, double high = 1) {
  return {Fill::Kind::random, 0, 1, low, high};
}
inline Fill sequence(double first = 0, double step = 1) {
  return {Fill::Kind::sequence, first, step};
}
inline Fill from_file(std::string path) {
  return {Fill::Kind::file, 0, 1, 0, 1, std::move(path)};
}
inline Fill from(std::function<double(std::size_t, std::uint64_t)> function) {
  return {Fill::Kind::function, 0, 1, 0, 1, {}, std::move(function)};
}

/// Elements in host memory that somebody else owns.
template<class T>
struct View {
  T* data = nullptr;
  std::size_t size = 0;
  T& operator[](std::size_t i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
};

/// What a reference in code gets: the inputs, and room for every output, in double precision.
class TUNE_API HostData {
 public:
  /// The contents of an input, or of an `inout` before the kernel. Throws Error for another name or type.
  template<class T>
  View<const T> input(const std::string& name) const {
    const auto [data, size] = input_bytes(name, type_name<T>());
    return {static_cast<const T*>(data), size};
  }
  /// To be filled: what the output must hold. It begins as NaN, so what is left out is noticed.
  View<double> result(const std::string& name);
  const Sizes& sizes() const;

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
  Contents& contents_;
};

/// The source of a kernel: a file, or a text.
struct TUNE_API Kernel {
  /// A file; headers beside it, or in one of the `folders`, are found. Read when a Problem takes the kernel.
  Kernel(const char* file) : path(file) {}
  Kernel(std::string file) : path(std::move(file)) {}
  /// The text itself; `name` is what messages call it.
  static Kernel from_source(std::string text, std::string name = "kernel.cu");

  Kernel& include(std::string folder);                 ///< where headers are
  Kernel& header(std::string name, std::string text);  ///< a header in memory
  Kernel& option(std::string text);                    ///< for the compiler: "-use_fast_math"
  Kernel& define(std::string name, Number value);      ///< a macro besides the parameters

  std::string path = {};
  std::string text = {};
  std::vector<std::string> folders = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<std::string> options = {};  ///< names of parameters become their values
  std::vector<std::pair<std::string, Number>> defines = {};
};

/// What is computed and tuned. Every function adds one thing and returns the problem; each throws Error for
/// what cannot be: a name twice, an empty list of values. What refers to other parts (a formula, an
/// argument's name) is checked when the problem is used. A copy shares nothing.
class TUNE_API Problem {
 public:
  /// `name` is what the database calls it: letters, digits, `_`, `-`, `.`.
  explicit Problem(std::string name);
  Problem(const Problem& other);
  Problem(Problem&&) noexcept;
  Problem& operator=(Problem other) noexcept;
  ~Problem();

  /// An extent of the work, with its default.
  Problem& size(std::string name, std::int64_t default_value);
  /// What else fixes the work; the first value is the default. Becomes a macro.
  Problem& setting(std::string name, std::vector<AnyValue> values);
  /// A tunable with its ordered values; the default is the first one, or the one given. Becomes a macro, or a
  /// template's argument where an entry names it.
  Problem& parameter(std::string name, std::vector<AnyValue> values,
                     std::optional<AnyValue> default_value = {});
  /// One that exists only where `condition` is true, an expression over earlier parameters.
  Problem& parameter_if(std::string condition, std::string name, std::vector<AnyValue> values);

  /// A rule over parameters, sizes, settings, max_threads and max_shared_memory, as an expression.
  Problem& constraint(std::string rule, std::string why = "");
  /// The same as a function, which sees a configuration only where all expressions hold. `why` names it: to
  /// people, and in the sources' hash, which cannot see what a function does (see `revision`).
  Problem& constraint(std::function<bool(const Configuration&)> rule, std::string why);
  Problem& constraint(std::function<bool(const Configuration&, const Sizes&)> rule, std::string why);

  /// Arguments in the kernel's order. T: float, double, or whole numbers of 8 to 64 bits.
  template<class T>
  Problem& input(std::string name, Extents extents, Fill fill = random()) {
    return input(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  template<class T>
  Problem& output(std::string name, Extents extents) {
    return output(std::move(name), checked_type<T>(), std::move(extents));
  }
  /// Read and written: begins with `fill` and is compared.
  template<class T>
  Problem& inout(std::string name, Extents extents, Fill fill = random()) {
    return inout(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  /// Passes something from launch to launch; not compared.
  template<class T>
  Problem& scratch(std::string name, Extents extents) {
    return scratch(std::move(name), checked_type<T>(), std::move(extents));
  }
  template<class T>
  Problem& scalar(std::string name, Number value) {
    return scalar(std::move(name), checked_type<T>(), std::move(value));
  }
  /// A `__constant__` or `__device__` variable of the kernel, which is given these contents before launches.
  /// No argument, unless a launch's `arguments` name it.
  template<class T>
  Problem& symbol(std::string name, Extents extents, Fill fill = random()) {
    return symbol(std::move(name), checked_type<T>(), std::move(extents), std::move(fill));
  }
  /// The same with the type as a text: `float`, `half`, `bfloat16`, or the name of a setting whose values are
  /// types.
  Problem& input(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& symbol(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& output(std::string name, std::string type, Extents extents);
  Problem& inout(std::string name, std::string type, Extents extents, Fill fill = random());
  Problem& scratch(std::string name, std::string type, Extents extents);
  Problem& scalar(std::string name, std::string type, Number value);

  /// The source, and the first launch: `entry` is a kernel's name or a C++ name expression,
  /// "saxpy<BLOCK, float>", in which names of parameters become their values. Throws Error where the file
  /// cannot be read.
  Problem& kernel(Kernel kernel, std::string entry);
  /// One more launch, of the same source.
  Problem& launch(std::string entry);
  /// Of the last launch. Functions give a Dim3 or a number of blocks (threads) along x.
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
  Problem& shared_memory(Number bytes);                ///< dynamic, a block
  Problem& arguments(std::vector<std::string> names);  ///< in the kernel's order; default: all, as declared
  Problem& when(Number condition);                     ///< left out where it is 0

  /// What every output must hold. Without any reference the default configuration is taken for right.
  Problem& reference(std::function<void(HostData&)> function);
  /// The outputs of this configuration are right; what it does not name is at its default.
  Problem& reference(Configuration configuration);
  /// What this kernel computes is right: one launch of it, which the calls that follow describe (grid, block,
  /// shared_memory, arguments) until the next launch. Parameters are macros with the reference
  /// configuration's values, settings as for the tuned kernel.
  Problem& reference(Kernel kernel, std::string entry);
  /// |out - ref| <= absolute + relative * max |ref|. Without it 1e-5 (float) or 1e-10 (double) relative.
  Problem& tolerance(double absolute, double relative = 0);
  /// Small odd sizes, at which each configuration must be right first; may be called several times.
  Problem& check_at(Sizes sizes);

  Problem& flops(SizeNumber count);
  Problem& bytes(SizeNumber count);  ///< default: all arrays once
  Problem& items(SizeNumber count, std::string name = "element");
  /// To be raised when a function given here (a constraint, a geometry, a fill) comes to mean something else:
  /// results of another revision are of another program.
  Problem& revision(int number);

  const std::string& name() const;

  struct Spec;  // inside the library
  const Spec& spec() const { return *spec_; }

 private:
  template<class T>
  static const char* checked_type() {
    static_assert(HostData::type_name<T>()[0] != 0,
                  "no buffer or scalar of that type: float, double, or whole numbers of 8 to 64 bits");
    return HostData::type_name<T>();
  }
  using Geometry = std::function<Dim3(const Configuration&, const Sizes&)>;
  Problem& changed();
  Problem& grid_function(Geometry function);
  Problem& block_function(Geometry function);

  std::unique_ptr<Spec> spec_;
};

}  // namespace tune::api
