// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace tune::testing {
namespace {

int made_number = 0;  // of processes, for the names of their outputs

void redirect(int descriptor, const std::filesystem::path& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(99);
}

void limit_files(std::size_t largest) {
  const rlimit limit = {largest, largest};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

Process::Process(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 std::size_t largest_file) {
  const std::string number = std::to_string(++made_number);
  out_ = folder / ("stdout-" + number);
  err_ = folder / ("stderr-" + number);
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), TUNE_PROGRAM);
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("cannot fork");
  if (child_ > 0) return;
  redirect(STDOUT_FILENO, out_);
  redirect(STDERR_FILENO, err_);
  if (largest_file > 0) limit_files(largest_file);
  execv(raw.front(), raw.data());
  _exit(98);
}

Process::~Process() {
  if (ended_) return;
  send(SIGKILL);
  wait();
}

bool Process::wait_for(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    const bool ended = has_ended();
    if (read_file(err_).find(text) != std::string::npos) return true;
    if (ended || std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string Process::out() const {
  return read_file(out_);
}

void Process::send(int signal) const {
  kill(child_, signal);
}

bool Process::has_ended() {
  if (!ended_) ended_ = waitpid(child_, &status_, WNOHANG) == child_;
  return ended_;
}

ProgramResult Process::wait() {
  if (!ended_) ended_ = waitpid(child_, &status_, 0) == child_;
  const int status = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  return {status, read_file(out_), read_file(err_)};
}

}  // namespace tune::testing
