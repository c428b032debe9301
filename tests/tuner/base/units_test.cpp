// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/units.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tuner/base/enum_names.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

TEST(Units, ShowFourDigitsAndAPrefix) {
  EXPECT_EQ(si(2.845e-4, "s"), "284.5 us");
  EXPECT_EQ(si(1.0, "s"), "1 s");
  EXPECT_EQ(si(4.27e12, "B/s"), "4.27 TB/s");
  EXPECT_EQ(si(999.96, "B/s"), "1000 B/s");
  EXPECT_EQ(si(0, "s"), "0 s");
  EXPECT_EQ(si(3e15, "s"), "3000 Ts");
  EXPECT_EQ(bytes_text(232448), "227 KiB");
  EXPECT_EQ(bytes_text(1), "1 B");
  EXPECT_EQ(percent_text(0.917), "92 %");
  EXPECT_EQ(percent_text(0.0123), "1.2 %");
}

TEST(Lists, AreJoined) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector{1, 2, 3}), "1, 2, 3");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b"}), ", b");
  EXPECT_EQ(joined(
                std::vector{4, 5}, [](int n) { return n * n; }, "x"),
            "16x25");
}

TEST(Names, BecomeValues) {
  enum class Colour { red, green };
  constexpr std::array<std::string_view, 2> names = {"red", "green"};
  EXPECT_EQ(enum_from_name<Colour>(names, "green", "colour"), Colour::green);
  EXPECT_THROW(enum_from_name<Colour>(names, "gree", "colour"), std::invalid_argument);
}

TEST(Files, UnfinishedOnesHaveNamesOfTheirOwn) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path target = folder / "a.txt", mine = folder / "a.txt.part";
  std::ofstream(folder / "precious") << "precious";
  std::filesystem::create_symlink(folder / "precious", mine);
  const auto write = [](const std::filesystem::path& path) { return write_bytes(path, "new"); };
  EXPECT_FALSE(replace_file(target, write));
  EXPECT_EQ(read_text(target), "new");
  EXPECT_EQ(read_text(folder / "precious"), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(mine));

  UnfinishedFile first(target), second(target);
  EXPECT_NE(first.path(), second.path());
  EXPECT_TRUE(std::filesystem::exists(first.path())) << "taken for a leftover";
  write_bytes(first.path(), "first");
  EXPECT_FALSE(second.complete());
  EXPECT_FALSE(first.complete());
  EXPECT_EQ(read_text(target), "first");

  const std::filesystem::path left = folder / "a.txt.tune-abcdef.part";  // of a process that was killed
  for (const char* suffix : {"", "-journal"}) std::ofstream(left.string() + suffix) << "x";
  EXPECT_FALSE(replace_file(target, write));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
}

TEST(Files, UnfinishedOnesAreRemovedByASignal) {
  const testing::TemporaryFolder folder;
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), {}); };
  const UnfinishedFile database(folder / "a.db");
  std::ofstream(database.path().string() + "-journal") << "x";
  {
    UnfinishedFile complete(folder / "b");
    EXPECT_FALSE(complete.complete());
  }
  EXPECT_EQ(count(), 3);
  const pid_t child = fork();  // files of another process
  if (child == 0) {
    remove_unfinished_files();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(count(), 3);
  remove_unfinished_files();
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder / "b"));
}

TEST(Files, AreReplacedWholeOrNotAtAll) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "file", link = folder / "link";
  std::filesystem::create_symlink(path, link);
  const auto write = [](std::string_view text, bool full) {
    return [=](const std::filesystem::path& unfinished) {
      const std::error_code error = write_bytes(unfinished, text);
      return full ? std::make_error_code(std::errc::no_space_on_device) : error;
    };
  };
  EXPECT_FALSE(replace_file(path, write("old", false)));
  EXPECT_EQ(replace_file(link, write("half", true)), std::errc::no_space_on_device);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_FALSE(replace_file(link, write("new", false)));
  EXPECT_EQ(read_text(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  EXPECT_TRUE(replace_file("/dev/full", write("text", false))) << "written directly, which fails there";
}

TEST(Units, ShowDurationsForWaitingPeople) {
  EXPECT_EQ(duration_text(1.26), "1.3 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(3720), "1 h 2 min");
}

TEST(Units, ReadDurations) {
  EXPECT_EQ(parse_duration("90", "--t"), 90);
  EXPECT_EQ(parse_duration("90s", "--t"), 90);
  EXPECT_EQ(parse_duration("1.5h", "--t"), 5400);
  EXPECT_EQ(parse_duration("2min", "--t"), 120);
  EXPECT_EQ(parse_duration("5sec", "--t"), 5);
  EXPECT_EQ(parse_duration("5seconds", "--t"), 5);
  EXPECT_EQ(parse_duration("2minutes", "--t"), 120);
  for (const char* wrong :
       {"", "s", "-3s", "0", "5x", "nan", "inf", "0x10", " 5", "1e308h"})  // as in every locale
    EXPECT_THROW(parse_duration(wrong, "--t"), UsageError) << wrong;
}

TEST(Units, ReadSizes) {
  EXPECT_EQ(parse_size("1", "T"), 1U);
  EXPECT_EQ(parse_size("4096", "T"), 4096U);
  EXPECT_EQ(parse_size("500M", "T"), 524'288'000U);
  EXPECT_EQ(parse_size("2G", "T"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("1.5K", "T"), 1536U);
  EXPECT_EQ(parse_size("1T", "T"), std::uint64_t{1} << 40);
  for (const char* wrong : {"", "G", "0", "-1G", "5x", "2GB", "nan", "inf", "99999999999T", "1 G"})
    EXPECT_THROW(parse_size(wrong, "T"), UsageError) << wrong;
}

TEST(Units, PluralsOfNouns) {
  EXPECT_EQ(plural("cell update"), "cell updates");
  EXPECT_EQ(plural("query"), "queries");
  EXPECT_EQ(plural("ray"), "rays");
  EXPECT_EQ(plural("box"), "boxes");
  EXPECT_EQ(plural("batch"), "batches");
  EXPECT_EQ(counted(1, "query"), "1 query");
  EXPECT_EQ(counted(2, "query"), "2 queries");
}

}  // namespace
}  // namespace tune
