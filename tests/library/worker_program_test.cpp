// SPDX-License-Identifier: Apache-2.0
// Where the program `tune` is searched, which serves as the worker.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "library/run/gpu.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

/// Sets a variable of the environment, and restores it.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::filesystem::path program_in(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tune") << "#!/bin/sh\n";
  std::filesystem::permissions(folder / "tune", std::filesystem::perms::owner_all);
  return folder / "tune";
}

TEST(WorkerProgram, IsSearchedInADefinedOrder) {
  const TemporaryFolder folder;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  {
    const Variable named("TUNE_WORKER", "/elsewhere/tune");
    EXPECT_EQ(run::worker_program(folder.path()), "/elsewhere/tune");
  }
  const Variable none("TUNE_WORKER", "");
  EXPECT_EQ(run::worker_program(folder.path()), self.parent_path() / "tune") << "the build has it there";
}

// The same from a copy of this program, which has none beside it.
TEST(WorkerProgram, OfACopiedProgramIsInstalledOrInThePath) {
  if (std::getenv("TUNE_TEST_COPY") != nullptr) {
    const char* installed = std::getenv("TUNE_TEST_INSTALLED");
    const auto found = run::worker_program(installed == nullptr ? "" : installed);
    EXPECT_EQ(found.value_or("none"), std::getenv("TUNE_TEST_COPY"));
    return;
  }
  if (std::filesystem::exists(TUNE_INSTALLED_PROGRAM)) GTEST_SKIP() << "the build's prefix has a program";
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "copied" / "program";
  std::filesystem::create_directories(copy.parent_path());
  std::filesystem::copy_file(std::filesystem::read_symlink("/proc/self/exe"), copy);
  const auto finds = [&](const std::string& expected, const std::string& more) {
    const std::string command = "TUNE_WORKER= TUNE_TEST_COPY='" + expected + "' " + more + " '" +
                                copy.string() + "' --gtest_filter=*OfACopiedProgram* >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  };
  const std::string in_path = program_in(folder.path() / "path").string();
  const std::string path = "PATH=/nowhere:'" + (folder.path() / "path").string() + "'";
  finds("none", "PATH=/nowhere");
  finds(in_path, path);
  const std::string installed = program_in(folder.path() / "prefix" / "bin").string();
  finds(installed, path + " TUNE_TEST_INSTALLED='" + (folder.path() / "prefix").string() + "'");
  finds(program_in(copy.parent_path()).string(),
        path + " TUNE_TEST_INSTALLED='" + (folder.path() / "prefix").string() + "'");
}

}  // namespace
}  // namespace tune::testing
