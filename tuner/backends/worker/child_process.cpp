// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {
namespace {

/// Between fork and exec: only what is safe in a copy of a program with threads. Never returns.
[[noreturn]] void become(const char* program, char* const* arguments, int socket) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  // dup2 onto itself would keep the flag that closes it.
  if (socket == child_descriptor)
    fcntl(socket, F_SETFD, 0);
  else
    dup2(socket, child_descriptor);
  execv(program, arguments);
  _exit(127);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments)
    : channel_(FileDescriptor()) {
  auto [ours, theirs] = Channel::pair();
  const std::string path = program.string();
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw Error(format("no further process can be started: {}", std::strerror(errno)));
  if (id_ == 0) become(path.c_str(), words.data(), theirs.descriptor());
  channel_ = std::move(ours);
}

ChildProcess::~ChildProcess() {
  end();
}

std::string ChildProcess::end() {
  if (!ended_.empty()) return ended_;
  int status = 0;
  // One that is on its way out (its end is closed) says better by itself why.
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
  fcntl(child_descriptor, F_SETFD, FD_CLOEXEC);
  // A kernel that hangs, or a compiler that does, never gets to read that the parent is gone.
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

}  // namespace tune::process
