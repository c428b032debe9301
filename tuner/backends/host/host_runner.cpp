// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/host_runner.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/backends/guards.hpp"
#include "tuner/backends/host/host_compiler.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/host_limits.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/measurement/sampling.hpp"
#include "tuner/plan/step_order.hpp"

namespace tune::host {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t cache_line = 64;

/// Executions that take less are timed several at a time where the caches stay warm.
constexpr double shortest_sample = 100e-6;
constexpr double most_executions = 10'000;
/// Executions that take more are counted once.
constexpr double long_execution = 0.3;

/// Writes what the caches hold of this memory back and leaves nothing of it there, in those of all cores.
void flush_caches([[maybe_unused]] std::span<const std::byte> memory) {
#if defined(__x86_64__)
  for (std::size_t at = 0; at < memory.size(); at += cache_line) __builtin_ia32_clflush(memory.data() + at);
  __builtin_ia32_mfence();
#elif defined(__aarch64__)
  for (std::size_t at = 0; at < memory.size(); at += cache_line)
    asm volatile("dc civac, %0" ::"r"(memory.data() + at) : "memory");
  asm volatile("dsb sy" ::: "memory");
#else
  throw Error("the caches of this processor cannot be flushed: use --cache warm");
#endif
}

/// A compiled library. Each has a file of its own name, because the loader knows libraries by their names.
class Library {
 public:
  explicit Library(const Binary& binary) {
    static std::size_t number = 0;
    const std::filesystem::path path = folder().path() / format("{}.so", ++number);
    const auto* const text = reinterpret_cast<const char*>(binary.image.data());
    if (const auto error = write_bytes(path, {text, binary.image.size()}))
      throw Error(
          format("cannot write '{}' ({}): TMPDIR names another place", path.string(), error.message()));
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) reason_ = dlerror();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    // Its threads outlive the library that made them.
    for (const char* const runtime : {"libgomp.so.1", "libomp.so.5", "libomp.so"})
      static_cast<void>(dlopen(runtime, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  /// Empty where it is loaded.
  const std::string& reason() const { return reason_; }
  const Entry& entry(const std::string& symbol) const {
    const auto* const found = static_cast<const Entry*>(dlsym(handle_, symbol.c_str()));
    if (found == nullptr) throw Error(format("a compiled library has no '{}'", symbol));
    return *found;
  }

 private:
  static const ScratchFolder& folder() {
    static const ScratchFolder made("tune-cpu-");
    return made;
  }

  void* handle_ = nullptr;
  std::string reason_;
};

struct Unmap {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const { munmap(memory, bytes); }
};

/// The memory of one buffer, between red zones and, behind these, memory that nothing can access.
struct Buffer {
  BufferSpec spec;
  std::unique_ptr<std::byte, Unmap> region;
  std::span<std::byte> before, data, after;
  TensorView first = {};  ///< of an input and of what is also read: the contents that it is filled with

  void fill() {
    if (first.bytes.empty())
      std::memset(data.data(), initial_byte(spec), data.size());
    else
      std::ranges::copy(first.bytes, data.begin());
  }
};

Result<Buffer> make_buffer(const BufferSpec& spec) {
  if (!spec.layout.is_dense() || !spec.symbol.empty())
    throw Error(format("buffer `{}`: kernels of the processor take dense arrays as arguments", spec.name));
  const auto bytes = static_cast<std::size_t>(spec.allocation_bytes());
  const auto guard = static_cast<std::size_t>(guard_bytes(spec));
  const std::size_t inside = 2 * guard + (bytes + page - 1) / page * page, total = inside + 2 * page;
  const auto failure = [&] {
    return fail(
        Phase::resources, "memory",
        format("buffer `{}` needs {} bytes, {} bytes are free", spec.name, bytes, available_memory()));
  };
  if (bytes > available_memory()) return failure();
  void* const region = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) return failure();
  Buffer buffer{
      spec, std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(region), Unmap{total}), {}, {}, {}};
  std::byte* const first = buffer.region.get() + page;
  if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) return failure();
  buffer.before = {first, guard};
  buffer.data = {first + guard, bytes};
  buffer.after = {first + guard + bytes, inside - guard - bytes};
  return buffer;
}

/// A step, ready to run. It may move, but not be copied: addresses are those of its own lists.
struct Call {
  const Entry* entry = nullptr;
  std::vector<KernelArgument> arguments = {};  ///< with the addresses of structs in place
  std::vector<void*> buffers = {};             ///< the address for each argument that is a buffer
  std::vector<void*> addresses = {};           ///< of the values of the arguments
  std::span<std::byte> to = {};                ///< of a copy or a zero
  std::span<const std::byte> from = {};
};

/// What an argument of the plan is, as Parameter.
Parameter parameter_of(const KernelArgument& argument) {
  if (std::holds_alternative<BufferArgument>(argument)) return {'p', sizeof(void*)};
  if (const auto* const object = std::get_if<StructArgument>(&argument))
    return {'s', static_cast<unsigned>(object->bytes.size())};
  const auto* const scalar = std::get_if<ScalarArgument>(&argument);
  if (scalar == nullptr) throw Error("kernels of the processor take no textures and tensor maps");
  return std::visit(
      [](auto value) {
        return Parameter{std::is_floating_point_v<decltype(value)> ? 'f' : 'i', sizeof value};
      },
      *scalar);
}

std::string text_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case 'p':
      return "an address";
    case 'r':
      return "a reference";
    case 'f':
      return format("a floating-point number of {} bytes", parameter.bytes);
    case 'i':
      return format("a whole number of {} bytes", parameter.bytes);
    default:
      return format("a struct of {} bytes", parameter.bytes);
  }
}

/// Throws Error where the function takes other arguments.
void check_arguments(const Launch& launch, const Entry& entry) {
  if (entry.count != launch.arguments.size())
    throw Error(format("kernel '{}' takes {} arguments, the plan passes {}", launch.entry, entry.count,
                       launch.arguments.size()));
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Parameter given = parameter_of(launch.arguments[i]), taken = entry.parameters[i];
    // The bits of floating point of 16 bits travel as a whole number.
    const bool alike = given.kind == taken.kind || (given.bytes == 2 && taken.kind != 'p');
    if (!alike || given.bytes != taken.bytes)
      throw Error(format("argument {} of kernel '{}' is {}, and the plan passes {}: give both the same type",
                         i + 1, launch.entry, text_of(taken), text_of(given)));
  }
}

class HostPlan : public PreparedPlan, private Sampler {
 public:
  HostPlan(const LaunchPlan& plan, const Binary& binary, std::shared_ptr<const Library> library,
           std::vector<Buffer> buffers, PerfCounters& counters)
      : library_(std::move(library)), buffers_(std::move(buffers)), counters_(counters) {
    for (const auto& [steps, calls] : {std::pair(&plan.setup, &setup_), std::pair(&plan.launches, &launches_),
                                       std::pair(&plan.checks, &checks_)})
      for (const PlanStep& step : *steps) calls->push_back(call_of(step, binary));
  }

  const std::vector<KernelResources>& resources() const override { return resources_; }

  Result<double> run_checked(const TensorViews& inputs) override {
    for (Buffer& buffer : buffers_) {
      fill_guard(buffer.before);
      fill_guard(buffer.after);
      if (buffer.spec.role == BufferRole::input || is_in_place(buffer.spec))
        buffer.first = tensor_of(buffer, inputs);
      buffer.fill();
    }
    filled_ = true;
    run(setup_);
    const double seconds = run(launches_);
    run(checks_);
    return seconds;
  }

  Result<void> run_again() override {
    for (Buffer& buffer : buffers_)
      if (buffer.spec.role == BufferRole::output && !is_in_place(buffer.spec)) buffer.fill();
    run(launches_);
    run(checks_);
    return {};
  }

  Result<void> check_memory() override {
    for (const Buffer& buffer : buffers_) {
      for (const auto& [side, zone] :
           {std::pair(Side::after, buffer.after), std::pair(Side::before, buffer.before)})
        if (is_damaged(zone))
          return tl::unexpected(out_of_bounds(buffer.spec.name, side, zone, misalignment_of(zone.data())));
      if (buffer.spec.role != BufferRole::input) continue;
      const auto differs =
          std::ranges::mismatch(buffer.first.bytes, buffer.data).in1 - buffer.first.bytes.begin();
      if (static_cast<std::size_t>(differs) < buffer.data.size())
        return tl::unexpected(changed_input(buffer.spec, static_cast<std::uint64_t>(differs), 0,
                                            buffer.first.bytes, buffer.data));
    }
    return {};
  }

  Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                             const Bounds& bounds) override {
    return tune::compare(view(buffer), reference, bounds);
  }
  Result<TensorView> fetch(std::string_view buffer) override { return view(buffer); }

  Result<Timing> measure(const MeasureOptions& options) override {
    if (!filled_) throw Error("a plan can only be measured after a checked run, which fills its inputs");
    flush_ = options.flush_cache;
    executions_ = 1;
    if (!first_sample(options))
      for (int i = 0; i < std::max(1, options.warmup); ++i) {
        const double seconds = execute();
        const bool once =
            flush_ || std::ranges::any_of(buffers_, [](const Buffer& one) { return is_in_place(one.spec); });
        if (!once)
          executions_ = static_cast<int>(
              std::clamp(std::ceil(shortest_sample / std::max(seconds, 1e-9)), 1.0, most_executions));
      }
    busy_ = {};
    auto timing = take_samples(*this, options);
    if (!timing) return timing;
    timing->executions = executions_;
    timing->machine = machine_state();
    if (timing->stop != StopReason::pruned) timing->metrics = counted(timing->samples.front());
    return timing;
  }

 private:
  std::byte* address(const BufferArgument& argument) const {
    const Buffer& buffer = find(argument.buffer);
    return buffer.data.data() + argument.offset * element_size(buffer.spec.type);
  }

  Call call_of(const PlanStep& step, const Binary& binary) const {
    Call call;
    if (const auto* const launch = std::get_if<Launch>(&step)) {
      call.entry = &library_->entry(binary.symbols.at(launch->entry));
      check_arguments(*launch, *call.entry);
      call.arguments = launch->arguments;
      call.buffers.resize(call.arguments.size());
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        KernelArgument& argument = call.arguments[i];
        if (auto* const scalar = std::get_if<ScalarArgument>(&argument)) {
          call.addresses.push_back(std::visit([](auto& value) -> void* { return &value; }, *scalar));
        } else if (auto* const object = std::get_if<StructArgument>(&argument)) {
          place_pointers(*object, [this](const BufferArgument& target) { return address(target); });
          call.addresses.push_back(object->bytes.data());
        } else {
          call.buffers[i] = address(std::get<BufferArgument>(argument));
          call.addresses.push_back(&call.buffers[i]);
        }
      }
    } else if (const auto* const copy = std::get_if<Copy>(&step)) {
      if (copy->rows != 1) throw Error("kernels of the processor copy single rows");
      const std::size_t bytes = copy->width * element_size(find(copy->from.buffer).spec.type);
      call.to = {address({copy->to.buffer, copy->to.offset}), bytes};
      call.from = {address({copy->from.buffer, copy->from.offset}), bytes};
    } else if (const auto* const zero = std::get_if<Zero>(&step)) {
      call.to = find(zero->buffer).data;
    } else {
      throw Error(format("{}: the processor runs functions, copies and zeros alone", step_name(step)));
    }
    return call;
  }

  /// Returns the seconds that the steps took.
  static double run(std::vector<Call>& calls) {
    const double begin = seconds_now();
    for (Call& call : calls) {
      if (call.entry == nullptr && call.from.empty()) {
        std::ranges::fill(call.to, std::byte{0});
      } else if (call.entry == nullptr) {
        std::memmove(call.to.data(), call.from.data(), call.to.size());
      } else {
        call.entry->call(call.addresses.data());
      }
    }
    return seconds_now() - begin;
  }

  /// Returns the counters of a few executions of so many seconds, which are not timed.
  Metrics counted(double seconds) {
    if (!counters_.any()) return {};
    const int times = seconds > long_execution ? 1 : 3;
    PerfCounters::Counts sums{};
    for (int i = 0; i < times; ++i) {
      prepare_execution();
      counters_.start();
      run(launches_);
      counters_.stop();
      const PerfCounters::Counts counts = counters_.counts();
      for (std::size_t event = 0; event < sums.size(); ++event)
        sums[event] = counts[event] < 0 || sums[event] < 0 ? -1 : sums[event] + counts[event];
    }
    return named_counts(sums, times);
  }

  void prepare_execution() {
    for (Buffer& buffer : buffers_)
      if (is_in_place(buffer.spec)) buffer.fill();
    if (flush_)
      for (const Buffer& buffer : buffers_) flush_caches(buffer.data);
  }

  /// Returns the seconds of an execution, of several that follow each other.
  double execute() {
    prepare_execution();
    if (executions_ == 1) return run(launches_);
    const double begin = seconds_now();
    for (int i = 0; i < executions_; ++i) run(launches_);
    return (seconds_now() - begin) / executions_;
  }

  Result<std::vector<double>> take(int samples) override {
    std::vector<double> seconds;
    while (seconds.size() < static_cast<std::size_t>(samples)) seconds.push_back(execute());
    return seconds;
  }
  double device_seconds() const override { return busy_.seconds(); }
  std::uint64_t throttle_reasons() override { return 0; }
  void rest() override {}

  static TensorView tensor_of(const Buffer& buffer, const TensorViews& inputs) {
    const auto found = inputs.find(buffer.spec.name);
    if (found == inputs.end()) throw Error(format("there is no tensor for input `{}`", buffer.spec.name));
    if (found->second.bytes.size() != buffer.data.size())
      throw Error(format("the tensor for input `{}` has another size than its buffer", buffer.spec.name));
    return found->second;
  }
  const Buffer& find(std::string_view name) const {
    const auto found = std::ranges::find(buffers_, name, [](const Buffer& one) { return one.spec.name; });
    if (found == buffers_.end()) throw Error(format("the plan has no buffer `{}`", name));
    return *found;
  }
  TensorView view(std::string_view name) const {
    const Buffer& buffer = find(name);
    return {buffer.spec.type, buffer.spec.layout.extents, buffer.data};
  }

  std::shared_ptr<const Library> library_;
  std::vector<Buffer> buffers_;
  PerfCounters& counters_;
  std::vector<Call> setup_, launches_, checks_;
  std::vector<KernelResources> resources_;
  bool filled_ = false, flush_ = false;
  int executions_ = 1;  ///< in a sample
  Stopwatch busy_;
};

class HostRunner : public Runner {
 public:
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan,
                                                       const Binary& binary) override {
    const auto library = load(plan, binary);
    if (!library) return tl::unexpected(library.error());
    return std::vector<KernelResources>();
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override {
    const auto library = load(plan, binary);
    if (!library) return tl::unexpected(library.error());
    std::vector<Buffer> buffers;
    for (const BufferSpec& spec : plan.buffers) {
      Result<Buffer> buffer = make_buffer(spec);
      if (!buffer) return tl::unexpected(buffer.error());
      buffers.push_back(std::move(*buffer));
    }
    return std::make_unique<HostPlan>(plan, binary, *library, std::move(buffers), counters_);
  }

 private:
  Result<std::shared_ptr<const Library>> load(const LaunchPlan& plan, const Binary& binary) {
    check_steps(plan);
    for (const auto& [name, value] : plan.environment) {
      const char* const present = std::getenv(name.c_str());
      if (present == nullptr || present != value)
        return fail(
            Phase::launch, "environment",
            format("this process does not have {}={}: leave out --in-process, or set it", name, value));
    }
    if (library_ != nullptr && !binary.hash.empty() && binary.hash == hash_) return library_;
    library_ = std::make_shared<const Library>(binary);
    hash_ = binary.hash;
    if (library_->reason().empty()) return library_;
    const std::string reason = library_->reason();
    library_.reset();
    return fail(Phase::resources, "load", reason);
  }

  std::string hash_;
  std::shared_ptr<const Library> library_;
  PerfCounters counters_;  ///< opened before the kernels' threads begin, which they count too
};

class HostBackend : public Backend {
 public:
  explicit HostBackend(double compile_timeout)
      : compile_timeout_(compile_timeout), properties_(device_properties()) {}

  const DeviceProperties& properties() const override { return properties_; }
  const Compiler& compiler() const override {
    std::call_once(once_, [this] { compiler_ = std::make_unique<HostCompiler>(compile_timeout_); });
    return *compiler_;
  }
  Runner& runner() override { return runner_; }
  MachineState machine_state() override { return host::machine_state(); }

 private:
  double compile_timeout_;
  DeviceProperties properties_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<HostCompiler> compiler_;
  HostRunner runner_;
};

}  // namespace

std::unique_ptr<Backend> open_processor(double compile_timeout) {
  return std::make_unique<HostBackend>(compile_timeout);
}

}  // namespace tune::host
