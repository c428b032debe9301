// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with the folder, compiling goes on, and one line says what is missing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/without_privileges.hpp"
#include "tests/tuner/cache/examples.hpp"
#include "tuner/cache/caching_compiler.hpp"

namespace tune::cache {
namespace {

using namespace testing;
using tune::testing::TemporaryFolder;

/// Two equal compiles; how many were really made.
int compiles_with(const std::shared_ptr<BinaryCache>& cache) {
  const auto inner = std::make_shared<InventedCompiler>();
  const CachingCompiler caching(inner, cache);
  for (int i = 0; i < 2; ++i) {
    const auto binary = caching.compile(example_request());
    EXPECT_TRUE(binary);
    if (binary) {
      EXPECT_EQ(binary->image, inner->InventedCompiler::compile(example_request())->image);
    }
  }
  return inner->compiled - 2;
}

void expect_one_line(const std::string& notice, const std::vector<std::string>& words) {
  EXPECT_EQ(notice.find('\n'), std::string::npos);
  for (const std::string& word : words) EXPECT_NE(notice.find(word), std::string::npos) << notice;
}

TEST(UnusableFolder, None) {
  const auto cache = std::make_shared<BinaryCache>("");
  expect_one_line(cache->notice(), {"HOME", "TUNE_CACHE_DIR"});
  EXPECT_EQ(compiles_with(cache), 2);
}

TEST(UnusableFolder, ReadOnlyAnswersStill) {
  const TemporaryFolder folder;
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder.path())), 1);
  chmod(folder.path().c_str(), 0555);
  const tune::testing::WithoutPrivileges nobody;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  EXPECT_EQ(compiles_with(cache), 0);
  EXPECT_EQ(cache->notice(), "");
  cache->keep("other", random_binary(1));
  expect_one_line(cache->notice(), {folder.path().string(), "Permission denied", "without the cache"});
  EXPECT_FALSE(cache->find("other"));
}

TEST(UnusableFolder, CannotBeMade) {
  const TemporaryFolder folder;
  chmod(folder.path().c_str(), 0555);
  const tune::testing::WithoutPrivileges nobody;
  const auto cache = std::make_shared<BinaryCache>(folder / "below/it");
  EXPECT_EQ(compiles_with(cache), 2);
  expect_one_line(cache->notice(), {"below/it", "Permission denied"});
}

TEST(UnusableFolder, IsAFile) {
  const TemporaryFolder folder;
  write_text(folder / "file", "text");
  const auto cache = std::make_shared<BinaryCache>(folder / "file");
  EXPECT_EQ(compiles_with(cache), 2);
  expect_one_line(cache->notice(), {"Not a directory"});
  EXPECT_EQ(read_file(folder / "file"), "text");
}

TEST(UnusableFolder, GoesAwayAndComesBack) {
  const TemporaryFolder folder;
  BinaryCache cache(folder / "cache");
  cache.keep("one", random_binary(1));
  std::filesystem::remove_all(folder / "cache");
  EXPECT_FALSE(cache.find("one"));
  cache.keep("one", random_binary(1));
  EXPECT_TRUE(cache.find("one"));
  EXPECT_EQ(cache.notice(), "");
}

// A limit on the size of files fails a write as a full disk does: after some of the bytes.
TEST(UnusableFolder, FullDisk) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    const auto cache = std::make_shared<BinaryCache>(folder.path());
    const int made = compiles_with(cache);
    _exit(made == 2 && cache->notice().find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "half a file was left";
}

/// The file of the entry of example_request.
std::filesystem::path entry_of_example(const std::filesystem::path& folder) {
  const CachingCompiler caching(std::make_shared<InventedCompiler>(), std::make_shared<BinaryCache>(folder));
  return folder / (caching.key_of(example_request()) + std::string(entry_suffix));
}

TEST(UnusableEntry, APipeOrALinkIsReplaced) {
  const TemporaryFolder folder;
  const std::filesystem::path entry = entry_of_example(folder.path());
  write_text(folder / "kept", "text");
  for (const bool pipe : {true, false}) {
    std::filesystem::remove(entry);
    if (pipe)
      ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
    else
      std::filesystem::create_symlink(folder / "kept", entry);
    const auto cache = std::make_shared<BinaryCache>(folder.path());
    EXPECT_EQ(compiles_with(cache), 1);
    EXPECT_EQ(cache->notice(), "");
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(entry)));
  }
  EXPECT_EQ(read_file(folder / "kept"), "text");
}

TEST(UnusableEntry, AHugeOneIsNotRead) {
  const TemporaryFolder folder;
  const std::filesystem::path entry = entry_of_example(folder.path());
  write_text(entry, "");
  std::filesystem::resize_file(entry, std::uintmax_t{1} << 40);  // takes no room on the disk
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder.path())), 1);
  EXPECT_LT(std::filesystem::file_size(entry), 1'000'000U);
}

TEST(UnusableEntry, AFolderIsLeftAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(entry_of_example(folder.path()) / "below");
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  EXPECT_EQ(compiles_with(cache), 2);
  expect_one_line(cache->notice(), {"cannot be written"});
}

TEST(UntrustedFolder, OthersMayWriteToIt) {
  const TemporaryFolder folder;
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder.path())), 1);
  chmod(folder.path().c_str(), 0777);
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  EXPECT_EQ(compiles_with(cache), 2);
  expect_one_line(cache->notice(), {folder.path().string(), "others may write to it", "chmod go-w"});
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder.path())), 0);
  for (const auto& entry : entries_in(folder.path())) chmod(entry.c_str(), 0666);
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder.path())), 1);
}

TEST(UntrustedFolder, BelongsToAnotherUser) {
  const TemporaryFolder folder;
  if (chown(folder.path().c_str(), 4321, 4321) != 0) GTEST_SKIP() << "only root gives folders away";
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  EXPECT_EQ(compiles_with(cache), 2);
  expect_one_line(cache->notice(), {"another user"});
}

TEST(UntrustedFolder, IsMadeSoThatOnlyThisUserWrites) {
  const TemporaryFolder folder;
  const mode_t before = umask(0);
  const auto cache = std::make_shared<BinaryCache>(folder / "a/cache");
  EXPECT_EQ(compiles_with(cache), 1);
  umask(before);
  EXPECT_EQ(compiles_with(std::make_shared<BinaryCache>(folder / "a/cache")), 0);
}

}  // namespace
}  // namespace tune::cache
