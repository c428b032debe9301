// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/remote_compiler.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <new>

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
  idle_.push_back(std::move(peer));
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

std::uint64_t RemoteCompiler::cancellations() const {
  const std::scoped_lock lock(mutex_);
  return cancellations_;
}

Result<Response> RemoteCompiler::ask(const Json& request, std::uint64_t since) const {
  const auto cancelled = [] { return fail(Phase::compile, "cancelled", "the run ended"); };
  std::unique_ptr<Peer> peer = take();
  // A descriptor of its own, which the peer does not close.
  const FileDescriptor connection = peer->connection();
  {
    const std::scoped_lock lock(mutex_);
    if (cancellations_ != since) return cancelled();
    busy_.push_back(&connection);
  }
  Result<Response> answer = peer->call(request, timeout_);
  const bool alive = peer->alive();
  const std::scoped_lock lock(mutex_);
  std::erase(busy_, &connection);
  if (alive) idle_.push_back(std::move(peer));
  if (!answer && cancellations_ != since) return cancelled();
  return answer;
}

void RemoteCompiler::cancel() const {
  const std::scoped_lock lock(mutex_);
  ++cancellations_;
  // A worker ends when its connection does, whatever it computes.
  for (const FileDescriptor* connection : busy_) shutdown(connection->get(), SHUT_RDWR);
}

Result<Binary> RemoteCompiler::compile(const CompileRequest& request) const {
  const std::uint64_t since = cancellations();
  const Json asked = {{"call", "compile"}, {"request", encode(request)}};
  Result<Response> answer = ask(asked, since);
  // Tries again: the process may have died of another cause, such as a lack of memory.
  if (!answer && answer.error().phase == Phase::crash) answer = ask(asked, since);
  if (answer) return decoded<Binary>(answer->value);
  const Failure& failure = answer.error();
  if (failure.phase == Phase::crash) return fail(Phase::compile, "compiler crashed", failure.detail);
  if (failure.phase == Phase::timeout)
    return fail(Phase::timeout, std::string(slow_compiler),
                format("compiling took longer than {:g} s (--compile-timeout)", timeout_));
  return tl::unexpected(failure);
}

std::optional<std::string> RemoteCompiler::files_key(const CompileRequest& request) const {
  if (is_self_contained(request)) return "";
  const Result<Response> answer = ask({{"call", "files"}, {"request", encode(request)}}, cancellations());
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
    try {
      const Result<Binary> binary = compiler.compile(wanted);
      if (!binary) return tl::unexpected(binary.error());
      return Response{encode(*binary)};
    } catch (const std::bad_alloc&) {
      return fail(Phase::compile, "out of memory",
                  "the compiler found too little memory: close other programs, or lower --compilers");
    }
  });
}

}  // namespace tune::process
