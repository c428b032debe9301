// SPDX-License-Identifier: Apache-2.0
// Problems whose evaluation is a command, from the definition to the stored results.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "tests/cli/sandbox.hpp"
#include "tuner/base/program.hpp"

namespace tune::testing {
namespace {

using Ordered = nlohmann::ordered_json;

class CommandProblem : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (sandbox_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    return written(sandbox_, name, text);
  }
  std::string define(const Ordered& command, const Ordered& parameters,
                     const Ordered& more = Ordered::object()) const {
    Ordered all = {{"problem", "app"}, {"command", command}, {"parameters", parameters}};
    all.update(more);
    return write("app.json", all.dump());
  }
  /// A run with a sample or two of each configuration.
  ProgramResult run(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"run", file, "--samples", "1:1", "--finalists", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return sandbox_.tune(words);
  }
  Ordered summary(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    const ProgramResult outcome = run(file, more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Ordered::parse(outcome.out, nullptr, false);
  }
  /// `phase: reason: detail` of each failure and `ok` of each measurement, by the value of the parameter.
  std::map<std::string, std::string> outcomes(const std::string& parameter) const {
    const SQLite::Database database(sandbox_.database().string());
    SQLite::Statement rows(
        database, "SELECT json_extract(configuration, '$." + parameter +
                      "'), coalesce(phase || ': ' || reason || ': ' || detail, 'ok') FROM evaluations");
    std::map<std::string, std::string> all;
    while (rows.executeStep()) all[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
    return all;
  }
  std::vector<std::string> lines(const std::string& name) const {
    return lines_of(read_file(sandbox_ / name));
  }

  Sandbox sandbox_;
};

TEST_F(CommandProblem, ATimeThatEndsBeforeTheFirstEvaluationIsSaid) {
  const std::string file = define({{"run", {"sleep", "{a}"}}}, {{"a", {20, 30}}});
  const ProgramResult result = run(file, {"--budget-time", "0.5s"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("the time ended before the first evaluation did; give more with --budget-time"),
            std::string::npos)
      << result.err;
}

// An optimisation that a compiler does not know fails; the others are checked against a file.
TEST_F(CommandProblem, CompilerFlagsOfAProgramAreTuned) {
  write("loop.c",
        "#include <stdio.h>\nint main(void) {\n  double sum = 0;\n"
        "  for (int i = 1; i < 2000000; ++i) sum += 1.0 / i;\n  printf(\"%.9f\\n\", sum);\n  return 0;\n}\n");
  write("right.txt", "15.0858736\n");
  const std::string file = define({{"build", TUNE_CXX " -x c {opt} loop.c -o loop"},
                                   {"files", "loop.c"},
                                   {"run", "./loop"},
                                   {"check", {{"expected", "right.txt"}, {"relative", 1e-6}}}},
                                  {{"opt", {"-O0", "-O2", "-fno-such-flag"}}});
  const ProgramResult outcome =
      sandbox_.tune({"run", file, "--device", "cpu", "--samples", "2:2", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Ordered result = Ordered::parse(outcome.out);
  const std::string fastest = result["best"]["configuration"]["opt"];
  EXPECT_TRUE(fastest == "-O0" || fastest == "-O2") << fastest;
  EXPECT_GT(result["best"]["confidence"], 0.9) << "timed again, in turns";
  const std::map<std::string, std::string> stored = outcomes("opt");
  EXPECT_EQ(stored.size(), 3);
  EXPECT_TRUE(stored.at("-fno-such-flag").starts_with("compile: build: ")) << stored.at("-fno-such-flag");
  EXPECT_TRUE(has(stored.at("-fno-such-flag"), "-fno-such-flag")) << "the end of the compiler's output";
  EXPECT_FALSE(std::filesystem::exists(sandbox_ / "loop")) << "built in a copy";
  const ProgramResult best = sandbox_.tune({"best", file});
  EXPECT_TRUE(has(best.out, "opt=" + fastest)) << best.out << best.err;
}

// The metrics decide, not the clock: a result is the same on every machine.
TEST_F(CommandProblem, MetricsThatAScriptPrintsAreStoredAndRanked) {
  write("knob.sh",
        "echo $1 >> calls\necho \"warming up\"\n"
        "echo \"{\\\"latency\\\": $1, \\\"out\\\": {\\\"all\\\": [0, $(( 10 * $1 - $1 * $1 ))]}}\"\n");
  const Ordered command = {
      {"run", "sh knob.sh {k}"},
      {"result", {{"latency", {{"json", "latency"}}}, {"score", {{"json", "out.all[1]"}}}}}};
  const std::string file =
      define(command, {{"k", {1, 2, 4, 5, 7, 9}}},
             {{"metrics", {{"gain", "score / (latency + 10)"}}}, {"objective", "max:score"}});
  EXPECT_EQ(summary(file)["best"]["configuration"]["k"], 5);
  const std::size_t calls = lines("calls").size();
  EXPECT_EQ(calls, 12) << "one that does not count, and one that does";
  const Ordered again = summary(file, {"--objective", "min:latency"});
  EXPECT_EQ(again["best"]["configuration"]["k"], 1);
  EXPECT_EQ(again["best"]["metrics"]["latency"], 1);
  EXPECT_EQ(summary(file, {"--objective", "max:gain"})["best"]["configuration"]["k"], 4);
  EXPECT_EQ(lines("calls").size(), calls) << "nothing was measured again";
  const ProgramResult replayed =
      done(sandbox_, {"run", file, "--device", "replay:" + sandbox_.database().string(), "--format", "json"});
  EXPECT_EQ(Ordered::parse(replayed.out)["best"]["configuration"]["k"], 5);
  const ProgramResult best = sandbox_.tune({"best", file, "--objective", "max:gain"});
  EXPECT_TRUE(has(best.out, "k=4")) << best.out << best.err;
  EXPECT_TRUE(has(best.out, "score") && has(best.out, "sh knob.sh 4")) << best.out;
  EXPECT_TRUE(has(done(sandbox_, {"best", file, "--format", "env"}).out, "TUNE_PARAMETER_k="))
      << "of a command";
  expect_refused(sandbox_.tune({"best", file, "--format", "flags"}), 2, {"is a command and has no macros"});
  const ProgramResult report = sandbox_.tune({"report", "--run", "1", "--format", "csv"});
  EXPECT_EQ(report.status, 0) << report.err;
  write("knob.sh", "echo '{\"latency\": 1, \"out\": {\"all\": [0, 1]}}'\n");
  EXPECT_EQ(summary(file)["reused"], 0) << "another script, other results";
}

// One objective is a formula, the other a front: found, timed again, stored, listed and drawn.
TEST_F(CommandProblem, FormulasAndFrontsOfResultsRank) {
  write("knob.sh", "echo \"{\\\"a\\\": $1, \\\"b\\\": $(( $2 ? 20 - $1 : 25 ))}\"\n");
  const std::string file =
      define({{"run", "sh knob.sh {k} {good}"}, {"result", {{"a", {{"json", "a"}}}, {"b", {{"json", "b"}}}}}},
             {{"k", {1, 5, 9, 12}}, {"good", {0, 1}}});
  const std::vector<std::string> again = {"--samples", "1:1", "--strategy", "grid", "--format", "json"};
  const auto result = [&](const std::string& objective, const std::string& finalists = "0") {
    std::vector<std::string> words = {"run", file, "--objective", objective, "--finalists", finalists};
    words.insert(words.end(), again.begin(), again.end());
    const ProgramResult outcome = sandbox_.tune(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Ordered::parse(outcome.out, nullptr, false);
  };
  EXPECT_EQ(result("max:a / b")["best"]["configuration"]["k"], 12);
  EXPECT_EQ(result("min:0.9 * b + 0.1 * a")["best"]["configuration"]["k"], 12);
  const Ordered front = result("pareto:a,max:b");
  EXPECT_EQ(front["objective"], "pareto:min:a,max:b");
  ASSERT_EQ(front["front"].size(), 1) << front["front"];
  EXPECT_EQ(front["front"][0]["values"], (Ordered{{"a", 1}, {"b", 25}}));
  const Ordered longer = result("pareto:a,b", "12");
  ASSERT_EQ(longer["front"].size(), 4) << longer["front"];
  EXPECT_EQ(longer["front"][3]["configuration"], (Ordered{{"k", 12}, {"good", 1}}));
  EXPECT_EQ(longer["front"][3]["values"]["b"], 8);
  EXPECT_EQ(longer["finals"].size(), 4);
  EXPECT_EQ(longer["best"]["configuration"]["k"], 1) << "the smallest product";
  EXPECT_EQ(result("pareto:a,b", "12")["finals"][0]["rounds"], longer["finals"][0]["rounds"])
      << "not timed again";
  const Ordered best =
      Ordered::parse(done(sandbox_, {"best", file, "--objective", "pareto:a,b", "--format", "json"}).out);
  EXPECT_EQ(best["front"], longer["front"]);
  EXPECT_TRUE(has(done(sandbox_, {"best", file, "--objective", "pareto:a,b"}).out, "a 12, b 8: good=1,k=12"));
  const std::string number = longer["run"].dump();
  const std::string shown = done(sandbox_, {"show", number}).out;
  EXPECT_TRUE(has(shown, "a 12, b 8, ") && has(shown, "6 rounds, on the front")) << shown;
  const Ordered report = Ordered::parse(done(sandbox_, {"report", "--run", number, "--format", "json"}).out);
  EXPECT_EQ(report["sections"][0]["front"], longer["front"]);
  EXPECT_TRUE(has(done(sandbox_, {"report", "--run", number, "--format", "text"}).out, "Pareto front"));
  const std::string page = done(sandbox_, {"report", "--run", number, "--format", "html"}).out;
  EXPECT_TRUE(has(page, R"("parts":[{"name":"a","unit":null,"maximised":false})")) << "drawn";
  const std::vector<std::string> text = {"run",       file,  "--objective", "pareto:a,b",
                                         "--samples", "1:1", "--finalists", "0"};
  EXPECT_TRUE(has(done(sandbox_, text).out, "a 12, b 8"));
  expect_refused(run(file, {"--objective", "pareto:a"}), 2, {"pareto:A,B"});
  expect_refused(run(file, {"--objective", "min:a + c"}), 2, {"there is no 'c'", "'a', 'b'"});
  expect_refused(run(file, {"--objective", "pareto:a,b", "--until-gain", "1%"}), 2, {"no single best"});
}

// Whatever a command does, its failure is stored and the run goes on.
TEST_F(CommandProblem, EveryFailureIsStored) {
  write(
      "app.sh",
      "rm -f wrong\ncase $1 in\n"
      "good) sleep 60 & echo time: 2 s;;\n"
      "nothing) ;;\n"
      "two) echo time: 2 s; echo time: 3 s;;\n"
      "zero) echo time: 0 s;;\n"
      "hang) sleep 60;;\n"
      "escape) setsid sh -c 'echo $$ > escaped; exec sleep 60' & while [ ! -s escaped ]; do sleep 0.01; done\n"
      "  echo time: 5 s;;\n"
      "status) echo begun; echo 'cannot open the moon' >&2; exit 3;;\n"
      "signal) kill -SEGV $$;;\n"
      "wrong) echo time: 1 s; touch wrong;;\n"
      "flood) yes | head -c 18000000; exit 1;;\n"
      "full) head -c 100 /dev/zero > /dev/full || exit 4;;\n"
      "bytes) printf '\\377\\033[31m\\n'; exit 5;;\n"
      "esac\n");
  const std::string file = define({{"run", "{shell} app.sh {case}"},
                                   {"check", "test ! -e wrong"},
                                   {"result", {{"time", {{"regex", "time: (\\d+) s"}}}}},
                                   {"timeout", 4},
                                   {"environment", {{"CASE", "{case}"}}}},
                                  {{"case",
                                    {"good", "nothing", "two", "zero", "hang", "escape", "status", "signal",
                                     "flood", "full", "bytes", "wrong", "missing"}},
                                   {"shell", {"sh", "./no-such-shell"}}},
                                  {{"constraints", {"(shell == './no-such-shell') == (case == 'missing')"}}});
  const Ordered result = summary(file, {"--strategy", "grid"});
  EXPECT_EQ(result["best"]["configuration"]["case"], "good");
  EXPECT_TRUE(has(sandbox_.tune({"show"}).out, "cannot open the moon")) << "behind the first line";
  const std::map<std::string, std::string> stored = outcomes("case");
  const std::map<std::string, std::vector<std::string>> expected = {
      {"good", {"ok"}},
      {"nothing", {"launch: no result: time of", "printed nothing"}},
      {"two", {"launch: two results: ", "matches 2 and 3"}},
      {"zero", {"launch: no result: "}},
      {"hang", {"timeout: execution: ", "after 4 s"}},
      {"escape", {"ok"}},
      {"status", {"launch: status 3: ", "cannot open the moon"}},
      {"signal", {"crash: signal 11: "}},
      {"wrong", {"verify: wrong result: ", "-e wrong"}},
      {"flood", {"launch: status 1: ", "y\ny"}},
      {"full", {"launch: status 4: ", "No space left"}},
      {"bytes", {"launch: status 5: "}},
      {"missing", {"launch: no such command: ", "./no-such-shell"}}};
  EXPECT_EQ(stored.size(), expected.size());
  EXPECT_EQ(summary(file, {"--strategy", "grid"})["reused"], 12) << "all but the command that may come";
  for (const auto& [name, words] : expected)
    for (const std::string& word : words)
      EXPECT_TRUE(stored.contains(name) && has(stored.at(name), word)) << name << ": " << stored.at(name);
  EXPECT_LT(stored.at("flood").size(), 5000);
  std::string number, comm, state;
  std::ifstream in("/proc/" + read_file(sandbox_ / "escaped").substr(0, lines("escaped").front().size()) +
                   "/stat");
  EXPECT_FALSE(in >> number >> comm >> state && state != "Z") << "a process of its own session runs on";
}

// A real one, which only root can make.
TEST_F(CommandProblem, AFullDiskIsAFailureThatIsTriedAgain) {
  const std::filesystem::path small = sandbox_ / "small";
  std::filesystem::create_directory(small);
  const std::vector<std::string> mount = {"mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small.string()};
  if (geteuid() != 0 || tune::run_program(mount).status != 0) GTEST_SKIP() << "no tmpfs can be mounted here";
  write("data", std::string(200'000, 'x'));
  const std::string file =
      define({{"build", "true {a}"}, {"files", "data"}, {"run", "test -s data"}}, {{"a", {1}}});
  sandbox_.set_environment("TMPDIR", small.string());
  const ProgramResult full = run(file);
  sandbox_.set_environment("TMPDIR", "/tmp");
  EXPECT_EQ(tune::run_program({"umount", small.string()}).status, 0);
  EXPECT_EQ(full.status, 1) << full.err;
  EXPECT_TRUE(has(outcomes("a").at("1"), "resources: disk: cannot copy")) << outcomes("a").at("1");
  EXPECT_EQ(summary(file)["measured"], 1) << "it was not the configuration's fault";
}

// A definition with a shell names no program in its first word.
TEST_F(CommandProblem, AScriptOfAShellIsASource) {
  write("knob.sh", "echo $1\n");
  write("made", "of an earlier run\n");
  const std::string file = define({{"run", "cat made > copy; sh knob.sh {k} | tail -n 1"},
                                   {"shell", true},
                                   {"result", {{"size", "output"}}}},
                                  {{"k", {2, 1}}}, {{"objective", "min:size"}});
  EXPECT_EQ(summary(file)["best"]["configuration"]["k"], 1);
  write("made", "of another run\n");
  EXPECT_EQ(summary(file)["reused"], 2) << "a file that is read or written is no program";
  write("knob.sh", "echo $((3 - $1))\n");
  EXPECT_EQ(summary(file)["best"]["configuration"]["k"], 2) << "another script, other results";
}

// No value is more than a part of one argument.
TEST_F(CommandProblem, ValuesAreArguments) {
  const std::string evil = "a b; touch injected $(touch injected) `touch injected` '\" *";
  write("words.sh", "for w in \"$@\"; do echo \"$w\"; done >> words\n");
  const Ordered parameters = {{"v", {evil}}, {"empty", {""}}};
  EXPECT_EQ(
      run(define({{"run", "sh words.sh 'x y' {v} {empty} -n={empty}"}, {"warmup", 0}}, parameters)).status,
      0);
  const std::vector<std::string> once = {"x y", evil, "-n="};
  std::vector<std::string> found = lines("words");
  found.resize(3);
  EXPECT_EQ(found, once);
  std::filesystem::remove(sandbox_ / "words");
  const Ordered by_shell = {{"run", "A=1; sh words.sh ${A} {v} | cat && true"}, {"shell", true}};
  EXPECT_EQ(run(define(by_shell, parameters)).status, 0);
  found = lines("words");
  found.resize(2);
  EXPECT_EQ(found, (std::vector<std::string>{"1", evil}));
  EXPECT_FALSE(std::filesystem::exists(sandbox_ / "injected"));
}

// Each build waits for the other one, and fails where an execution is under way.
TEST_F(CommandProblem, BuildsRunSideBySideAndExecutionsAlone) {
  write("build.sh",
        "mkdir made || exit 9\ntouch \"$LOG/build$1\"\n"
        "i=0; while [ ! -e \"$LOG/build1\" ] || [ ! -e \"$LOG/build2\" ]; do\n"
        "  sleep 0.02; i=$((i + 1)); [ $i -lt 500 ] || exit 8\ndone\n[ ! -e \"$LOG/runs\" ] || exit 7\n");
  write("run.sh", "[ -d made ] || exit 6\nmkdir \"$LOG/runs\" || exit 5\nsleep 0.02\nrmdir \"$LOG/runs\"\n");
  const std::string file = define({{"build", "sh build.sh {b}"},
                                   {"files", {"build.sh", "run.sh"}},
                                   {"run", "sh run.sh {r}"},
                                   {"environment", {{"LOG", sandbox_ / ""}}}},
                                  {{"b", {1, 2}}, {"r", {1, 2}}});
  const Ordered result = summary(file, {"--compilers", "2", "--strategy", "grid"});
  EXPECT_EQ(result["measured"], 4) << result;
  EXPECT_EQ(result["from_cache"], 2) << "configurations with the same build share it";
  for (const auto& [value, outcome] : outcomes("b")) EXPECT_EQ(outcome, "ok");
  EXPECT_FALSE(std::filesystem::exists(sandbox_ / "made"));
}

TEST_F(CommandProblem, WrongDefinitionsAreRefused) {
  const Ordered parameters = {{"block", {1, 2}}};
  const std::vector<std::pair<Ordered, std::vector<std::string>>> cases = {
      {{{"run", "app {blok}"}}, {"command.run", "'blok'", "did you mean 'block'?"}},
      {{{"rum", "app"}, {"run", "app"}}, {"command.rum", "did you mean 'run'?"}},
      {{{"build", "make"}}, {"expected a field 'run'"}},
      {{{"run", ""}}, {"command.run", "expected a command"}},
      {{{"run", "app 'x"}}, {"a quote is not closed"}},
      {{{"run", "app | sort"}}, {"'|' is for a shell", "\"shell\": true"}},
      {{{"run", "app"}, {"result", "wal time"}}, {"command.result", "did you mean 'wall time'?"}},
      {{{"run", "app"}, {"result", {{"x", {{"regex", "(a"}}}}}},
       {"result.x.regex", "not a regular expression"}},
      {{{"run", "app"}, {"result", {{"x", {{"json", "a..b"}}}}}}, {"result.x.json", "expected a path"}},
      {{{"run", "app"}, {"result", {{"x", {{"json", "a"}, {"unit", "ms"}}}}}}, {"only 'time' has a unit"}},
      {{{"run", "app"}, {"result", {{"time", {{"json", "a"}, {"unit", "h"}}}}}},
       {"expected s, ms, us, ns or min"}},
      {{{"run", "app"}, {"result", {{"energy", "output"}}}}, {"'energy' has another meaning"}},
      {{{"run", "app"}, {"files", "no.c"}}, {"command.files", "there is no file or folder"}},
      {{{"run", "app"}, {"files", "../x"}}, {"in the directory of the commands"}},
      {{{"run", "app"}, {"directory", "no"}}, {"there is no folder"}},
      {{{"run", "app"}, {"timeout", 0}}, {"expected seconds above 0"}},
      {{{"run", "app"}, {"check", {{"expected", "no.txt"}}}}, {"check.expected", "there is no file"}}};
  for (const auto& [command, words] : cases) expect_refused(run(define(command, parameters)), 2, words);
  const Ordered good = {{"run", "true {block}"}};
  expect_refused(run(define(good, parameters, {{"kernel", "k.cu"}})), 2, {"kernel"});
  expect_refused(run(define(good, parameters, {{"objective", "min:latency"}})), 2,
                 {"'metrics' has no 'latency'"});
  const std::string file = define(good, parameters);
  expect_refused(run(file, {"--device", "cuda:0"}), 2, {"runs on the processor", "--device cpu"});
  expect_refused(sandbox_.tune({"run", file, "--device", "replay"}), 2, {"no commands", "--device cpu"});
  expect_refused(run(file, {"--size", "4"}), 2, {"has no \"sizes\"", "leave it out"});
  expect_refused(run(file, {"--cache", "warm"}), 2, {"--cache is for kernels"});
  expect_refused(run(file, {"--objective", "energy"}), 2, {"energy of a command"});
  expect_refused(sandbox_.tune({"check", file}), 2, {"is a command"});
  expect_refused(sandbox_.tune(small_run({"--device", "cpu"})), 2, {"kernels are of a GPU"});
}

TEST_F(CommandProblem, TheProcessorIsADevice) {
  const Ordered devices = Ordered::parse(sandbox_.tune({"devices", "--format", "json"}).out);
  EXPECT_GE(devices["cpu"]["cores"], 1);
  EXPECT_GT(devices["cpu"]["memory_bytes"], 1 << 20);
  EXPECT_NE(devices["cpu"]["name"], "");
  EXPECT_TRUE(has(sandbox_.tune({"devices"}).out, "device cpu")) << "as text";
  const ProgramResult space =
      sandbox_.tune({"space", define({{"run", "true {k}"}}, {{"k", {1, 2}}, {"x", {1, 2}}})});
  EXPECT_TRUE(has(space.out, "4 valid configurations")) << space.out;
  EXPECT_TRUE(has(space.err, "parameter 'x' changes nothing")) << space.err;
}

}  // namespace
}  // namespace tune::testing
