// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/readable_errors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <set>
#include <vector>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::cuda {
namespace {

constexpr std::size_t shown = 3,
                      named = 12;     // errors with their lines, and without; others follow from these
constexpr std::size_t longest = 400;  // of a line: names of instances of templates have thousands of letters

/// What a line of a log begins; lines that begin nothing belong to the message before them.
enum class Begins { nothing, error, other };

Begins beginning_of(std::string_view line) {
  constexpr std::array<std::string_view, 11> errors = {
      "): error",     "): catastrophic error", ": error:",         ": fatal error:",
      "ptxas error",  "ptxas fatal",           "nvcc fatal",       "nvcc error",
      "nvrtc: error", "nvlink error",          "In file included "};
  constexpr std::array<std::string_view, 12> others = {"): warning",
                                                       "): remark",
                                                       ": warning:",
                                                       ": note:",
                                                       "ptxas info",
                                                       "ptxas warn",
                                                       "nvcc warning",
                                                       "nvrtc: warning",
                                                       "Remark: The",
                                                       "Compilation ",
                                                       " detected in the compilation of ",
                                                       "compilation terminated"};
  const auto has = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  if (line.starts_with("          detected ")) return Begins::nothing;  // "detected during instantiation"
  if (std::ranges::any_of(errors, has)) return Begins::error;
  return std::ranges::any_of(others, has) ? Begins::other : Begins::nothing;
}

/// The line of the request's file at which `k.cu(6): error: ...` points; empty for other files and messages.
std::string_view line_of_file(std::string_view message, const CompileRequest& request) {
  const std::size_t open = message.find('('), close = message.find("): ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::size_t number = 0;
  const auto read = std::from_chars(message.data() + open + 1, message.data() + close, number);
  if (read.ptr != message.data() + close || number == 0) return {};
  const auto name = std::filesystem::path(message.substr(0, open)).filename();
  const auto is_named = [&](const SourceFile& file) {
    return std::filesystem::path(file.name).filename() == name;
  };
  const auto header = std::ranges::find_if(request.headers, is_named);
  const SourceFile* const file = is_named(request.source)          ? &request.source
                                 : header == request.headers.end() ? nullptr
                                                                   : &*header;
  if (file == nullptr) return {};
  std::string_view rest = file->text, line;
  for (std::size_t i = 0; i < number; ++i) {
    if (rest.empty()) return {};
    line = next_line(rest);
  }
  return line;
}

std::string shortened(std::string_view line) {
  return line.size() <= longest ? format("{}\n", line) : format("{} ...\n", line.substr(0, longest));
}

/// One message: what is wrong, the file's own line, and of the instances of templates that lead there the
/// last one, which is the user's.
std::string readable(const std::vector<std::string_view>& lines, const CompileRequest& request) {
  const auto is_instance = [](std::string_view line) { return line.starts_with("          "); };
  std::string text = shortened(trimmed(lines.front()));
  const std::string_view own = trimmed(line_of_file(lines.front(), request));
  const bool is_changed = lines.size() > 1 && !own.empty() && trimmed(lines[1]) != own;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (is_changed && i == 1)
      text += shortened(format("  {}", own));
    else if (trimmed(lines[i]) == "^" ? !is_changed && lines[i].size() <= longest
                                      : !is_instance(lines[i]) || i + 1 == lines.size())
      text += shortened(lines[i]);
  }
  return text;
}

/// What the user can do about an error that asks for an option.
std::string cure_of(std::string_view log) {
  constexpr std::string_view option = "--expt-relaxed-constexpr";
  return log.find(format("flag '{}'", option)) == std::string_view::npos
             ? ""
             : format("or add {} to the options of the kernel\n", option);
}

}  // namespace

std::string readable_errors(std::string_view log, const CompileRequest& request) {
  std::vector<std::vector<std::string_view>> errors;
  bool in_error = false, in_context = false;  // the files that included the one with the next error
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const Begins begins = beginning_of(line);
    if (begins != Begins::nothing) {
      in_error = begins == Begins::error;
      if (in_error && !in_context) errors.emplace_back();
      in_context = in_error && line.starts_with("In file included ");
    }
    if (in_error && !trimmed(line).empty()) errors.back().push_back(line);
  }
  if (errors.empty()) return std::string(log);
  std::string text;
  std::set<std::string_view> messages;
  std::size_t left_out = 0;
  for (const auto& lines : errors) {
    const std::string_view message =
        lines.front().substr(std::min(lines.front().size(), lines.front().find(": ")));
    if (messages.size() >= named || !messages.insert(message).second)
      ++left_out;
    else
      text += messages.size() <= shown ? readable(lines, request) : shortened(trimmed(lines.front()));
  }
  if (left_out > 0) text += format("and {} more error{}\n", left_out, left_out == 1 ? "" : "s");
  text += cure_of(log);
  text.pop_back();
  return text;
}

}  // namespace tune::cuda
