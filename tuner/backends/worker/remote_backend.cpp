// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/remote_backend.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/host_limits.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune::process {
namespace {

constexpr double device_start_seconds = 120;  // a driver with many devices starts slowly
/// Processes that are started for a call where another program kills one after the other.
constexpr int max_starts = 3;
constexpr double sharing_seconds = 60;
/// Enough for inputs and references of the tuned size and the small ones of checks, with two seeds each. Each
/// takes a descriptor.
constexpr std::size_t max_tensors = 128;
/// Of them, so many are kept whatever their size: more than one call needs.
constexpr std::size_t kept_tensors = 8;
/// All together take at most this share of the memory that is free at the start, or the least bytes. The
/// large ones of the tuned size are used again in each evaluation, after dozens of small ones: sending them
/// anew takes longer than all checks.
constexpr double memory_share = 0.25;
constexpr std::uint64_t least_bytes = std::uint64_t{256} << 20;
/// Tensors from this size on are moved into shared memory. Each takes a descriptor, so that smaller ones are
/// copied.
constexpr std::size_t placed_bytes = std::size_t{16} << 20;

void copy(std::span<std::byte> to, std::span<const std::byte> from) {
  parallel_for(from.size(), std::uint64_t{1} << 22, [&](std::uint64_t begin, std::uint64_t end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

/// What a placed tensor owns.
struct Placed {
  std::shared_ptr<SharedMemory> memory;
};

/// The placed tensors of this program: devices share them.
struct PlacedTensors {
  std::mutex mutex;
  std::vector<std::weak_ptr<Placed>> all;
};

PlacedTensors& placed_tensors() {
  static PlacedTensors placed;
  return placed;
}

/// Null where the tensor was not placed.
std::shared_ptr<Placed> find_placed(const TensorView& tensor) {
  PlacedTensors& placed = placed_tensors();
  const std::scoped_lock lock(placed.mutex);
  std::erase_if(placed.all, [](const auto& one) { return one.expired(); });
  for (const std::weak_ptr<Placed>& one : placed.all)
    if (auto found = one.lock(); found != nullptr && found->memory->bytes().data() == tensor.bytes.data() &&
                                 found->memory->bytes().size() == tensor.bytes.size())
      return found;
  return nullptr;
}

constexpr double properties_seconds = 120;  // measures the copy bandwidth
constexpr double state_seconds = 10;
constexpr double prepare_seconds = 60;  // loading and allocating, nothing is launched
constexpr double slowest_copy = 200e6;  // bytes a second: what moving tensors may take on top

/// Returns the seconds that measuring takes where an execution takes `execution_seconds` at most, with room:
/// warm-up, the samples that are taken in any case, each of them again after throttling, and what the limit
/// of time allows.
double measuring_seconds(const MeasureOptions& options, double execution_seconds) {
  constexpr double room = 4;
  constexpr double energy_seconds = 3;
  const int executions = 2 + options.warmup + 2 * options.min_samples;
  return room * (options.time_cap + executions * execution_seconds +
                 (options.energy ? energy_seconds + 2 * execution_seconds : 0));
}

/// Forwards calls to the worker. Names a timeout by the step that was called.
class RemotePlan : public PreparedPlan {
 public:
  RemotePlan(RemoteDevice& device, RemoteOptions options, std::uint64_t number, const LaunchPlan& plan,
             std::vector<KernelResources> resources)
      : device_(device),
        options_(options),
        generation_(device.generation()),
        number_(number),
        resources_(std::move(resources)),
        transfer_seconds_(static_cast<double>(plan.memory() + 2 * plan.host_memory()) / slowest_copy) {}
  ~RemotePlan() override {
    if (mine()) (void)device_.call({{"call", "release"}, {"number", number_}}, prepare_seconds);
  }

  const std::vector<KernelResources>& resources() const override { return resources_; }

  Result<double> run_checked(const TensorViews& inputs) override {
    Json numbers = Json::object();
    for (const auto& [name, tensor] : inputs) {
      const Result<std::uint64_t> number = share(tensor);
      if (!number) return tl::unexpected(number.error());
      numbers[name] = *number;
    }
    const Stopwatch running;
    const Result<Response> answer =
        call({{"call", "run"}, {"inputs", numbers}}, options_.timeout + transfer_seconds_, "launch");
    run_seconds_ = running.seconds();
    if (!answer) return tl::unexpected(answer.error());
    return answer->value.get<double>();
  }

  Result<void> run_again() override {
    return nothing(call({{"call", "run again"}}, options_.timeout + transfer_seconds_, "launch"));
  }

  Result<void> check_memory() override {
    return nothing(call({{"call", "memory"}}, options_.timeout + transfer_seconds_, "check"));
  }

  Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                             const Bounds& bounds) override {
    const Result<std::uint64_t> number = share(reference);
    if (!number) return tl::unexpected(number.error());
    const Json request = {
        {"call", "compare"}, {"buffer", buffer}, {"reference", *number}, {"bounds", encode(bounds)}};
    const Result<Response> answer = call(request, options_.timeout + transfer_seconds_, "check");
    if (!answer) return tl::unexpected(answer.error());
    return decoded<Comparison>(answer->value);
  }

  Result<TensorView> fetch(std::string_view buffer) override {
    Result<Response> answer =
        call({{"call", "fetch"}, {"buffer", buffer}}, options_.timeout + transfer_seconds_, "check");
    if (!answer) return tl::unexpected(answer.error());
    TensorView view;
    decode(answer->value.at("type"), view.type);
    decode(answer->value.at("extents"), view.extents);
    fetched_ = SharedMemory(std::move(answer->file), answer->value.at("size").get<std::size_t>());
    view.bytes = fetched_.bytes();
    return view;
  }

  Result<Timing> measure(const MeasureOptions& options) override {
    const Result<Response> answer =
        call({{"call", "measure"}, {"options", encode(options)}},
             options_.timeout + measuring_seconds(options, run_seconds_), "measurement");
    if (!answer) return tl::unexpected(answer.error());
    return decoded<Timing>(answer->value);
  }

 private:
  bool mine() { return device_.generation() == generation_ && device_.running(); }

  Result<std::uint64_t> share(const TensorView& tensor) {
    if (device_.generation() != generation_)
      return fail(Phase::crash, "process", "the process has ended before");
    return device_.share(tensor);
  }

  Result<Response> call(const Json& request, double seconds, const std::string& what) {
    if (device_.generation() != generation_)
      return fail(Phase::crash, "process", "the process has ended before");
    Result<Response> answer = device_.call(request, seconds);
    if (answer) return answer;
    Failure failure = answer.error();
    if (failure.phase == Phase::timeout) {
      failure.reason = what;
      failure.time_limit = options_.timeout;
      failure.detail = format("the kernel hangs or is slower than --timeout allows: {}", failure.detail);
    }
    // After a fault the process cannot use the device any more.
    if (failure.phase == Phase::crash) device_.abandon();
    return tl::unexpected(std::move(failure));
  }

  static Result<void> nothing(const Result<Response>& answer) {
    if (!answer) return tl::unexpected(answer.error());
    return {};
  }

  RemoteDevice& device_;
  RemoteOptions options_;
  std::uint64_t generation_;
  std::uint64_t number_;
  std::vector<KernelResources> resources_;
  double transfer_seconds_;
  double run_seconds_ = 0;  ///< that run_checked took, an upper bound of an execution
  SharedMemory fetched_;
};

/// The worker's side: holds the tensors that the parent sent, and the prepared plan.
class DeviceServer {
 public:
  explicit DeviceServer(Backend& backend) : backend_(backend) {}

  Result<Response> answer(const Json& request, FileDescriptor file) {
    const auto call = request.at("call").get<std::string>();
    if (call == "hello") return Response{};
    if (call == "facts") return Response{encode(backend_.properties())};
    if (call == "state") return Response{encode(backend_.machine_state())};
    if (call == "tensor") return keep(request, std::move(file));
    if (call == "forget") return forget(request);
    if (call == "resources") return check_resources(request);
    if (call == "prepare") return prepare(request);
    if (call == "release") return release(request);
    if (!prepared_) throw Error("no plan is prepared");
    if (call == "run") return run(request);
    if (call == "run again") return nothing(prepared_->run_again());
    if (call == "memory") return check_memory();
    if (call == "compare") return compare(request);
    if (call == "fetch") return fetch(request);
    if (call == "measure") return measure(request);
    throw Error(format("unknown call '{}'", call));
  }

 private:
  struct SharedTensor {
    SharedMemory memory;
    TensorView view;
  };

  Result<Response> keep(const Json& request, FileDescriptor file) {
    SharedTensor shared;
    shared.memory = SharedMemory(std::move(file), request.at("size").get<std::size_t>());
    decode(request.at("type"), shared.view.type);
    decode(request.at("extents"), shared.view.extents);
    shared.view.bytes = shared.memory.bytes();
    tensors_.insert_or_assign(request.at("number").get<std::uint64_t>(), std::move(shared));
    return Response{};
  }

  Result<Response> forget(const Json& request) {
    tensors_.erase(request.at("number").get<std::uint64_t>());
    return Response{};
  }

  Result<Response> check_resources(const Json& request) {
    take_binary(request);
    const auto resources =
        backend_.runner().check_resources(decoded<LaunchPlan>(request.at("plan")), binary_);
    if (!resources) return tl::unexpected(resources.error());
    return Response{encode(*resources)};
  }

  void take_binary(const Json& request) {
    if (request.contains("binary")) binary_ = decoded<Binary>(request.at("binary"));
  }

  Result<Response> prepare(const Json& request) {
    prepared_.reset();
    number_ = request.at("number").get<std::uint64_t>();
    plan_ = decoded<LaunchPlan>(request.at("plan"));
    take_binary(request);
    auto prepared = backend_.runner().prepare(plan_, binary_);
    if (!prepared) return tl::unexpected(prepared.error());
    prepared_ = std::move(*prepared);
    return Response{encode(prepared_->resources())};
  }

  /// Ignores a plan that ends after the next one was prepared.
  Result<Response> release(const Json& request) {
    if (request.at("number").get<std::uint64_t>() == number_) prepared_.reset();
    return Response{};
  }

  Result<Response> run(const Json& request) {
    TensorViews inputs;
    for (const auto& [name, number] : request.at("inputs").items())
      inputs.emplace(name, tensor(number.get<std::uint64_t>()));
    const Result<double> seconds = prepared_->run_checked(inputs);
    if (!seconds) return tl::unexpected(seconds.error());
    return Response{*seconds};
  }

  Result<Response> check_memory() { return nothing(prepared_->check_memory()); }

  Result<Response> compare(const Json& request) {
    const auto comparison = prepared_->compare(request.at("buffer").get<std::string>(),
                                               tensor(request.at("reference").get<std::uint64_t>()),
                                               decoded<Bounds>(request.at("bounds")));
    if (!comparison) return tl::unexpected(comparison.error());
    return Response{encode(*comparison)};
  }

  Result<Response> fetch(const Json& request) {
    const auto view = prepared_->fetch(request.at("buffer").get<std::string>());
    if (!view) return tl::unexpected(view.error());
    SharedMemory memory(view->bytes.size());
    copy(memory.bytes(), view->bytes);
    return Response{
        {{"type", encode(view->type)}, {"extents", encode(view->extents)}, {"size", view->bytes.size()}},
        FileDescriptor(dup(memory.descriptor()))};
  }

  Result<Response> measure(const Json& request) {
    const auto timing = prepared_->measure(decoded<MeasureOptions>(request.at("options")));
    if (!timing) return tl::unexpected(timing.error());
    return Response{encode(*timing)};
  }

  static Result<Response> nothing(const Result<void>& result) {
    if (!result) return tl::unexpected(result.error());
    return Response{};
  }

  const TensorView& tensor(std::uint64_t number) const {
    const auto found = tensors_.find(number);
    if (found == tensors_.end()) throw Error(format("tensor {} was never sent", number));
    return found->second.view;
  }

  Backend& backend_;
  std::map<std::uint64_t, SharedTensor> tensors_;
  LaunchPlan plan_;
  Binary binary_;  ///< the last one sent: a configuration is prepared at several sizes
  std::uint64_t number_ = 0;
  std::unique_ptr<PreparedPlan> prepared_;
};

}  // namespace

void RemoteDevice::ready() {
  if (running()) return;
  for (int start = 1;; ++start) {
    peer_ = std::make_unique<Peer>(worker_);
    ++generation_;
    const Result<Response> answer = peer_->call({{"call", "hello"}}, device_start_seconds);
    if (answer) return;
    peer_.reset();
    if (start < max_starts && answer.error().reason == killed_from_outside) continue;
    throw Error("the process that runs the kernels does not start: " + answer.error().detail);
  }
}

Result<Response> RemoteDevice::ask(const Json& request, double seconds) {
  for (int start = 1;; ++start) {
    ready();
    Result<Response> answer = call(request, seconds);
    if (answer || start == max_starts || answer.error().reason != killed_from_outside) return answer;
  }
}

Result<Response> RemoteDevice::call(const Json& request, double seconds) {
  if (!peer_) return fail(Phase::crash, "process", "the process has ended");
  return peer_->call(request, seconds, -1, stop_);
}

void RemoteDevice::use(const std::vector<std::pair<std::string, std::string>>& environment) {
  if (environment == worker_.environment) return;
  abandon();
  worker_.environment = environment;
}

RemoteDevice::Shared& RemoteDevice::known(const TensorView& tensor) {
  std::string digest = sampled_hash(tensor.bytes);
  const auto found = std::ranges::find_if(shared_, [&](const Shared& other) {
    return other.data == tensor.bytes.data() && other.size == tensor.bytes.size() && other.digest == digest &&
           other.type == tensor.type && other.extents == tensor.extents;
  });
  if (found != shared_.end()) {
    shared_.splice(shared_.begin(), shared_, found);
    return shared_.front();
  }
  Shared& made = shared_.emplace_front();
  made.data = tensor.bytes.data();
  made.size = tensor.bytes.size();
  made.digest = std::move(digest);
  made.type = tensor.type;
  made.extents = tensor.extents;
  made.number = next_number_++;
  if (const std::shared_ptr<Placed> placed = find_placed(tensor)) {
    made.memory = placed->memory;
    made.placed = placed;
  } else {
    made.memory = std::make_shared<SharedMemory>(tensor.bytes.size());
    copy(made.memory->bytes(), tensor.bytes);
  }
  return made;
}

void RemoteDevice::place(HostTensor& tensor) {
  forget_ended();
  const auto placed = std::make_shared<Placed>();
  placed->memory = std::make_shared<SharedMemory>(tensor.bytes().size());
  tensor.move_to(placed->memory->bytes(), placed);
  const std::scoped_lock lock(placed_tensors().mutex);
  placed_tensors().all.push_back(placed);
}

/// Where the process does not answer, the next call tells.
void RemoteDevice::forget_ended() {
  for (auto one = shared_.begin(); one != shared_.end();) {
    const auto which = one++;
    if (which->placed && which->placed->expired()) (void)forget(which);
  }
}

RemoteDevice::RemoteDevice(WorkerProgram worker, std::uint64_t max_bytes)
    : worker_(std::move(worker)), max_bytes_(max_bytes) {
  if (max_bytes_ == 0)
    max_bytes_ = std::max(least_bytes,
                          static_cast<std::uint64_t>(memory_share * static_cast<double>(available_memory())));
}

bool RemoteDevice::shares_too_much() const {
  if (shared_.size() <= kept_tensors) return false;
  std::uint64_t bytes = 0;
  for (const Shared& one : shared_) bytes += one.size;
  return shared_.size() > max_tensors || bytes > max_bytes_;
}

Result<void> RemoteDevice::forget(std::list<Shared>::iterator which) {
  const Shared forgotten = std::move(*which);
  shared_.erase(which);
  if (forgotten.sent_to != generation_ || !running()) return {};
  const Result<Response> answer = call({{"call", "forget"}, {"number", forgotten.number}}, sharing_seconds);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

Result<std::uint64_t> RemoteDevice::share(const TensorView& tensor) {
  Shared& shared = known(tensor);
  if (shared.sent_to != generation_) {
    if (!peer_) return fail(Phase::crash, "process", "the process has ended");
    const Json request = {{"call", "tensor"},
                          {"number", shared.number},
                          {"type", encode(tensor.type)},
                          {"extents", encode(tensor.extents)},
                          {"size", shared.size}};
    const Result<Response> answer = peer_->call(request, sharing_seconds, shared.memory->descriptor());
    if (!answer) return tl::unexpected(answer.error());
    shared.sent_to = generation_;
  }
  const std::uint64_t number = shared.number;
  while (shares_too_much())
    if (const Result<void> forgotten = forget(std::prev(shared_.end())); !forgotten)
      return tl::unexpected(forgotten.error());
  return number;
}

namespace {

/// Returns what tells binaries apart: kernels of one file may share an image. Empty where that is not known.
std::string identity_of(const Binary& binary) {
  if (binary.hash.empty()) return {};
  std::string identity = binary.hash;
  for (const auto& [entry, symbol] : binary.symbols) identity += format("\n{} {}", entry, symbol);
  return identity;
}

}  // namespace

/// Sends a call about a plan, with the binary where the process does not have it.
Result<Response> RemoteRunner::ask(const char* call, const LaunchPlan& plan, const Binary& binary) {
  device_.use(plan.environment);
  device_.ready();
  LaunchPlan lean = plan;  // the sources are in the binary
  lean.compile.source.text.clear();
  lean.compile.headers.clear();
  Json request = {{"call", call}, {"number", plans_}, {"plan", encode(lean)}};
  std::string identity = identity_of(binary);
  const bool sent = !identity.empty() && identity == last_binary_ && device_.generation() == last_generation_;
  if (!sent) request["binary"] = encode(binary);
  Result<Response> answer = device_.call(request, prepare_seconds);
  last_binary_ = std::move(identity);
  last_generation_ = device_.generation();
  if (!answer && answer.error().phase == Phase::crash) device_.abandon();
  return answer;
}

Result<std::vector<KernelResources>> RemoteRunner::check_resources(const LaunchPlan& plan,
                                                                   const Binary& binary) {
  const Result<Response> answer = ask("resources", plan, binary);
  if (!answer) return tl::unexpected(answer.error());
  return decoded<std::vector<KernelResources>>(answer->value);
}

Result<std::unique_ptr<PreparedPlan>> RemoteRunner::prepare(const LaunchPlan& plan, const Binary& binary) {
  ++plans_;
  const Result<Response> answer = ask("prepare", plan, binary);
  if (!answer) return tl::unexpected(answer.error());
  return std::make_unique<RemotePlan>(device_, options_, plans_, plan,
                                      decoded<std::vector<KernelResources>>(answer->value));
}

void RemoteRunner::place(TensorSet& tensors) {
  device_.forget_ended();
  for (auto& [name, tensor] : tensors)
    if (tensor.bytes().size() >= placed_bytes) device_.place(tensor);
}

RemoteBackend::RemoteBackend(WorkerProgram worker, const CompilerMaker& make_compiler, RemoteOptions options)
    : device_(std::move(worker)), runner_(device_, options) {
  const Result<Response> answer = device_.ask({{"call", "facts"}}, properties_seconds);
  if (!answer) throw Error("the device does not report its properties: " + answer.error().detail);
  decode(answer->value, properties_);
  compiler_ = make_compiler(properties_);
}

MachineState RemoteBackend::machine_state() {
  const Result<Response> answer = device_.ask({{"call", "state"}}, state_seconds);
  return answer ? decoded<MachineState>(answer->value) : MachineState{};
}

void serve_device(Channel channel, Backend& backend) {
  DeviceServer server(backend);
  serve(std::move(channel), [&server](const Json& request, FileDescriptor file) {
    return server.answer(request, std::move(file));
  });
}

}  // namespace tune::process
