// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/worker_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "tuner/base/error.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::process {

template<>
inline constexpr std::array member_names<emulator::Index3>{"x", "y", "z"};
template<>
inline constexpr std::array member_names<emulator::Finding>{"kind",   "kernel",     "size",        "array",
                                                            "offset", "has_thread", "block",       "thread",
                                                            "source", "detail",     "no_reference"};
template<>
inline constexpr std::array member_names<emulator::CheckVerdict>{
    "findings", "not_emulated", "cannot_run", "error", "tolerance", "seconds", "is_unfinished"};
template<>
inline constexpr std::array member_names<emulator::Message>{"type", "job", "verdict", "text"};

}  // namespace tune::process

namespace tune::emulator {

std::string packed(const Message& message) {
  const std::vector<std::byte> bytes = process::to_bytes(process::encode(message));
  const std::size_t size = bytes.size();
  std::string whole(reinterpret_cast<const char*>(&size), sizeof size);
  whole.append(reinterpret_cast<const char*>(bytes.data()), size);
  return whole;
}

std::optional<Message> take_message(std::string& bytes) {
  std::size_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size) return std::nullopt;
  const auto packet = std::as_bytes(std::span(bytes)).subspan(sizeof size, size);
  auto message = process::decoded<Message>(process::from_bytes(packet));
  bytes.erase(0, sizeof size + size);
  return message;
}

namespace {

void write_all(int pipe, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(pipe, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno != EINTR) _exit(1);  // the parent has ended
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

[[noreturn]] void live(int pipe, const std::function<void(const WorkerProcess::Send&, StepBoard&)>& function,
                       StepBoard& board) {
  // In a process group of its own: Ctrl-C goes to the parent, and programs that the worker starts end with
  // it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto send = [pipe](const Message& message) { write_all(pipe, packed(message)); };
  try {
    function(send, board);
  } catch (const std::exception& error) {
    Message message;
    message.type = Message::Type::broken;
    message.text = error.what();
    send(message);
  }
  _exit(0);  // without destructors and buffers, which belong to the parent
}

}  // namespace

/// Only the worker writes; the parent reads when the worker has ended or is about to be killed.
struct StepBoard::Texts {
  std::atomic<std::uint64_t> count;
  char kernel[256];
  char size[512];
};

StepBoard::StepBoard() {
  void* const memory =
      mmap(nullptr, sizeof(Texts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("cannot share memory with a worker: free memory");
  texts_ = static_cast<Texts*>(memory);  // zero: empty texts
}

StepBoard::~StepBoard() {
  munmap(texts_, sizeof(Texts));
}

void StepBoard::show(std::string_view kernel, std::string_view size) {
  // The last character stays zero.
  const auto copy = [](std::string_view text, auto& to) {
    const std::size_t length = std::min(text.size(), sizeof to - 1);
    std::memcpy(to, text.data(), length);
    to[length] = 0;
  };
  copy(kernel, texts_->kernel);
  copy(size, texts_->size);
  ++texts_->count;
}

StepInFlight StepBoard::read() const {
  return {texts_->kernel, texts_->size};
}

std::uint64_t StepBoard::count() const {
  return texts_->count;
}

WorkerProcess::WorkerProcess(const std::function<void(const Send&, StepBoard&)>& function) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error("cannot open a pipe to a worker: too many open files (raise ulimit -n)");
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    live(ends[1], function, board_);
  }
  close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    close(pipe_);
    throw Error("cannot start a worker: too many processes (raise ulimit -u) or too little memory");
  }
  setpgid(process_, process_);  // in both processes: either may come first
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

double WorkerProcess::processor_seconds() const {
  clockid_t clock = 0;
  timespec taken{};
  if (process_ < 0 || clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &taken) != 0)
    return 0;
  return static_cast<double>(taken.tv_sec) + 1e-9 * static_cast<double>(taken.tv_nsec);
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
