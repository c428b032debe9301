// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {
namespace {

/// What the worker holds for its parent: the tensors it was sent, and the plan that is prepared.
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

  /// A plan that ends after the next one was prepared must not take that one away.
  Result<Response> release(const Json& request) {
    if (request.at("number").get<std::uint64_t>() == number_) prepared_.reset();
    return Response{};
  }

  Result<Response> run(const Json& request) {
    TensorViews inputs;
    for (const auto& [name, number] : request.at("inputs").items())
      inputs.emplace(name, tensor(number.get<std::uint64_t>()));
    return nothing(prepared_->run_checked(inputs));
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
    std::ranges::copy(view->bytes, memory.bytes().begin());
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
  Binary binary_;  ///< the last one that was sent: a configuration is prepared at several sizes
  std::uint64_t number_ = 0;
  std::unique_ptr<PreparedPlan> prepared_;
};

}  // namespace

void serve_device(Channel channel, Backend& backend) {
  DeviceServer server(backend);
  serve(std::move(channel), [&server](const Json& request, FileDescriptor file) {
    return server.answer(request, std::move(file));
  });
}

}  // namespace tune::process
