// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "tuner/base/environment.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {
namespace {

/// Runs between fork and exec: only calls that are safe in a copy of a program with threads.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, int socket) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  // dup2 onto itself would keep the flag that closes it.
  if (socket == child_descriptor)
    fcntl(socket, F_SETFD, 0);
  else
    dup2(socket, child_descriptor);
  execve(program, arguments, environment);
  _exit(127);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const WorkerProgram& worker) : channel_(FileDescriptor()) {
  auto [ours, theirs] = Channel::pair();
  const std::string path = worker.program.string();
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : worker.arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const Environment environment({worker.environment.begin(), worker.environment.end()});
  id_ = fork();
  if (id_ < 0) throw Error(format("cannot start another process: {}", std::strerror(errno)));
  if (id_ == 0) become(path.c_str(), words.data(), environment.pointers(), theirs.descriptor());
  channel_ = std::move(ours);
}

ChildProcess::~ChildProcess() {
  end();
}

std::string ChildProcess::end() {
  if (!ended_.empty()) return ended_;
  int status = 0;
  // A process whose end is closed is about to end: its own status explains more than a kill.
  pollfd watched{channel_.descriptor(), 0, 0};
  const bool leaving = poll(&watched, 1, 0) > 0 && (watched.revents & POLLHUP) != 0;
  pid_t gone = waitpid(id_, &status, WNOHANG);
  for (int i = 0; leaving && gone == 0 && i < 100; ++i) {
    usleep(10'000);
    gone = waitpid(id_, &status, WNOHANG);
  }
  if (gone == 0) {
    kill(id_, SIGKILL);
    do gone = waitpid(id_, &status, 0);
    while (gone < 0 && errno == EINTR);
  }
  channel_.close();
  return ended_ = end_text(status);
}

Channel begin_child() {
  std::signal(SIGINT, SIG_IGN);
  constexpr rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  fcntl(child_descriptor, F_SETFD, FD_CLOEXEC);
  // Watches for the parent's end in a thread of its own, because a kernel or compiler may hang.
  std::thread([] {
    pollfd watched{child_descriptor, POLLRDHUP, 0};
    while (true) {
      const int ready = poll(&watched, 1, -1);
      if (ready > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) _exit(0);
      if (ready < 0 && errno != EINTR) return;
    }
  }).detach();
  return Channel(FileDescriptor(child_descriptor));
}

Result<Response> Peer::call(const Json& request, double seconds, int file,
                            const std::function<bool()>& stop) {
  if (!alive_) return fail(Phase::crash, "process", "the worker process has ended");
  if (!process_.channel().send(to_bytes(request), file)) return silent(Silence::closed, seconds);
  Silence silence = Silence::closed;
  std::optional<Packet> packet = process_.channel().receive(seconds, silence, stop);
  if (!packet) return silent(silence, seconds);
  Json reply = from_bytes(packet->bytes);
  if (reply.contains("error")) throw Error(reply["error"].get<std::string>());
  if (reply.contains("failure")) return tl::unexpected(decoded<Failure>(reply["failure"]));
  return Response{std::move(reply["value"]), std::move(packet->file)};
}

bool Peer::alive() {
  if (!alive_) return false;
  pollfd watched{process_.channel().descriptor(), 0, 0};
  if (poll(&watched, 1, 0) > 0) alive_ = false;
  return alive_;
}

tl::unexpected<Failure> Peer::silent(Silence silence, double seconds) {
  alive_ = false;
  const std::string exit_description = process_.end();
  if (silence == Silence::stopped)
    return fail(Phase::crash, std::string(run_ended), "the worker process was ended with the run");
  if (silence == Silence::timeout)
    return fail(Phase::timeout, "no answer",
                format("the worker process did not answer within {:g} s", seconds));
  // This program sends that signal only after a timeout: another program sent it, or memory ran out.
  const bool killed = exit_description.find("signal 9 ") != std::string::npos;
  return fail(Phase::crash, std::string(killed ? killed_from_outside : "process"),
              "the worker process " + exit_description);
}

void serve(Channel channel,
           const std::function<Result<Response>(const Json& request, FileDescriptor file)>& answer) {
  Silence silence = Silence::closed;
  while (std::optional<Packet> packet = channel.receive(std::nullopt, silence)) {
    Json reply = Json::object();
    FileDescriptor file;
    try {
      Result<Response> result = answer(from_bytes(packet->bytes), std::move(packet->file));
      if (result) {
        reply["value"] = std::move(result->value);
        file = std::move(result->file);
      } else {
        reply["failure"] = encode(result.error());
      }
    } catch (const Error& error) {
      reply["error"] = error.what();
    } catch (const std::bad_alloc&) {
      reply["error"] = "out of memory: choose a smaller --size";
    }
    if (!channel.send(to_bytes(reply), file.get())) return;
  }
}

}  // namespace tune::process
