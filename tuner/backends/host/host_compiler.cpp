// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/host_compiler.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/backends/compiler_messages.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/backends/request_files.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/includes.hpp"

namespace tune::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unit_name = "tune_unit.cpp";
constexpr double question_seconds = 20;
constexpr std::size_t shown_errors = 3, longest_detail = 2000;

/// Raised when the text of a unit or the options change.
constexpr int unit_revision = 2;

/// Unpacks the arguments of any function. `Parameter` and `Entry` are those of the header.
constexpr std::string_view calls = R"(
#include <cstddef>
#include <type_traits>
#include <utility>
namespace tune_calls {
struct Parameter { char kind; unsigned bytes; };
struct Entry { void (*call)(void**); const Parameter* parameters; unsigned count; };
template<class P> constexpr Parameter parameter() {
  using T = std::remove_reference_t<P>;
  return {std::is_reference_v<P> ? 'r' : std::is_pointer_v<T> ? 'p' : std::is_floating_point_v<T> ? 'f'
          : std::is_integral_v<T> || std::is_enum_v<T> ? 'i' : 's', static_cast<unsigned>(sizeof(T))};
}
template<auto function> struct Call;
template<class R, class... P, R (*function)(P...)> struct Call<function> {
  static constexpr Parameter parameters[sizeof...(P) + 1] = {parameter<P>()...};
  template<std::size_t... i> static void unpack(void** arguments, std::index_sequence<i...>) {
    function(*static_cast<std::remove_reference_t<P>*>(arguments[i])...);
  }
  static void call(void** arguments) { unpack(arguments, std::index_sequence_for<P...>()); }
  static constexpr Entry entry = {call, parameters, sizeof...(P)};
};
template<class R, class... P, R (*function)(P...) noexcept> struct Call<function> {
  static void plain(P... arguments) { function(static_cast<P&&>(arguments)...); }
  static constexpr Entry entry = Call<plain>::entry;
};
}
)";

std::string symbol_of(std::size_t entry) {
  return format("tune_entry_{}", entry);
}

std::string unit_of(const CompileRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.defines) text += format("#define {} {}\n", name, value);
  text += format("#include \"{}\"\n", fs::path(request.source.name).filename().string());
  for (const auto& [name, value] : request.defines) text += format("#undef {}\n", name);
  text += calls;
  for (std::size_t i = 0; i < request.entries.size(); ++i)
    text += format(
        "extern \"C\" {{ extern const tune_calls::Entry {0} __attribute__((visibility(\"default\"))); }}\n"
        "const tune_calls::Entry {0} = tune_calls::Call<{1}>::entry;\n",
        symbol_of(i), request.entries[i]);
  return text;
}

/// The first errors, a line each.
std::string first_errors(std::string_view log) {
  std::vector<std::string> errors;
  for (std::string_view rest = log; !rest.empty() && errors.size() < shown_errors;) {
    const std::string_view line = next_line(rest);
    if (line.find("error: ") != std::string_view::npos || line.find("undefined ") != std::string_view::npos)
      errors.emplace_back(trimmed(line));
  }
  return errors.empty() ? std::string(log.substr(0, longest_detail)) : joined(errors, {}, "\n");
}

std::string reason_of(std::string_view log) {
  constexpr std::array own_causes = {Cause{"unknown argument", "option"}, Cause{"bad value", "option"},
                                     Cause{"static assertion failed", "static assertion"}};
  for (const std::span<const Cause> causes : std::array<std::span<const Cause>, 2>{common_causes, own_causes})
    if (std::string reason = cause_in(log, causes); !reason.empty()) return reason;
  const ErrorPlaces errors = errors_in(log, unit_name);
  return errors.in_source ? "syntax" : errors.in_unit ? "entry" : "link";
}

}  // namespace

HostCompiler::HostCompiler(double timeout)
    : program_(cxx_program("TUNE_CXX", "kernels of the processor need")), timeout_(timeout) {
  const ProgramResult answer = run_program({program_, "--version"}, {.seconds = question_seconds});
  std::string_view rest = answer.output;
  version_ = trimmed(next_line(rest));
  if (answer.status != 0 || version_.empty())
    throw Error(format("'{}' does not report its version: name another C++ compiler in TUNE_CXX", program_));
  identity_ = format("{} {} {} unit {}", version_, device_properties().name, content_hash(instruction_sets()),
                     unit_revision);
}

std::optional<std::string> HostCompiler::files_key(const CompileRequest& request) const {
  // Headers of the system belong to the version.
  const auto is_computed = [](const SourceFile& file) { return includes_of(file.text).computed; };
  if (uses_files(request) || is_computed(request.source) || std::ranges::any_of(request.headers, is_computed))
    return std::nullopt;
  return "";
}

Result<Binary> HostCompiler::compile(const CompileRequest& request) const {
  const Stopwatch compiling;
  const std::uint64_t since = cancellations_;
  const ScratchFolder folder("tune-cpu-");
  const fs::path root =
      write_texts(folder.path() / "texts", request, {{std::string(unit_name), unit_of(request)}});
  const fs::path image = folder.path() / "kernel.so";
  std::vector<std::string> words = {program_,       "-shared",
                                    "-fPIC",        "-std=c++17",
                                    "-O3",          "-march=native",
                                    "-fopenmp",     "-fvisibility=hidden",
                                    "-w",           "-fdiagnostics-color=never",
                                    "-Wl,-z,defs",  "-Wl,--build-id=none",
                                    "-I.",          "-o",
                                    image.string(), "-x",
                                    "c++",          std::string(unit_name),
                                    "-x",           "none"};
  // Variants must not share variables.
  if (version_.find("clang") == std::string::npos) words.emplace_back("-fno-gnu-unique");
  for (const std::string& option : with_absolute_folders(request.options)) words.push_back(option);
  ProgramResult result =
      run_program(words, {.temporary = folder.path(), .folder = root, .seconds = timeout_, .stop = [&] {
                            return cancellations_ != since;
                          }});
  if (result.was_stopped) return fail(Phase::compile, "cancelled", "the run ended");
  if (result.took_too_long)
    return fail(Phase::timeout, std::string(slow_compiler),
                format("compiling took longer than {:g} s (--compile-timeout)", timeout_));
  if (result.signal != 0)
    return fail(Phase::compile, "compiler crashed",
                format("{} was killed by signal {}", program_, result.signal));
  if (result.status != 0) return fail(Phase::compile, reason_of(result.output), first_errors(result.output));
  const auto bytes = read_text(image);
  if (!bytes)
    return fail(Phase::compile, "disk", format("the compiler's output cannot be read: {}", bytes.error()));
  const auto span = std::as_bytes(std::span(*bytes));
  Binary binary;
  binary.image.assign(span.begin(), span.end());
  for (std::size_t i = 0; i < request.entries.size(); ++i) binary.symbols[request.entries[i]] = symbol_of(i);
  binary.log = std::move(result.output);
  binary.hash = content_hash(span);
  binary.compiler = version_;
  binary.compile_seconds = compiling.seconds();
  return binary;
}

}  // namespace tune::host
