// SPDX-License-Identifier: Apache-2.0
#include "cli/output/junit.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// For an attribute: XML allows no other control characters at all, escaped or not.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string case_text(const TestCase& one) {
  std::string text = format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(one.group),
                            escaped(one.name), one.seconds);
  if (one.failure)
    return text + format(">\n      <failure message=\"{}\"/>\n    </testcase>\n", escaped(*one.failure));
  if (one.skipped)
    return text + format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(*one.skipped));
  return text + "/>\n";
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
