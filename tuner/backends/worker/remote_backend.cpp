// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/remote_backend.hpp"

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {
namespace {

constexpr double properties_seconds = 120;  // measures the copy bandwidth
constexpr double state_seconds = 10;
constexpr double prepare_seconds = 60;  // loading and allocating, nothing is launched
constexpr double slowest_copy = 200e6;  // bytes a second: what moving tensors may take on top

/// The worker's answer to one step of a plan, with the failures that are the process's named by what was
/// asked.
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

  Result<void> run_checked(const TensorViews& inputs) override {
    Json numbers = Json::object();
    for (const auto& [name, tensor] : inputs) {
      const Result<std::uint64_t> number = share(tensor);
      if (!number) return tl::unexpected(number.error());
      numbers[name] = *number;
    }
    return nothing(
        call({{"call", "run"}, {"inputs", numbers}}, options_.timeout + transfer_seconds_, "launch"));
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
    const double seconds = options_.timeout * (1 + options.time_cap + (options.energy ? 3 : 0));
    const Result<Response> answer =
        call({{"call", "measure"}, {"options", encode(options)}}, seconds, "measurement");
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
      failure.detail = format("the kernel hangs or is slower than --timeout allows: {}", failure.detail);
    }
    // A fault spoils the device for its process.
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
  SharedMemory fetched_;
};

}  // namespace

/// Asks the process about a plan, which it is sent with the binary where it does not have that.
Result<Response> RemoteRunner::ask(const char* call, const LaunchPlan& plan, const Binary& binary) {
  device_.ready();
  LaunchPlan lean = plan;  // what was compiled is in the binary
  lean.compile.source.text.clear();
  lean.compile.headers.clear();
  Json request = {{"call", call}, {"number", plans_}, {"plan", encode(lean)}};
  const bool sent =
      !binary.hash.empty() && binary.hash == last_binary_ && device_.generation() == last_generation_;
  if (!sent) request["binary"] = encode(binary);
  Result<Response> answer = device_.call(request, prepare_seconds);
  last_binary_ = binary.hash;
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

RemoteBackend::RemoteBackend(WorkerProgram worker, const CompilerMaker& make_compiler, RemoteOptions options)
    : device_(std::move(worker)), runner_(device_, options) {
  device_.ready();
  const Result<Response> answer = device_.call({{"call", "facts"}}, properties_seconds);
  if (!answer) throw Error("the device does not tell what it is: " + answer.error().detail);
  decode(answer->value, properties_);
  compiler_ = make_compiler(properties_);
}

MachineState RemoteBackend::machine_state() {
  device_.ready();
  const Result<Response> answer = device_.call({{"call", "state"}}, state_seconds);
  return answer ? decoded<MachineState>(answer->value) : MachineState{};
}

}  // namespace tune::process
