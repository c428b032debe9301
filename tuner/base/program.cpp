// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "tuner/base/environment.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

constexpr int question_milliseconds = 50;  // between two questions of ProgramOptions::stop

/// Messages of programs are read here, whatever language the user has.
std::map<std::string, std::string, std::less<>> variables_of(const ProgramOptions& options) {
  std::map<std::string, std::string, std::less<>> given = {{"LC_ALL", "C"}};
  if (!options.temporary.empty()) given["TMPDIR"] = options.temporary.string();
  for (const auto& [name, value] : options.environment) given[name] = value;
  return given;
}

/// Memory that this process shares with the one that waits for the program.
class SharedFigures {
 public:
  struct Figures {
    double seconds, processor_seconds, peak_memory;
    PerfCounters::Counts counts;
  };
  SharedFigures() {
    void* const memory =
        mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error("cannot start a program: too little memory");
    figures_ = static_cast<Figures*>(memory);  // zeros
  }
  SharedFigures(const SharedFigures&) = delete;
  SharedFigures& operator=(const SharedFigures&) = delete;
  ~SharedFigures() { munmap(figures_, sizeof(Figures)); }

  Figures* get() const { return figures_; }

 private:
  Figures* figures_;
};

// What follows runs between fork and exec: only calls that are safe in a copy of a program with threads.

volatile pid_t led_program = 0;

void end_program(int /*signal*/) {
  kill(-led_program, SIGKILL);
  kill(led_program, SIGKILL);
}

void block_termination(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(how, &set, nullptr);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Ends the children of this process, to which every orphan below it falls, one generation after another.
void end_children() {
  char list[4096];
  while (true) {
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      const ssize_t got = read(file, list, sizeof list);
      close(file);
      pid_t child = 0;
      for (ssize_t i = 0; i < got; ++i) {
        if (list[i] >= '0' && list[i] <= '9') {
          child = child * 10 + (list[i] - '0');
        } else if (child > 0) {
          kill(child, SIGKILL);
          child = 0;
        }
      }
    }
    // Without the list, of which some kernels know nothing, only the group has ended.
    const pid_t ended = waitpid(-1, nullptr, file >= 0 ? 0 : WNOHANG);
    if (ended == 0 || (ended < 0 && errno != EINTR)) return;
  }
}

/// Returns in a process that is to run the program, which leads a group. This process ends as the program
/// does, and ends everything that it started, also when `parent` ends, whatever ends that.
void lead(pid_t parent, SharedFigures::Figures& figures) {
  setpgid(0, 0);  // the terminal's signals are for the user's process
  block_termination(SIG_BLOCK);
  struct sigaction action {};
  action.sa_handler = end_program;
  sigaction(SIGTERM, &action, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // it ended before
  // The program inherits them, and they count from its exec on.
  const PerfCounters counters(true);
  timespec start{}, end{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  const pid_t program = fork();
  if (program == 0) {
    setpgid(0, 0);
    std::signal(SIGTERM, SIG_DFL);
    block_termination(SIG_UNBLOCK);
    return;
  }
  if (program < 0) _exit(127);
  setpgid(program, program);  // in both processes: either may come first
  led_program = program;
  block_termination(SIG_UNBLOCK);
  // A reader of the output waits for all that hold it.
  counters.close_others();
  int status = 0;
  rusage usage{};
  // Its number stays taken until the whole group has ended.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(program), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  block_termination(SIG_BLOCK);
  kill(-program, SIGKILL);
  while (wait4(program, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  figures.seconds = static_cast<double>(end.tv_sec - start.tv_sec) +
                    1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec);
  figures.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  figures.peak_memory = 1024 * static_cast<double>(usage.ru_maxrss);
  end_children();
  figures.counts = counters.counts();
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};  // no second core file
    setrlimit(RLIMIT_CORE, &none);
    std::signal(WTERMSIG(status), SIG_DFL);
    block_termination(SIG_UNBLOCK);
    std::raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

/// Likewise.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const char* folder, int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (*folder == '\0' || chdir(folder) == 0) execve(program, arguments, environment);
  _exit(127);
}

/// Appends what there is to read. False at the end.
bool read_some(int pipe, std::size_t limit, std::string& text, bool& was_cut) {
  char part[16384];
  const ssize_t got = read(pipe, part, sizeof part);
  if (got > 0) text.append(part, static_cast<std::size_t>(got));
  if (limit > 0 && text.size() > 2 * limit) {
    text.erase(0, text.size() - limit);
    was_cut = true;
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

/// Reads all that the program writes, until every process that may write has ended. The second pipe is -1
/// where there is one output.
void read_output(int pipe, int errors, pid_t child, bool is_led, const ProgramOptions& options,
                 ProgramResult& result) {
  const Stopwatch running;
  pollfd watched[2] = {{pipe, POLLIN, 0}, {errors, POLLIN, 0}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    const int ready = poll(watched, 2, is_led ? question_milliseconds : -1);
    if (ready < 0 && errno != EINTR) break;
    if (ready > 0) {
      for (pollfd& one : watched)
        if (one.fd >= 0 && one.revents != 0 &&
            !read_some(one.fd, options.output_limit, &one == watched ? result.output : result.errors,
                       result.was_cut))
          one.fd = -1;
    }
    if (!is_led || result.was_stopped || result.took_too_long) continue;
    result.was_stopped = options.stop && options.stop();
    result.took_too_long = options.seconds > 0 && running.seconds() > options.seconds;
    if (result.was_stopped || result.took_too_long) kill(child, SIGTERM);
  }
  for (std::string* const text : {&result.output, &result.errors})
    if (options.output_limit > 0 && text->size() > options.output_limit) {
      text->erase(0, text->size() - options.output_limit);
      result.was_cut = true;
    }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options) {
  const std::string program = find_program(command.front());
  if (program.empty()) throw Error(format("cannot start '{}': install it", command.front()));
  const auto open_pipe = [] {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot open a pipe: too many open files (raise ulimit -n)");
    return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
  };
  auto [ours, theirs] = open_pipe();
  auto [our_errors, their_errors] =
      options.separate_errors ? open_pipe() : std::pair<FileDescriptor, FileDescriptor>();
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Environment environment(variables_of(options));
  const std::string folder = options.folder.string();
  const bool is_led = options.stop || options.seconds > 0 || options.measure;
  const SharedFigures figures;
  const int output = theirs.get(), errors = their_errors ? their_errors.get() : output;
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    if (is_led) lead(self, *figures.get());
    become(program.c_str(), arguments.data(), environment.pointers(), folder.c_str(), output, errors);
  }
  if (child < 0)
    throw Error(format("cannot start '{}': too many processes (raise ulimit -u) or too little memory",
                       command.front()));
  theirs.close();
  their_errors.close();
  ProgramResult result;
  read_output(ours.get(), our_errors.get(), child, is_led, options, result);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + result.signal;
  result.seconds = figures.get()->seconds;
  result.processor_seconds = figures.get()->processor_seconds;
  result.peak_memory = figures.get()->peak_memory;
  result.counts = figures.get()->counts;
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

std::string cxx_program(const char* variable, std::string_view needed_by) {
  const char* const chosen = std::getenv(variable);
  std::string program = chosen != nullptr && *chosen != '\0' ? chosen : "g++";
  if (find_program(program).empty())
    throw Error(format(
        "{} a C++ compiler, and there is no '{}' in PATH: install g++ (Debian: apt install g++), or name "
        "one in {}",
        needed_by, program, variable));
  return program;
}

}  // namespace tune
