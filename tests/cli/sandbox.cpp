// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/sandbox.hpp"

#include <SQLiteCpp/Database.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>

#include "cli/input/command.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "library/run/version.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/cli/recording.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// While it lives, a stream of this process goes to a file: the descriptor too, so that the program sees no
/// terminal.
class Redirected {
 public:
  Redirected(int descriptor, const fs::path& file) : descriptor_(descriptor), saved_(dup(descriptor)) {
    flush();
    const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (saved_ < 0 || opened < 0) throw std::runtime_error("cannot redirect to " + file.string());
    dup2(opened, descriptor_);
    close(opened);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    flush();
    dup2(saved_, descriptor_);
    close(saved_);
  }

 private:
  static void flush() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
  }

  int descriptor_;
  int saved_;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

Sandbox::Sandbox() {
  fs::create_directories(folder_ / "home");
  fs::create_directories(folder_ / "recordings");
  fs::copy_file(shipped_recording(), recording());
  set_environment("HOME", (folder_ / "home").string());
  set_environment("XDG_DATA_HOME", (folder_ / "home/share").string());
  set_environment("XDG_CACHE_HOME", (folder_ / "home/cache").string());
  set_environment("TUNE_CACHE_DIR", "");
  set_environment("TUNE_CACHE_SIZE", "");
  set_environment("TUNE_DB", database().string());
  set_environment("TUNE_RECORDINGS", (folder_ / "recordings").string());
  set_environment("CUDA_VISIBLE_DEVICES", "");
}

Sandbox::~Sandbox() {
  for (const auto& [name, value] : environment_) {
    if (value.first)
      setenv(name.c_str(), value.second.c_str(), 1);
    else
      unsetenv(name.c_str());
  }
}

void Sandbox::remove_recordings() const {
  fs::remove(recording());
}

void Sandbox::set_environment(const std::string& name, const std::string& value) {
  const char* old = getenv(name.c_str());
  environment_.insert(environment_.begin(), {name, {old != nullptr, old == nullptr ? "" : old}});
  setenv(name.c_str(), value.c_str(), 1);
}

ProgramResult Sandbox::tune(const std::vector<std::string>& arguments) const {
  ProgramResult outcome;
  {
    const Redirected out(STDOUT_FILENO, folder_ / "stdout");
    const Redirected err(STDERR_FILENO, folder_ / "stderr");
    outcome.status = cli::dispatch(arguments);
  }
  outcome.out = read_file(folder_ / "stdout");
  outcome.err = read_file(folder_ / "stderr");
  return outcome;
}

std::string Sandbox::steady(std::string text) const {
  replace_all(text, folder_.path().string(), "<folder>");
  replace_all(text, run::version(), "<version>");
  replace_all(text, source_hash(*kernels::make_problem("stencil3d"), kernels::EmbeddedSources()),
              "<sources>");
  text =
      std::regex_replace(text, std::regex(R"(\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d)"), "YYYY-MM-DD$1hh:mm:ss");
  text = std::regex_replace(text, std::regex(R"(no GPU here \([^\n]*?\):)"), "no GPU here (<why>):");
  std::string steady;
  for (const std::string& line : lines_of(text)) {
    const bool durations =
        line.starts_with("time  ") || line.find("summed over the cores") != std::string::npos;
    steady +=
        (durations ? std::regex_replace(line, std::regex(R"(\d+\.\d s|\d+ (s|min|h))"), "<s>") : line) + "\n";
  }
  return steady;
}

std::vector<std::string> small_run(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"run", "--problem", "stencil3d", "--size", "64x64x64"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string written(const Sandbox& sandbox, const std::string& name, const std::string& text) {
  const std::filesystem::path path = sandbox / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::int64_t number(const std::filesystem::path& database, const std::string& sql) {
  return SQLite::Database(database.string(), SQLite::OPEN_READWRITE, 60'000, lookup::checked_pages_vfs())
      .execAndGet(sql)
      .getInt64();
}

bool is_sound(const fs::path& database) {
  SQLite::Database opened(database.string(), SQLite::OPEN_READWRITE, 60'000);
  return opened.execAndGet("PRAGMA integrity_check").getString() == "ok";
}

ProgramResult done(const Sandbox& sandbox, const std::vector<std::string>& arguments) {
  ProgramResult outcome = sandbox.tune(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome;
}

void expect_refused(const ProgramResult& outcome, int status, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("tune: ")) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("\n")) << outcome.err;
  for (const std::string& word : words)
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "no '" << word << "' in: " << outcome.err;
}

}  // namespace tune::testing
