// SPDX-License-Identifier: Apache-2.0
// Files that are not recordings: one line that names the file, the place and the cure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <fstream>

#include "db/formats/file_format.hpp"
#include "tests/db/formats/whole_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

replay::RecordedSpace read_any(std::string_view text) {
  replay::TextInMemory source(text);
  return replay::space_of(replay::read_recorded_json(source, "name", "dir/file.json"), "dir/file.json");
}

struct Malformed {
  std::string text;
  std::vector<std::string> words;  ///< of the message
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.text.substr(0, 60);
}

std::string cache_file(const std::string& keys, const std::string& entry) {
  return R"({"kernel_name": "k", "tune_params_keys": )" + keys + ",\n\"cache\": {\"entry one\": " + entry +
         "}}";
}

std::string t4_file(const std::string& entries) {
  return "{\"metadata\": {\"timeunit\": \"ms\"},\n\"results\": [" + entries + "]}";
}

std::string numbered_members(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "\"a" : ", \"a") + std::to_string(i) + "\": 1";
  return text;
}

class MalformedFile : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedFile, IsOneLineThatHelps) {
  try {
    read_any(GetParam().text);
    FAIL() << "it was read";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("dir/file.json: ")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_LT(what.size(), 400U) << what;
    for (const std::string& word : GetParam().words) EXPECT_NE(what.find(word), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Json, MalformedFile,
    ::testing::Values(Malformed{"", {"empty", "right one"}}, Malformed{" \n\n", {"empty"}},
                      Malformed{"{", {"line 1", "cut off", "copy it again"}},
                      Malformed{"{\n\n\"a\": [1, 2", {"line 3", "cut off"}},
                      Malformed{t4_file("4, {}"), {"'results'", "4", "not an object"}},
                      Malformed{t4_file("[1]"), {"'results'", "not an object"}},
                      Malformed{cache_file(R"(["x"])", "7"), {"'cache'", "7", "not an object"}},
                      Malformed{"hello", {"line 1", "not JSON", "Kernel Tuner", "T4", "KTT"}},
                      Malformed{"<?xml version=\"1.0\"?>\n<TuningData/>", {"XML is not read", "JSON"}},
                      Malformed{"{\n\"a\": 1,\n\"b\": ?}", {"line 3", "not JSON"}},
                      Malformed{std::string("\x7f"
                                            "ELF\0\0\0",
                                            7),
                                {"line 1", "not JSON"}},
                      Malformed{"[]", {"neither", "'cache'", "'results'", "right file"}},
                      Malformed{"3", {"neither"}}, Malformed{"{}", {"neither"}},
                      Malformed{R"({"cache": {}, "results": []})", {"neither"}},
                      Malformed{"{\"metadata\": " + std::string(100000, '['), {"100 lists", "in each other"}},
                      Malformed{R"({"a": NaN})", {"line 1", "not JSON"}}));

INSTANTIATE_TEST_SUITE_P(
    KernelTuner, MalformedFile,
    ::testing::Values(
        Malformed{R"({"tune_params_keys": ["a"], "cache": {}})",
                  {"has no recorded configuration", "tune first"}},
        Malformed{R"({"tune_params_keys": ["a"], "cache": 3})", {"'cache' is 3, not an object"}},
        Malformed{R"({"cache": {"1": {"a": 1, "time": 2}}})", {"tune_params_keys", "Kernel Tuner"}},
        Malformed{cache_file("[]", R"({"a": 1, "time": 2})"), {"no parameters", "right file"}},
        Malformed{cache_file("[1]", R"({"a": 1, "time": 2})"), {"tune_params_keys", "1"}},
        Malformed{cache_file("[\"a\"]", R"({"a": null, "time": 2})"), {"\"entry one\"", "'a'", "null"}},
        Malformed{cache_file("[\"a\"]", R"({"a": [1], "time": 2})"), {"\"entry one\"", "'a'", "[1]"}},
        Malformed{cache_file("[\"a\"]", R"({"a": 1})"), {"\"entry one\"", "'time'"}},
        Malformed{cache_file("[\"a\", \"b\"]", R"({"a": 1, "time": 2})"), {"\"entry one\"", "no 'b'"}},
        Malformed{cache_file("[\"a\", \"a\"]", R"({"a": 1, "time": 2})"), {"'a'", "rename"}},
        Malformed{cache_file("[\"a b\", \"a_b\"]", R"({"a b": 1, "a_b": 2, "time": 2})"),
                  {"two parameters are called 'a_b'"}},
        Malformed{cache_file("[\"a\"]", R"({"a": 1, "time": 2, "compile_time": -5})"),
                  {"\"entry one\"", "'compile_time' is -5", "not below 0"}},
        Malformed{cache_file("[\"in\"]", R"({"in": 1, "time": 2})"), {"'in'", "rename"}},
        Malformed{cache_file("[\"\"]", R"({"": 1, "time": 2})"), {"rename"}}));

INSTANTIATE_TEST_SUITE_P(
    T4, MalformedFile,
    ::testing::Values(
        Malformed{t4_file(""), {"has no recorded configuration"}},
        Malformed{t4_file("1, 2"), {"an entry of 'results'", "1", "not an object"}},
        Malformed{t4_file(R"({"time": 1})"), {"entry 1 of 'results'", "'configuration'"}},
        Malformed{t4_file(R"({"configuration": {"a": 1}, "times": {"compilation_time": -5}})"),
                  {"entry 1", "'compilation_time' is -5", "not below 0"}},
        Malformed{t4_file(R"({"configuration": {"a": {}}})"), {"entry 1", "'a'", "{}"}},
        Malformed{
            t4_file(
                R"({"configuration": {"a": 1}, "measurements": [{"name": "time", "value": 1, "unit": "fortnights"}]})"),
            {"'fortnights'", "ns, us, ms, s"}},
        Malformed{R"({"metadata": {"timeunit": "hours"}, "results": [{"configuration": {"a": 1}}]})",
                  {"'hours'", "ns, us, ms, s"}},
        Malformed{R"({"results": [{"configuration": {"a": 1}},)", {"cut off", "copy it again"}}));

void expect_error(const std::filesystem::path& path, const std::string& words, std::size_t max = 1 << 20) {
  try {
    whole_text(path, max);
    FAIL() << path << " was read";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(path.string()), std::string::npos) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  }
}

TEST(TextFile, TellsWhatIsWrongWithIt) {
  const tune::testing::TemporaryFolder folder;
  expect_error(folder / "none.json", "there is no file");
  expect_error(folder / "", "a folder");
  const std::string packed = (folder / "packed.gz").string();
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919);
  const gzFile file = gzopen(packed.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(packed, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::ofstream(folder / "cut.gz", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  expect_error(folder / "cut.gz", "cut off");
  std::string damaged = bytes;
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 50; ++i) damaged[i] = '\x55';
  std::ofstream(folder / "damaged.gz", std::ios::binary) << damaged;
  expect_error(folder / "damaged.gz", "damaged");
  expect_error(packed, "right file", 1000);
  EXPECT_EQ(whole_text(packed), text);
}

/// Returns the memory of this process, in bytes.
double max_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

/// A text that becomes too much is refused where it does, also one that no reader needs.
INSTANTIATE_TEST_SUITE_P(
    TooMuch, MalformedFile,
    ::testing::Values(
        Malformed{t4_file("{\"configuration\": [" + repeated("[],", 1'000'000) + "0]}"),
                  {"more than 1000000 values", "right file"}},
        Malformed{"{\"metadata\": [" + repeated("[],", 1'000'000) + "0], \"results\": []}",
                  {"more than 1000000 values", "right file"}},
        Malformed{t4_file("{\"a\": [" + repeated("\"" + std::string(1000, 'x') + "\",", 5000) + "0]}"),
                  {"4 MiB of text", "right file"}},
        Malformed{t4_file("{" + repeated("\"\": 1,", 1'001) + "\"a\": 1}"), {"'configuration'"}},
        Malformed{t4_file("{\"configuration\": {" + numbered_members(1'001) + "}}"),
                  {"more than 1000 members", "right file"}}));

TEST(TooMuchText, IsRefusedWhileItIsRead) {
  // What a part of a file looks like to the parser.
  class Endless : public replay::TextSource {
   public:
    Endless(std::string begin, std::string rest) : begin_(std::move(begin)), rest_(std::move(rest)) {}
    std::string_view next() override { return ++parts_ == 1 ? begin_ : rest_; }
    std::size_t parts() const { return parts_; }

   private:
    std::string begin_, rest_;
    std::size_t parts_ = 0;
  };
  const std::string filler(1 << 16, ' ');
  for (const std::string& begin :
       {std::string("{\"results\": ["), std::string("{\"results\": [{\"a"), std::string("{\"x\": 1")}) {
    Endless text(begin, filler);
    try {
      replay::read_recorded_json(text, "name", "dir/file.json");
      FAIL() << "it was read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("more than 4 MiB without")) << begin;
    }
    EXPECT_LT(text.parts(), 100U);
  }
}

TEST(TooMuchText, IsNotUnpacked) {
  const tune::testing::TemporaryFolder folder;
  const std::string packed = (folder / "bomb.gz").string();
  const gzFile file = gzopen(packed.c_str(), "wb1");
  const std::string part = repeated("[],", 1 << 18);
  for (int i = 0; i < 60; ++i) gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
  gzclose(file);
  expect_error(packed, "more than 100 times its size", std::size_t{1} << 40);
}

TEST(HugeFile, TakesMemoryOfItsOwnSize) {
  std::string text = R"({"tune_params_keys": ["a"], "cache": {)";
  std::string samples;
  for (int i = 0; i < 1'000'000; ++i) samples += std::to_string(i % 10000) + ", ";
  for (const char* entry : {"1", "2"})
    text += std::string(entry[0] == '1' ? "\"" : ", \"") + entry + R"(": {"a": )" + entry +
            R"(, "time": 2.5, "times": [)" + samples + "1.0]}";
  text += "}}";
  const double before = max_memory();
  EXPECT_EQ(read_any(text).space.size(), 2U);
  EXPECT_LT(max_memory() - before, 5e6);  // beyond the text itself
}

}  // namespace
}  // namespace tune::testing
