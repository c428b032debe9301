// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

constexpr int question_milliseconds = 50;  // between two questions of ProgramOptions::stop

/// This process's environment, but for the language of messages, which are read here, and the folder of
/// temporary files, if one is given.
class Environment {
 public:
  explicit Environment(const std::string& temporary) {
    for (char** one = environ; *one != nullptr; ++one) {
      const std::string_view entry = *one;
      const bool replaced = entry.starts_with("LC_") || entry.starts_with("LANG") ||
                            (!temporary.empty() && entry.starts_with("TMPDIR="));
      if (!replaced) texts_.emplace_back(entry);
    }
    texts_.emplace_back("LC_ALL=C");
    if (!temporary.empty()) texts_.push_back("TMPDIR=" + temporary);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

void end_group(int /*signal*/) {
  kill(0, SIGKILL);
}

/// Returns in a process that is to run the program. This process leads its group, ends as the program does,
/// and ends the group with `parent`, whatever ends that. Runs between fork and exec: only calls that are safe
/// in a copy of a program with threads.
void lead_group(pid_t parent) {
  setpgid(0, 0);
  std::signal(SIGTERM, end_group);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) end_group(SIGTERM);  // it ended before
  const pid_t program = fork();
  if (program == 0) {
    std::signal(SIGTERM, SIG_DFL);
    return;
  }
  if (program < 0) _exit(127);
  close_range(STDERR_FILENO + 1, ~0U, 0);  // a reader of the output waits for all that hold it
  int status = 0;
  while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    std::raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

/// Likewise.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const char* folder, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (*folder == '\0' || chdir(folder) == 0) execve(program, arguments, environment);
  _exit(127);
}

/// Reads all that the program writes, until every process that may write has ended.
void read_output(int pipe, pid_t child, bool own_group, const ProgramOptions& options,
                 ProgramResult& result) {
  const Stopwatch running;
  char part[4096];
  while (true) {
    pollfd watched{pipe, POLLIN, 0};
    const int ready = poll(&watched, 1, own_group ? question_milliseconds : -1);
    if (ready > 0) {
      const ssize_t got = read(pipe, part, sizeof part);
      if (got > 0) result.output.append(part, static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) return;
    } else if (ready < 0 && errno != EINTR) {
      return;
    }
    if (!own_group || result.was_stopped || result.took_too_long) continue;
    result.was_stopped = options.stop && options.stop();
    result.took_too_long = options.seconds > 0 && running.seconds() > options.seconds;
    if (result.was_stopped || result.took_too_long) kill(-child, SIGKILL);
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options) {
  const std::string program = find_program(command.front());
  if (program.empty()) throw Error(format("cannot start '{}': install it", command.front()));
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot open a pipe: too many open files (raise ulimit -n)");
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Environment environment(options.temporary.string());
  const std::string folder = options.folder.string();
  const bool own_group = options.stop || options.seconds > 0;
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    if (own_group) lead_group(self);
    become(program.c_str(), arguments.data(), environment.pointers(), folder.c_str(), theirs.get());
  }
  if (child < 0)
    throw Error(format("cannot start '{}': too many processes (raise ulimit -u) or too little memory",
                       command.front()));
  if (own_group) setpgid(child, child);  // in both processes: either may come first
  theirs.close();
  ProgramResult result;
  read_output(ours.get(), child, own_group, options, result);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + result.signal;
  return result;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace tune
