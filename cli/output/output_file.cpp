// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output_file.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "db/store/database.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

/// True when both paths lead to the same existing file.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

[[noreturn]] void refuse_database(const std::string& path) {
  throw UsageError(format("'{}' is a database, which this would replace: name another file", path));
}

void check_output(const NamedFile& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (same_file(output.path, input) && !is_other_than_file(output.path))
      throw UsageError(
          format("--{}: '{}' is read by this command: name another file", output.option, output.path));
  if (is_other_than_file(output.path) && !fs::is_directory(output.path)) return;
  if (db::is_database(output.path)) refuse_database(output.path);
  std::error_code ignored;
  const bool is_new = !fs::exists(output.path, ignored);
  const bool works = std::ofstream(output.path, std::ios::app).is_open();
  if (works && is_new) fs::remove(output.path, ignored);
  if (!works)
    throw Error(format("--{}: cannot write '{}': check that the folder exists and is writable", output.option,
                       output.path));
}

}  // namespace

void check_outputs(std::span<const NamedFile> outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty()) continue;
    check_output(outputs[i], inputs);
    for (const NamedFile& before : outputs.first(i))
      if (!is_other_than_file(before.path) &&
          (before.path == outputs[i].path || same_file(before.path, outputs[i].path)))
        throw UsageError(
            format("--{} and --{} name the same file: name two", before.option, outputs[i].option));
  }
}

void write_whole_file(const fs::path& path, const std::string& text) {
  write_whole_file(path, [&](std::ostream& out) { out << text; });
}

void write_whole_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  if (!is_other_than_file(path) && db::is_database(path.string())) refuse_database(path.string());
  const auto write_to = [&](const fs::path& written) {
    std::ofstream out(written, std::ios::binary);
    if (out) write(out);
    out.close();
    return out ? std::error_code() : std::make_error_code(std::errc::io_error);
  };
  if (replace_file(path, write_to))
    throw Error(
        format("cannot write '{}': check that the folder exists and the disk has room", path.string()));
}

namespace {

/// The text for an attribute. XML allows no other control characters, escaped or not.
std::string escaped(const std::string& text) {
  static constexpr std::pair<char, std::string_view> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}};
  std::string result;
  for (const char c : text) {
    const auto* const entity = std::ranges::find(entities, c, &std::pair<char, std::string_view>::first);
    if (entity != std::end(entities))
      result += entity->second;
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

std::string case_text(const TestCase& one) {
  std::string text = format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(one.group),
                            escaped(one.name), one.seconds);
  std::string inside;
  if (one.failure)
    inside = format("      <failure message=\"{}\"/>\n", escaped(*one.failure));
  else if (one.skipped)
    inside = format("      <skipped message=\"{}\"/>\n", escaped(*one.skipped));
  if (!one.note.empty()) inside += format("      <system-out>{}</system-out>\n", escaped(one.note));
  return text + (inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n");
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<TestCase>& cases) {
  double seconds = 0;
  for (const TestCase& one : cases) seconds += one.seconds;
  const auto failures =
      std::ranges::count_if(cases, [](const TestCase& one) { return one.failure.has_value(); });
  const auto skipped =
      std::ranges::count_if(cases, [](const TestCase& one) { return one.skipped.has_value(); });
  const std::string counts =
      format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\"", cases.size(),
             failures, skipped, seconds);
  std::string text =
      format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n",
             counts, escaped(suite), counts);
  for (const TestCase& one : cases) text += case_text(one);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tune::cli
