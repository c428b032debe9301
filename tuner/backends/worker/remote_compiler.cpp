// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/remote_compiler.hpp"

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {
namespace {

constexpr double compiler_start_seconds = 60;  // a slow file system delays loading the compiler

}  // namespace

RemoteCompiler::RemoteCompiler(WorkerProgram worker, double timeout)
    : worker_(std::move(worker)), timeout_(timeout) {
  auto peer = std::make_unique<Peer>(worker_);
  const Result<Response> answer = peer->call({{"call", "version"}}, compiler_start_seconds);
  if (!answer) throw Error("the process that compiles does not start: " + answer.error().detail);
  version_ = answer->value.at("version").get<std::string>();
  identity_ = answer->value.at("identity").get<std::string>();
  give_back(std::move(peer));
}

RemoteCompiler::~RemoteCompiler() = default;

std::unique_ptr<Peer> RemoteCompiler::take() const {
  {
    const std::scoped_lock lock(mutex_);
    while (!idle_.empty()) {
      auto peer = std::move(idle_.back());
      idle_.pop_back();
      if (peer->alive()) return peer;
    }
  }
  return std::make_unique<Peer>(worker_);
}

void RemoteCompiler::give_back(std::unique_ptr<Peer> peer) const {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(peer));
}

Result<Response> RemoteCompiler::ask(const Json& request) const {
  std::unique_ptr<Peer> peer = take();
  Result<Response> answer = peer->call(request, timeout_);
  if (peer->alive()) give_back(std::move(peer));
  return answer;
}

Result<Binary> RemoteCompiler::compile(const CompileRequest& request) const {
  const Json asked = {{"call", "compile"}, {"request", encode(request)}};
  Result<Response> answer = ask(asked);
  // Tries again: the process may have died of another cause, such as a lack of memory.
  if (!answer && answer.error().phase == Phase::crash) answer = ask(asked);
  if (answer) return decoded<Binary>(answer->value);
  const Failure& failure = answer.error();
  if (failure.phase == Phase::crash) return fail(Phase::compile, "compiler crashed", failure.detail);
  if (failure.phase == Phase::timeout)
    return fail(Phase::timeout, "compiler", format("compiling took longer than {:g} s", timeout_));
  return tl::unexpected(failure);
}

std::optional<std::string> RemoteCompiler::files_key(const CompileRequest& request) const {
  if (is_self_contained(request)) return "";
  const Result<Response> answer = ask({{"call", "files"}, {"request", encode(request)}});
  if (!answer || answer->value.is_null()) return std::nullopt;
  return answer->value.get<std::string>();
}

void serve_compiler(Channel channel, const Compiler& compiler) {
  serve(std::move(channel), [&compiler](const Json& request, FileDescriptor) -> Result<Response> {
    const auto call = request.at("call").get<std::string>();
    if (call == "version")
      return Response{{{"version", compiler.version()}, {"identity", compiler.identity()}}};
    const auto wanted = decoded<CompileRequest>(request.at("request"));
    if (call == "files") {
      const std::optional<std::string> key = compiler.files_key(wanted);
      return Response{key ? Json(*key) : Json()};
    }
    const Result<Binary> binary = compiler.compile(wanted);
    if (!binary) return tl::unexpected(binary.error());
    return Response{encode(*binary)};
  });
}

}  // namespace tune::process
