// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/includes.hpp"

#include <gtest/gtest.h>

#include "tuner/base/stopwatch.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {
namespace {

/// `<a> "b"`, and `macro`.
std::string text_of(const Includes& includes) {
  std::string text;
  for (const Include& include : includes.files)
    text += include.quoted ? "\"" + include.name + "\" " : "<" + include.name + "> ";
  return text + (includes.computed ? "macro" : "");
}

TEST(Includes, InAllSpellings) {
  const auto found = [](std::string_view text) { return text_of(includes_of(text)); };
  EXPECT_EQ(found("#include <a.h>\n  #  include \"b.h\" // text\n"), "<a.h> \"b.h\" ");
  EXPECT_EQ(found("#/* text */include/* more */<a.h>"), "<a.h> ");
  EXPECT_EQ(found("/* text */ #include <a.h>\n#\\\n include \\\r\n<b.h>"), "<a.h> <b.h> ");
  EXPECT_EQ(found("#include_next <a.h>\n#import \"b.h\"\n"), "<a.h> \"b.h\" ");
  EXPECT_EQ(found("#if defined(X) && __has_include(<a.h>) || __has_include ( \"b.h\" )\n"), "<a.h> \"b.h\" ");
  EXPECT_EQ(found("#define NAME <a.h>\n#include NAME\n"), "macro");
  EXPECT_EQ(found("#include\n#include <a.h\n#includes <b.h>\n#define x #y\n#"), "");
}

TEST(Includes, BehindCommentsCountOnce) {
  const auto found = [](std::string_view text) { return text_of(includes_of(text)); };
  EXPECT_EQ(found("#/* #/* #/* text */ include /* #include */ <a.h>"), "<a.h> ");
  EXPECT_EQ(found("#/*#/**//*#/**/include<a.h>\n#/* */ /* # */ include \"b.h\" "), "<a.h> \"b.h\" ");
  EXPECT_EQ(found("__has_include__has_include/**/(/*__has_include*/<a.h>)"), "<a.h> ");
  EXPECT_EQ(found("#include <a.h /* \n */>\n#/* without an end"), "");
}

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

// The first took more than a minute where every `#` looked at the rest of the text.
TEST(Includes, AreFoundInLinearTime) {
  constexpr std::size_t bytes = 400'000;
  for (const std::string_view part : {"#/*", "#/**/", "#/*#/**//*", "#include<", "#include/*",
                                      "__has_include", "__has_include/*", "#include \"", "# #\\\n/**/"}) {
    const Stopwatch time;
    includes_of(repeated(part, bytes));
    includes_of(repeated(part, bytes) + "*/include " + repeated("a", bytes));
    EXPECT_LT(time.seconds(), 5) << part;
  }
}

TEST(Includes, SelfContainedRequests) {
  CompileRequest request;
  request.source = {"lib/a.cu", "#include \"b.cuh\"\n"};
  request.headers = {{"b.cuh", "#include <c.cuh>"}, {"c.cuh", ""}};
  EXPECT_TRUE(is_self_contained(request));
  request.headers[1].text = "#include <cuda_fp16.h>";
  EXPECT_FALSE(is_self_contained(request));
  request.headers[1].text = "#include NAME";
  EXPECT_FALSE(is_self_contained(request));
  request.headers[1].text = "";
  request.options = {"-I/usr/include"};
  EXPECT_FALSE(is_self_contained(request));
}

}  // namespace
}  // namespace tune
