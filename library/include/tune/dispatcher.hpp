// SPDX-License-Identifier: Apache-2.0
// Tunes while the program works: each call of a dispatcher launches the kernel, now and then in a
// configuration that is to be tried. See docs/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tune/problem.hpp>
#include <type_traits>

struct CUstream_st;  // what cudaStream_t points to

namespace tune::api {

struct DispatchOptions {
  std::string device = "0";   ///< number of the GPU that the streams are of
  std::string database = {};  ///< empty: where `tune` looks
  double slowdown = 0.1;  ///< share of the time of all calls that may be lost to trials; 0: nothing is tried
  std::size_t candidates = 50;  ///< tried at most for a problem at a size, those of earlier processes counted
  std::string strategy = "auto";  ///< which configurations to try, as --strategy
  std::uint64_t seed = 1;
  std::string where = {};  ///< restricts the space: an expression
  double timeout = 10;     ///< seconds that a kernel may take to run once when it is checked
  /// Check candidates in this process instead of a worker process of the program `tune`. A candidate that
  /// faults then takes this process's device.
  bool in_process = false;
};

/// Where a dispatcher stands.
struct DispatchState {
  bool settled = false;         ///< nothing more will be tried
  Configuration configuration;  ///< the best so far
  std::size_t tried = 0;        ///< decided, the first one not counted; without those of earlier processes
  std::size_t failed = 0;       ///< did not compile, were wrong, could not be launched
  std::uint64_t calls = 0;
  double seconds = 0;       ///< of all calls on the device; what was not timed counts as the best
  double lost = 0;          ///< seconds of these, by trials
  double best_seconds = 0;  ///< of a call of the best, lately; 0 where nothing was timed yet
  std::string notice = {};  ///< what a person should know (no database, say); empty as a rule
};

/// Launches a kernel of a problem at one size, with the caller's own arrays, and finds the best configuration
/// meanwhile. Begins with the best that the database knows for this device and size, else for others, else
/// with the default. Others are compiled and checked in the background, on arrays of their own at the
/// problem's check sizes
/// (`check_at`; without any at the size itself): what fails is never launched here. What passes is tried by
/// calls that would have been made anyway, each of which does its work whatever configuration it runs.
///
/// Thread-safe: calls take their turns. Times are taken by events on the caller's stream, which nobody waits
/// for.
class TUNE_API Dispatcher {
 public:
  /// Compiles and checks the configuration to begin with. Throws Error: no GPU, or nothing that could be
  /// launched.
  explicit Dispatcher(const Problem& problem, const Sizes& sizes = {}, const DispatchOptions& options = {});
  Dispatcher(Dispatcher&&) noexcept;
  Dispatcher& operator=(Dispatcher&&) noexcept;
  /// Like `finish`, and waits for the device: what was launched must end before the kernels are unloaded.
  ~Dispatcher();

  /// Enqueues the kernel's launches on the stream. `arguments`: those of the problem in their order, without
  /// the scalars that a formula or a function gives (they follow from the sizes): device pointers for arrays,
  /// values of the declared type for scalars. The stream's device has to be current. Throws Error for other
  /// arguments, and for a device that is lost.
  template<class... Arguments>
  void launch(CUstream_st* stream, const Arguments&... arguments) {
    const Argument all[] = {Argument(arguments)..., Argument()};
    launch_all(stream, all, sizeof...(Arguments));
  }

  DispatchState state() const;
  /// Tries no more and stores the best: calls go on with it. Waits for a check under way.
  void finish();

  /// An argument of a call, as it is handed on.
  struct Argument {
    bool pointer = false;
    const char* type = "";  ///< of the value, or of what it points to; empty: unknown, `void` for a pointer
    alignas(8) unsigned char value[8] = {};

    Argument() = default;
    template<class T>
    explicit Argument(const T& given) : pointer(std::is_pointer_v<T>) {
      static_assert(sizeof(T) <= sizeof value && std::is_trivially_copyable_v<T>,
                    "neither a pointer nor a number");
      if constexpr (std::is_pointer_v<T>)
        type = HostData::type_name<std::remove_cv_t<std::remove_pointer_t<T>>>();
      else
        type = HostData::type_name<T>();
      std::memcpy(value, &given, sizeof(T));
    }
  };

  class Engine;  // inside the library
  explicit Dispatcher(std::unique_ptr<Engine> engine);

 private:
  void launch_all(CUstream_st* stream, const Argument* arguments, std::size_t count);

  std::unique_ptr<Engine> engine_;
};

}  // namespace tune::api
