// SPDX-License-Identifier: Apache-2.0
// Tunes while the program runs: each call of a dispatcher launches the kernel, now and then in a
// configuration that is to be tried. See docs/reference/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tune/problem.hpp>
#include <type_traits>

struct CUstream_st;  // what cudaStream_t points to

namespace tune::api {

struct DispatchOptions {
  std::string device = "0";       ///< number of the GPU that the streams are of
  std::string database = {};      ///< empty: where `tune` looks
  double slowdown = 0.1;          ///< largest share of the time of all calls lost to trials; 0: no trials
  std::size_t candidates = 50;    ///< largest number tried for a problem and size, earlier processes included
  std::string strategy = "auto";  ///< which configurations to try, as --strategy
  std::uint64_t seed = 1;
  std::string where = {};  ///< restricts the space: an expression
  double timeout = 10;     ///< time limit [s] of one execution in a check
  /// Check candidates in this process instead of a worker process of the program `tune`. A candidate that
  /// faults then takes this process's device.
  bool in_process = false;
  /// Try configurations again when times drift (docs/reference/library.md has the rule).
  bool follow_drift = true;
  std::string installed = installed_in;  ///< where the program `tune` is, if nowhere nearer
};

/// The state of a dispatcher.
struct DispatchState {
  bool settled = false;  ///< no candidate is left, unless times drift
  bool paused = false;
  std::size_t retuned = 0;      ///< how often trials began again
  Configuration configuration;  ///< the best so far
  std::size_t tried = 0;        ///< by this process, except the first one
  std::size_t failed = 0;       ///< of these: not compiled, wrong, or not launched
  std::uint64_t calls = 0;
  double seconds = 0;       ///< of all calls on the device; an untimed call counts as a call of the best
  double lost = 0;          ///< seconds of these, by trials
  double best_seconds = 0;  ///< of a recent call of the best; 0: not timed yet
  std::string notice =
      {};  ///< a note for the user, for example that the database cannot be opened; else empty
};

/// Launches a kernel of a problem at one size, with the caller's own arrays, and finds the best configuration
/// meanwhile. Begins with the best that the database knows for this device and size, else for others, else
/// with the default. Others are compiled and checked in the background, on arrays of their own at the
/// problem's check sizes (`check_at`; without any at the size itself). Those that fail are never launched
/// here. Those that pass are tried by the caller's own calls, each of which computes its result in any
/// configuration.
///
/// Thread-safe: calls take their turns. Times are taken by events on the caller's stream; no call waits for
/// them. After a fork the child makes its own.
class TUNE_API Dispatcher {
 public:
  /// Compiles and checks the configuration to begin with. Throws Error if there is no GPU, or no
  /// configuration that can be launched.
  explicit Dispatcher(const Problem& problem, const Sizes& sizes = {}, const DispatchOptions& options = {});
  Dispatcher(Dispatcher&&) noexcept;
  Dispatcher& operator=(Dispatcher&&) noexcept;
  /// Finishes, and waits for the device: launched kernels must end before they are unloaded.
  ~Dispatcher();

  /// Enqueues the kernel's launches on the stream. `arguments` are those of the problem in their order:
  /// device pointers for arrays, values of the declared type for scalars and structs. Scalars by a formula or
  /// a function are left out, since they follow from the sizes. The stream's device must be current. Throws
  /// Error for other arguments, and for a device that is lost.
  template<class... Arguments>
  void launch(CUstream_st* stream, const Arguments&... arguments) {
    const Argument all[] = {Argument(arguments)..., Argument()};
    launch_all(stream, all, sizeof...(Arguments));
  }

  /// Sets the contents of a variable that the problem declares with `symbol` (a `__constant__` or
  /// `__device__` variable), for all later launches, whichever configuration they run; needed before the
  /// first. The data are in host memory, of the declared type and number, and copied before this returns.
  /// Kernels that still run on other streams may see them too. Throws Error for another name, type or number.
  template<class T>
  void symbol(const std::string& name, const T* data, std::size_t count = 1) {
    set_symbol(name, Argument(T{}).type, data, sizeof(T) * count);
  }
  /// Tries one configuration now, for a program that warms up: launches candidate and best in turns, at least
  /// twice and at most 31 times, on these arguments, and waits for each. What these launches take is no loss
  /// within the budget, and a pause does not matter. Returns false if nothing is left to try; else the
  /// candidate is decided. Arrays that the kernel reads and writes change with each launch. Throws as
  /// `launch`, and where the stream is recorded into a graph.
  template<class... Arguments>
  bool try_now(CUstream_st* stream, const Arguments&... arguments) {
    const Argument all[] = {Argument(arguments)..., Argument()};
    return try_all(stream, all, sizeof...(Arguments));
  }
  /// Ends trials until `resume`: calls launch the best, and nothing is compiled or checked after a check
  /// under way. A candidate that is being compared stays where it is.
  void pause();
  void resume();
  /// Returns the present state. Never waits for the device.
  DispatchState state() const;
  /// Ends the search and stores the best, with which later calls go on. Waits for a check under way.
  void finish();

  /// An argument of a call, which the call reads.
  struct Argument {
    bool pointer = false;
    const char* type = "";  ///< of the value, or of what it points to; empty: unknown, `void` for a pointer
    const void* value = nullptr;
    std::size_t size = 0;  ///< of the value [bytes]

    Argument() = default;
    template<class T>
    explicit Argument(const T& given) : pointer(std::is_pointer_v<T>), value(&given), size(sizeof(T)) {
      static_assert(std::is_trivially_copyable_v<T>, "an argument is a pointer, a number or a plain struct");
      if constexpr (std::is_pointer_v<T>)
        type = HostData::type_name<std::remove_cv_t<std::remove_pointer_t<T>>>();
      else if constexpr (std::is_class_v<T>)
        type = "struct";
      else if constexpr (std::is_enum_v<T>)
        type = HostData::type_name<std::underlying_type_t<T>>();
      else
        type = HostData::type_name<T>();
    }
  };

  class Engine;  // inside the library
  explicit Dispatcher(std::unique_ptr<Engine> engine);

 private:
  void launch_all(CUstream_st* stream, const Argument* arguments, std::size_t count);
  void set_symbol(const std::string& name, const char* type, const void* data, std::size_t bytes);
  bool try_all(CUstream_st* stream, const Argument* arguments, std::size_t count);

  std::unique_ptr<Engine> engine_;
};

/// A Dispatcher for each size that a program uses, made when it is used first. The first size is compiled and
/// checked as by a Dispatcher. Others begin with the best configuration of the size used last, which is ready
/// at once if its machine code is the same, and are tuned in the background. Of more than `most` sizes the
/// one that was not used for longest goes; its results are stored. All share the device's worker, and check
/// kernels one at a time.
///
/// Thread-safe; calls at one size do not wait for those at another. A first call waits for the device only
/// if its kernel has to be checked, and then goes before all checks in the background.
class TUNE_API Dispatchers {
 public:
  /// Opens the device. Throws Error if there is none.
  explicit Dispatchers(const Problem& problem, const DispatchOptions& options = {}, std::size_t most = 16);
  Dispatchers(Dispatchers&&) noexcept;
  Dispatchers& operator=(Dispatchers&&) noexcept;
  /// Finishes all, and waits for the device.
  ~Dispatchers();

  /// As Dispatcher::launch, at the sizes that the call has: scalars that the problem declares as a size
  /// (`scalar<int>("n", "n")`) are passed too, in their order, as whole numbers. Throws Error if no
  /// argument has one of the sizes.
  template<class... Arguments>
  void launch(CUstream_st* stream, const Arguments&... arguments) {
    const Dispatcher::Argument all[] = {Dispatcher::Argument(arguments)..., Dispatcher::Argument()};
    launch_all(stream, nullptr, all, sizeof...(Arguments));
  }
  /// As Dispatcher::launch, at these sizes and settings.
  template<class... Arguments>
  void launch_at(CUstream_st* stream, const Sizes& sizes, const Arguments&... arguments) {
    const Dispatcher::Argument all[] = {Dispatcher::Argument(arguments)..., Dispatcher::Argument()};
    launch_all(stream, &sizes, all, sizeof...(Arguments));
  }
  /// As Dispatcher::try_now, at the sizes that the call has, or at these.
  template<class... Arguments>
  bool try_now(CUstream_st* stream, const Arguments&... arguments) {
    const Dispatcher::Argument all[] = {Dispatcher::Argument(arguments)..., Dispatcher::Argument()};
    return try_all(stream, nullptr, all, sizeof...(Arguments));
  }
  template<class... Arguments>
  bool try_now_at(CUstream_st* stream, const Sizes& sizes, const Arguments&... arguments) {
    const Dispatcher::Argument all[] = {Dispatcher::Argument(arguments)..., Dispatcher::Argument()};
    return try_all(stream, &sizes, all, sizeof...(Arguments));
  }
  /// As Dispatcher::symbol, for all sizes; of a variable whose extents follow a size, for the sizes at which
  /// it has so many elements. Call it for each of these.
  template<class T>
  void symbol(const std::string& name, const T* data, std::size_t count = 1) {
    set_symbol(name, Dispatcher::Argument(T{}).type, data, sizeof(T) * count);
  }
  /// As those of Dispatcher, for all sizes.
  void pause();
  void resume();
  void finish();
  /// Returns the state at these sizes; an empty one if they are not held.
  DispatchState state(const Sizes& sizes) const;
  /// Returns the number of sizes that are held.
  std::size_t count() const;

  class Pool;  // inside the library
  explicit Dispatchers(std::unique_ptr<Pool> pool);

 private:
  void launch_all(CUstream_st* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
                  std::size_t count);
  bool try_all(CUstream_st* stream, const Sizes* sizes, const Dispatcher::Argument* arguments,
               std::size_t count);
  void set_symbol(const std::string& name, const char* type, const void* data, std::size_t bytes);

  std::unique_ptr<Pool> pool_;
};

}  // namespace tune::api
