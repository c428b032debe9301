// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/worker_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <utility>

#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

void write_all(int pipe, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(pipe, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno != EINTR) _exit(1);  // nobody listens any more
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

[[noreturn]] void live(int pipe, const std::function<void(const WorkerProcess::Send&)>& function) {
  // A group of its own: Ctrl-C concerns the parent, and what the worker starts ends with it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto send = [pipe](const Message& message) { write_all(pipe, packed(message)); };
  try {
    function(send);
  } catch (const std::exception& error) {
    Message message;
    message.type = Message::Type::broken;
    message.text = error.what();
    send(message);
  }
  _exit(0);  // destructors and buffers belong to the parent
}

}  // namespace

WorkerProcess::WorkerProcess(const std::function<void(const Send&)>& function) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe to a worker: too many open files (ulimit -n)");
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    live(ends[1], function);
  }
  close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    close(pipe_);
    throw Error("cannot start a worker: too many processes (ulimit -u) or too little memory");
  }
  setpgid(process_, process_);  // whoever comes first
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  kill();
  wait();
  close(pipe_);
}

bool WorkerProcess::receive(std::string& bytes) {
  char part[8192];
  while (true) {
    const ssize_t got = read(pipe_, part, sizeof part);
    if (got > 0) {
      bytes.append(part, static_cast<std::size_t>(got));
    } else if (got == 0) {
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
}

int WorkerProcess::wait() {
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  if (process < 0) return 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void WorkerProcess::kill() {
  if (process_ > 0) ::kill(-process_, SIGKILL);
}

}  // namespace tune::emulator
