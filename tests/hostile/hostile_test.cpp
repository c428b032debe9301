// SPDX-License-Identifier: Apache-2.0
// The program meets generated inputs, in this process's copies: a crash or a hang costs one of them.
// TUNE_HOSTILE_MESSAGES=FILE keeps what it answers.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/input/command.hpp"
#include "cli/serve/http_server.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/hostile/hostile_inputs.hpp"
#include "tests/support/sanitizers.hpp"

namespace tune::testing {
namespace {

constexpr long processor_seconds = 10, wall_seconds = 60;  ///< that one input may take
constexpr rlim_t most_memory = rlim_t{4} << 30;
constexpr std::size_t most_shown = 20;

/// What a child is at; its parent reads it when the child has died.
struct Shared {
  std::atomic<std::uint64_t> number;
};

void limit_time() {
  const itimerval processor = {{0, 0}, {processor_seconds, 0}}, wall = {{0, 0}, {wall_seconds, 0}};
  setitimer(ITIMER_PROF, &processor, nullptr);
  setitimer(ITIMER_REAL, &wall, nullptr);
}

std::string described(const HostileKind& kind, std::uint64_t number) {
  std::string text = std::string(kind.name) + " " + std::to_string(number) + ":";
  for (const std::string& word : kind.make(number).arguments) text += " '" + word.substr(0, 200) + "'";
  return text;
}

/// Sends the request, and closes this side; returns the whole answer.
std::string ask(int port, const std::string& bytes) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  std::string answer;
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) {
    send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    shutdown(descriptor, SHUT_WR);
    char part[4096];
    for (ssize_t count = 0; (count = recv(descriptor, part, sizeof part, 0)) > 0;)
      answer.append(part, static_cast<std::size_t>(count));
  }
  close(descriptor);
  return answer;
}

/// A server in this process. It is never stopped: the process ends by _exit.
int started_server() {
  auto* const server = new cli::HttpServer(0);
  std::thread([server] {
    server->serve([](const cli::HttpRequest&) { return cli::HttpResponse{.body = "here", .headers = {}}; },
                  [] { return false; });
  }).detach();
  return server->port();
}

std::string complaint_of_answer(const std::string& answer) {
  static constexpr std::string_view known[] = {"200", "400", "403", "405", "431"};
  if (answer.empty()) return {};  // closed: the request was not complete
  if (!answer.starts_with("HTTP/1.1 ") || answer.find("\r\n\r\n") == std::string::npos)
    return "no answer of HTTP: " + answer.substr(0, 100);
  if (std::ranges::find(known, std::string_view(answer).substr(9, 3)) == std::end(known))
    return "status " + answer.substr(9, 3);
  return {};
}

/// Inputs of a kind, each in a folder with its files.
class Runs {
 public:
  explicit Runs(const HostileKind& kind) : kind_(kind) {
    for (const char* database : {"home/results.db", "other.db"})
      add_recording(sandbox_ / database, {.count = 20});
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (memory) Shared{};
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;
  ~Runs() { munmap(shared_, sizeof(Shared)); }

  void run(std::uint64_t first, std::uint64_t last) {
    while (first < last) {
      shared_->number = first;
      const pid_t child = fork();
      if (child == 0) live(first, last);
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
      first = shared_->number;
      if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        note(first, signal == SIGPROF || signal == SIGALRM ? "takes too long"
                                                           : std::string("signal ") + strsignal(signal));
      } else {
        note(first, "the process ended");
      }
      ++first;
    }
    report();
  }

 private:
  [[noreturn]] void live(std::uint64_t first, std::uint64_t last) const {
    const rlimit memory = {most_memory, most_memory}, no_core = {0, 0};
    if (!tune::testing::has_address_sanitizer) setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &no_core);
    std::filesystem::current_path(sandbox_ / "");
    const int port = kind_.make(0).request.empty() ? 0 : started_server();
    for (std::uint64_t number = first; number < last; ++number) {
      shared_->number = number;
      const HostileInput input = kind_.make(number);
      for (const auto& [name, contents] : input.files) std::ofstream(name, std::ios::binary) << contents;
      limit_time();
      std::string wrong;
      if (port > 0) {
        wrong = complaint_of_answer(ask(port, input.request));
      } else {
        const ProgramResult outcome = sandbox_.tune(input.arguments);
        wrong = complaint(input, outcome.status, outcome.out, outcome.err);
        keep(number, outcome);
      }
      if (!wrong.empty()) note(number, wrong);
      std::error_code ignored;
      for (const char* made : {"new.db", "new.db-wal", "new.db-shm", "out.t4.json"})
        std::filesystem::remove(made, ignored);
    }
    _exit(0);
  }

  void note(std::uint64_t number, const std::string& wrong) const {
    std::ofstream(sandbox_ / "complaints", std::ios::app)
        << described(kind_, number) << ": " << wrong << '\0';
  }

  /// For people who read the messages: TUNE_HOSTILE_MESSAGES names the file that they are added to.
  void keep(std::uint64_t number, const ProgramResult& outcome) const {
    const char* const file = std::getenv("TUNE_HOSTILE_MESSAGES");
    if (file != nullptr)
      std::ofstream(file, std::ios::app) << described(kind_, number) << "\n"
                                         << outcome.status << " " << outcome.err << "\n";
  }

  void report() const {
    std::ifstream file(sandbox_ / "complaints");
    std::size_t count = 0;
    for (std::string one; std::getline(file, one, '\0'); ++count)
      if (count < most_shown) ADD_FAILURE() << one;
    EXPECT_EQ(count, 0U) << "complaints about " << kind_.name;
  }

  const HostileKind& kind_;
  Sandbox sandbox_;
  Shared* shared_;
};

std::string test_name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name(hostile_kinds()[info.param].name);
  std::ranges::replace(name, ' ', '_');
  return name;
}

const auto all_kinds = ::testing::Range(std::size_t{0}, hostile_kinds().size());

class HostileSample : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HostileSample, IsAnsweredProperly) {
  const HostileKind& kind = hostile_kinds()[GetParam()];
  Runs(kind).run(0, kind.count / 50);
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileSample, all_kinds, test_name);

class HostileLong : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HostileLong, IsAnsweredProperly) {
  const HostileKind& kind = hostile_kinds()[GetParam()];
  Runs(kind).run(0, kind.count);
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileLong, all_kinds, test_name);

}  // namespace
}  // namespace tune::testing
