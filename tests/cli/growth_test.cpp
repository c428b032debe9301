// SPDX-License-Identifier: Apache-2.0
// Time and memory of the program with many evaluations: 20,000 every day, a million with --long.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "tests/cli/http_client.hpp"
#include "tests/cli/process.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/sanitizers.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune::testing {
namespace {

/// What one call of the program took.
struct Usage {
  int status = 0;        ///< 128 + signal where a signal ended it
  double seconds = 0;    ///< of processor time
  double elapsed = 0;    ///< seconds on the clock
  double megabytes = 0;  ///< largest resident memory
  std::string out, err;
};

/// Runs the built program in a process of its own. `most_memory`: bytes of address space; 0 for no limit.
Usage run_measured(const Sandbox& sandbox, const std::vector<std::string>& arguments,
                   rlim_t most_memory = 0) {
  const std::string out = (sandbox / "stdout").string(), err = (sandbox / "stderr").string();
  std::vector<char*> words = {const_cast<char*>(TUNE_PROGRAM)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const Stopwatch clock;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {most_memory, most_memory}, no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (most_memory > 0 && !tune::testing::has_address_sanitizer) setrlimit(RLIMIT_AS, &limit);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execv(TUNE_PROGRAM, words.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .elapsed = clock.seconds(),
          // A sanitizer keeps freed memory, and needs some of its own.
          .megabytes = has_address_sanitizer ? 0 : static_cast<double>(usage.ru_maxrss) / 1024,
          .out = std::filesystem::file_size(out) < 100'000 ? read_file(out) : "",
          .err = read_file(err)};
}

/// Writes a text in parts, compressed where the name ends with `.gz`.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : file_(gzopen(path.c_str(), path.ends_with(".gz") ? "wb1" : "wbT")) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { gzclose(file_); }
  void operator()(const std::string& text) {
    gzwrite(file_, text.data(), static_cast<unsigned>(text.size()));
  }

 private:
  gzFile file_;
};

/// One configuration of an invented space, in no order; none comes twice.
struct Entry {
  int block, tile, chunk;
  const char* mode;
  double seconds;  ///< 0: it failed
  std::string date;

  explicit Entry(int number) {
    int left = static_cast<int>(static_cast<std::int64_t>(number) * 7919 % 1'572'864);
    const auto take = [&left](int count) {
      const int digit = left % count;
      left /= count;
      return digit;
    };
    block = 8 * (1 + take(64));
    tile = 1 + take(64);
    mode = std::array{"wide", "narrow", "none"}[static_cast<std::size_t>(take(3))];
    chunk = take(128);
    seconds = number % 10 == 9 ? 0 : 1e-3 + 1e-9 * static_cast<double>(number * 7919LL % 1000003);
    date = format("2024-01-{:02}T{:02}:{:02}:{:02}.000Z", 1 + number / 86400, number / 3600 % 24,
                  number / 60 % 60, number % 60);
  }
};

void write_t4(Writer& write, int count) {
  write(R"({"schema_version": "1.0.0", "results": [)");
  for (int i = 0; i < count; ++i) {
    const Entry entry(i);
    write(format(
        "{}\n{{\"timestamp\": \"{}\", \"configuration\": {{\"block\": {}, \"tile\": {}, \"chunk\": {}, "
        "\"mode\": \"{}\", \"unroll\": 4, \"use_shared\": true}}, \"times\": {{\"compilation_time\": 0.5, "
        "\"benchmark\": 0.1}}, \"invalidity\": \"{}\", \"measurements\": [{}]}}",
        i == 0 ? "" : ",", entry.date, entry.block, entry.tile, entry.chunk, entry.mode,
        entry.seconds > 0 ? "correct" : "compile",
        entry.seconds > 0 ? format("{{\"name\": \"time\", \"value\": {}}}", entry.seconds) : ""));
  }
  write(R"(], "metadata": {"kernel_name": "k", "device": "d", "problem_size": "64x64", "timeunit": "s"}})");
}

void write_kernel_tuner(Writer& write, int count) {
  write(R"({"kernel_name": "k", "device_name": "d", "problem_size": [64, 64],
"tune_params_keys": ["block", "tile", "chunk", "mode"], "tune_params": {}, "cache": {)");
  for (int i = 0; i < count; ++i) {
    const Entry entry(i);
    write(format(
        "{}\n\"{},{},{},{}\": {{\"block\": {}, \"tile\": {}, \"chunk\": {}, \"mode\": \"{}\", \"time\": {}, "
        "\"timestamp\": \"{}\"}}",
        i == 0 ? "" : ",", entry.block, entry.tile, entry.chunk, entry.mode, entry.block, entry.tile,
        entry.chunk, entry.mode,
        entry.seconds > 0 ? format("{}", entry.seconds * 1e3) : "\"CompilationFailedConfig\"", entry.date));
  }
  write("}}");
}

void write_ktt(Writer& write, int count) {
  write(R"({"Results": [)");
  for (int i = 0; i < count; ++i) {
    const Entry entry(i);
    write(
        format("{}\n{{\"KernelName\": \"k\", \"Status\": \"{}\", \"TotalDuration\": {}, \"Configuration\": ["
               "{{\"Name\": \"block\", \"Value\": {}}}, {{\"Name\": \"tile\", \"Value\": {}}}, "
               "{{\"Name\": \"chunk\", \"Value\": {}}}, {{\"Name\": \"mode\", \"Value\": \"{}\"}}]}}",
               i == 0 ? "" : ",", entry.seconds > 0 ? "Ok" : "CompilationFailed", entry.seconds, entry.block,
               entry.tile, entry.chunk, entry.mode));
  }
  write(R"(], "Metadata": {"Device": "d", "TimeUnit": "Seconds", "Timestamp": "2024-01-01T00:00:00Z"}})");
}

struct Format {
  const char* ending;
  void (*write)(Writer&, int count);
};
constexpr Format formats[] = {{".t4.json", write_t4},
                              {".t4.json.gz", write_t4},
                              {".kt.json", write_kernel_tuner},
                              {".ktt.json", write_ktt}};

std::string file_of(const Sandbox& sandbox, const Format& one, int count) {
  const std::string file = (sandbox / (std::to_string(count) + one.ending)).string();
  Writer write(file);
  one.write(write, count);
  return file;
}

Usage import(const Sandbox& sandbox, const std::string& file, const std::string& database,
             const std::string& words) {
  Usage usage = run_measured(sandbox, {"db", "import", file, "--db", database});
  EXPECT_EQ(usage.status, 0) << usage.err;
  EXPECT_TRUE(has(usage.out, words)) << usage.out;
  return usage;
}

constexpr int few = 5'000, many = 20'000, million = 1'000'000;

/// The memory of a report grows by less than this, for the ranks and what the run saw.
void expect_small_reports(const Sandbox& sandbox, const std::string& few_of, const std::string& many_of,
                          double megabytes) {
  for (const char* kind : {"text", "markdown", "html", "csv", "json"}) {
    SCOPED_TRACE(kind);
    const auto report = [&](const std::string& database) {
      const Usage usage = run_measured(sandbox, {"report", "--db", database, "--format", kind});
      EXPECT_EQ(usage.status, 0) << usage.err;
      return usage;
    };
    const Usage small = report(few_of), large = report(many_of);
    EXPECT_LT(large.megabytes - small.megabytes, megabytes);
  }
}

TEST(Growth, ImportsAndReportsTakeTimeInProportionAndNoMoreMemory) {
  const Sandbox sandbox;
  const std::string database = (sandbox / "many.db").string(), small_one = (sandbox / "few.db").string();
  const std::string large = file_of(sandbox, formats[0], many);
  const Usage small = import(sandbox, file_of(sandbox, formats[0], few), small_one, "5000 evaluations added");
  const Usage first = import(sandbox, large, database, "20000 evaluations added, 0 were");
  const Usage again = import(sandbox, large, database, "0 evaluations added, 20000 were");
  EXPECT_LT(first.seconds, 10 * small.seconds + 0.5);
  EXPECT_LT(again.seconds, 10 * small.seconds + 0.5);
  EXPECT_LT(first.megabytes - small.megabytes, 14);  // pages of the database, which 64 MiB bound
  EXPECT_LT(again.megabytes - small.megabytes, 14);
  EXPECT_EQ(number(database, "SELECT COUNT(*) FROM evaluations WHERE phase IS NOT NULL"), many / 10);
  EXPECT_EQ(number(database, "SELECT COUNT(DISTINCT configuration_key) FROM evaluations"), many);
  EXPECT_EQ(number(database, "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'evaluations_known'"), 1);
  EXPECT_TRUE(is_sound(database));
  expect_small_reports(sandbox, small_one, database, 10);
}

TEST(Growth, ExportsTakeNoMoreMemory) {
  const Sandbox sandbox;
  const std::string small = (sandbox / "few.db").string(), large = (sandbox / "many.db").string();
  import(sandbox, file_of(sandbox, formats[0], few), small, "5000 evaluations added");
  import(sandbox, file_of(sandbox, formats[0], many), large, "20000 evaluations added");
  for (const Format& one : formats) {
    SCOPED_TRACE(one.ending);
    const auto exported = [&](const std::string& database, const std::string& words) {
      const std::string out = database + one.ending;
      const Usage usage = run_measured(sandbox, {"db", "export", "--db", database, "--out", out});
      EXPECT_EQ(usage.status, 0) << usage.err;
      EXPECT_TRUE(has(usage.out, words)) << usage.out;
      return usage.megabytes;
    };
    EXPECT_LT(exported(large, ": 20000 configurations, 2000 of them failed") -
                  exported(small, ": 5000 configurations, 500 of them failed"),
              5);
  }
}

TEST(Growth, BestOfTheShippedRecordingsTakesFewMilliseconds) {
  Sandbox sandbox;
  sandbox.set_environment("TUNE_RECORDINGS", TUNE_SOURCE_DIR "/db/recordings");
  for (const char* problem : {"stencil3d", "gemm"}) {
    double seconds = 1;
    for (int i = 0; i < 5; ++i) {
      const Usage usage = run_measured(sandbox, {"best", problem});
      EXPECT_EQ(usage.status, 0) << usage.err;
      seconds = std::min(seconds, usage.seconds);
    }
    EXPECT_LT(seconds, has_address_sanitizer ? 1 : 0.06) << problem;  // beside two other tests
  }
}

TEST(Growth, EveryFormatIsImportedWholeAndOnce) {
  constexpr int count = 1'000;
  for (const Format& one : formats) {
    SCOPED_TRACE(one.ending);
    const Sandbox sandbox;
    const std::string file = file_of(sandbox, one, count), database = (sandbox / "new.db").string();
    import(sandbox, file, database, "1000 evaluations added, 0 were");
    import(sandbox, file, database, "0 evaluations added, 1000 were");
    EXPECT_EQ(number(database, "SELECT COUNT(DISTINCT configuration_key) FROM evaluations"), count);
    EXPECT_EQ(number(database, "SELECT COUNT(*) FROM evaluations WHERE phase IS NOT NULL"), count / 10);
  }
}

/// Both calls end with one line, soon, in little memory.
void expect_refused_cheaply(const Sandbox& sandbox, const std::string& file, const std::string& words) {
  constexpr rlim_t most = rlim_t{1} << 29;
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"db", "import", file, "--db", (sandbox / "new.db").string()},
        std::vector<std::string>{"replay", "--space", file}}) {
    SCOPED_TRACE(call.front());
    const Usage usage = run_measured(sandbox, call, most);
    EXPECT_EQ(usage.status, 2);
    EXPECT_TRUE(usage.err.starts_with("tune: " + file)) << usage.err.substr(0, 300);
    EXPECT_EQ(std::ranges::count(usage.err, '\n'), 1) << usage.err.substr(0, 300);
    EXPECT_LT(usage.err.size(), 400U);
    EXPECT_TRUE(has(usage.err, words)) << usage.err.substr(0, 300);
    EXPECT_LT(usage.megabytes, 250);
    EXPECT_LT(usage.seconds, 5);
    EXPECT_FALSE(std::filesystem::exists(sandbox / "new.db"));
  }
}

/// A small file that unpacks to 64 MB, most of them this part.
std::string bomb(const Sandbox& sandbox, const std::string& begin, const std::string& part) {
  const std::string file = (sandbox / "bomb.t4.json.gz").string();
  Writer write(file);
  write(begin);
  std::string parts;
  while (parts.size() < (1 << 20)) parts += part;
  for (int i = 0; i < 64; ++i) write(parts);
  return file;
}

TEST(Growth, HostileArchivesAreRefusedEarlyAndInLittleMemory) {
  const Sandbox sandbox;
  const std::string first = R"({"schema_version": "1.0.0", "results": [)";
  const std::string entry = first + R"({"configuration": {"a": 1}})";
  expect_refused_cheaply(sandbox, bomb(sandbox, first, "[],"), "an entry of 'results' is a list");
  expect_refused_cheaply(sandbox, bomb(sandbox, R"({"other": [)", "[],"), "check that it is the right file");
  expect_refused_cheaply(sandbox, bomb(sandbox, R"({"other": [)", "1,"), "times its size");
  expect_refused_cheaply(sandbox, bomb(sandbox, R"({"metadata": [)", "[],"), "more than 1000000 values");
  expect_refused_cheaply(sandbox, bomb(sandbox, entry + ", {\"configuration\": [", "{},"), "1000000 values");
  expect_refused_cheaply(sandbox, bomb(sandbox, entry, " "), "check that it is the right file");
  expect_refused_cheaply(sandbox, bomb(sandbox, entry + ", {\"a\": \"", "x"),
                         "check that it is the right file");
  expect_refused_cheaply(sandbox, bomb(sandbox, entry, R"(, {"configuration": {"a": 1}})"), "times its size");
}

/// Only with ./run-tests --long.
TEST(Growth, AMillionEvaluationsAreImported) {
  if (std::getenv("TUNE_LONG_TESTS") == nullptr) GTEST_SKIP() << "./run-tests --long";
  for (const Format& one : formats) {
    SCOPED_TRACE(one.ending);
    const Sandbox sandbox;
    const std::string database = (sandbox / "million.db").string();
    const std::string file = file_of(sandbox, one, million);
    for (const char* words : {"1000000 evaluations added, 0 were", "0 evaluations added, 1000000 were"}) {
      const Usage usage = import(sandbox, file, database, words);
      std::cout << format("{}: {:.1f} s, {:.1f} s of processors, {:.0f} MB: {}\n", one.ending, usage.elapsed,
                          usage.seconds, usage.megabytes, words)
                << std::flush;
      EXPECT_LT(usage.elapsed, 60);
      EXPECT_LT(usage.megabytes, 300);
    }
  }
}

/// The number behind the word in a file of /proc.
double number_after(const std::string& file, const std::string& word) {
  const std::string text = read_file(file);
  const std::size_t at = text.find(word);
  return at == std::string::npos ? 0 : std::stod(text.substr(at + word.size()));
}

/// Seconds of processor time that a running process has used.
double seconds_of(pid_t process) {
  std::istringstream fields(read_file(format("/proc/{}/stat", process)));
  std::string skipped;
  for (int i = 1; i < 14; ++i) fields >> skipped;  // its name has no blank
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Asks `tune serve` for its page once.
void expect_served(const Sandbox& sandbox, const std::string& database) {
  Process server(sandbox / "", {"serve", "--db", database, "--port", "0"});
  const std::string answer = get(port_of(server), "/");
  const double seconds = seconds_of(server.id());
  const double megabytes = number_after(format("/proc/{}/status", server.id()), "VmHWM:") / 1024;
  std::cout << format("serve: {:.1f} s, {:.0f} MB\n", seconds, megabytes) << std::flush;
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer.substr(0, 100);
  EXPECT_TRUE(has(answer, "\"measured\":900000")) << answer.size();
  EXPECT_GT(seconds, 0.1);
  EXPECT_LT(seconds, 10);
  EXPECT_GT(megabytes, 10);
  EXPECT_LT(megabytes, 500);
  server.send(SIGTERM);
  server.wait();
}

/// Only with ./run-tests --long.
TEST(Growth, AMillionEvaluationsAreReported) {
  if (std::getenv("TUNE_LONG_TESTS") == nullptr) GTEST_SKIP() << "./run-tests --long";
  const Sandbox sandbox;
  const std::string database = (sandbox / "million.db").string();
  import(sandbox, file_of(sandbox, formats[0], million), database, "1000000 evaluations added, 0 were");
  const std::pair<const char*, double> kinds[] = {
      {"text", 10}, {"markdown", 10}, {"html", 10}, {"csv", 40}, {"json", 40}};
  for (const auto& [kind, seconds] : kinds) {
    SCOPED_TRACE(kind);
    const std::string out = (sandbox / "report").string();
    const Usage usage = run_measured(sandbox, {"report", "--db", database, "--format", kind, "--out", out});
    EXPECT_EQ(usage.status, 0) << usage.err;
    std::cout << format("{}: {:.1f} s, {:.0f} MB\n", kind, usage.seconds, usage.megabytes) << std::flush;
    EXPECT_LT(usage.seconds, seconds);
    EXPECT_LT(usage.megabytes, 500);
    if (kind != std::string_view("html")) continue;
    EXPECT_TRUE(has(read_file(out), "\"evaluated\":1000000,\"measured\":900000"));
    EXPECT_LT(std::filesystem::file_size(out), 8'000'000U);  // with the chart library
  }
  expect_served(sandbox, database);
}

}  // namespace
}  // namespace tune::testing
