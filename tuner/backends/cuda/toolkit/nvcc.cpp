// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvcc.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "tuner/backends/compiler_messages.hpp"
#include "tuner/backends/cuda/toolkit/cubin_symbols.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/backends/request_files.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/demangle.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"
#include "tuner/base/scratch_folder.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/plan/device_code.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/hip_runtime.hpp"

namespace tune::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unit_name = "tune_entries.cu";
constexpr std::string_view carrier = "tune_entry";  ///< the kernels that have an entry as template argument
constexpr double question_seconds = 60;             // a slow file system delays the first start

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// True where `carrying`, a demangled name, is that of the kernel that has this function as its argument:
/// `void tune_entry<0, void (float*), &(void scale<4>(float*))>()`, or without parameters for what is no
/// template: `void tune_entry<0, void (float*), &scale>()`.
bool carries(const std::string& carrying, std::size_t number, const std::string& function) {
  if (carrying.ends_with("&(" + function + ")>()") || carrying.ends_with("&" + function + ">()")) return true;
  int depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    depth += function[i] == ')' ? 1 : function[i] == '(' ? -1 : 0;
    if (depth == 0)
      return carrying == format("void {}<{}, void {}, &{}>()", carrier, number, function.substr(i),
                                function.substr(0, i));
  }
  return false;
}

/// Returns the line of a log that has this text; empty where there is none.
std::string line_with(std::string_view log, std::string_view text) {
  while (!log.empty())
    if (const std::string_view line = next_line(log); line.find(text) != std::string_view::npos)
      return std::string(line);
  return {};
}

/// The folders that a compiler of the host searches, from what it prints with -v.
std::vector<std::string> searched_folders(std::string_view log) {
  std::vector<std::string> folders;
  bool listed = false;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    if (line.starts_with("End of search list")) break;
    if (listed && line.starts_with(' ')) folders.emplace_back(trimmed(line));
    listed = listed || line.starts_with("#include <");
  }
  return folders;
}

/// Returns what a failed compile says, with the cause of the machine before the errors of a source.
std::string failure_reason(std::string_view log) {
  constexpr std::array of_host = {Cause{"unsupported GNU version", "host compiler"},
                                  Cause{"unsupported clang version", "host compiler"},
                                  Cause{"Failed to preprocess host compiler", "host compiler"}};
  constexpr std::array own_causes = {Cause{"Unknown option", "option"},
                                     Cause{"nvcc fatal   : Value", "option"},
                                     Cause{"nvcc fatal", "compiler"}};
  for (const std::span<const Cause> causes :
       std::array<std::span<const Cause>, 3>{of_host, common_causes, own_causes})
    if (std::string reason = cause_in(log, causes); !reason.empty()) return reason;
  const ErrorPlaces errors = errors_in(log, unit_name);
  return errors.in_unit && !errors.in_source ? "entry" : compile_failure_reason(log);
}

/// Returns the line in which the host's preprocessor warns of another value for a macro of the request.
std::string redefinition_by_host(std::string_view log, const CompileRequest& request) {
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    const std::size_t begin = line.find("warning: \""), end = line.find("\" redefined");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 10) continue;
    const std::string_view macro = line.substr(begin + 10, end - begin - 10);
    if (std::ranges::any_of(request.defines, [&](const auto& known) { return known.first == macro; }))
      return std::string(line);
  }
  return {};
}

/// The hash of an image without what stands for the temporary folder: its name in tables of lines, and a
/// number in the names of unnamed namespaces.
std::string hash_of(std::vector<std::byte> image, const std::string& folder) {
  constexpr std::string_view mark = "_GLOBAL__N__";
  constexpr std::size_t digits = 8;
  auto* const text = reinterpret_cast<char*>(image.data());
  const std::string_view all(text, image.size());
  const auto blank = [&](std::string_view begin, std::size_t skipped, std::size_t count) {
    for (std::size_t at = all.find(begin); at != std::string_view::npos; at = all.find(begin, at + 1))
      for (std::size_t i = at + skipped; i < std::min(all.size(), at + skipped + count); ++i) text[i] = '0';
  };
  blank(mark, mark.size(), digits);
  blank(folder, 0, folder.size());
  return content_hash(std::span<const std::byte>(image));
}

}  // namespace

constexpr std::string_view missing_text =
    "nvcc was not found: install the CUDA toolkit's compiler (Debian's package of NVIDIA: cuda-nvcc), or set "
    "CUDA_HOME to the toolkit's folder";
const std::string_view nvcc_is_missing = missing_text;

fs::path find_nvcc() {
  std::vector<std::string> candidates;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(variable); !root.empty())
      candidates.push_back(root + "/bin/nvcc");
  candidates.emplace_back("nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const std::string& candidate : candidates)
    if (const std::string found = find_program(candidate); !found.empty()) return fs::absolute(found);
  return {};
}

std::string nvcc_unit(const CompileRequest& request) {
  std::string text;
  // Not as options: nvcc splits their values at commas, and its own headers have parameters named T and N.
  for (const auto& [name, value] : request.defines) text += format("#define {} {}\n", name, value);
  text += format("#include \"{}\"\n", fs::path(request.source.name).filename().string());
  text +=
      format("template<int number, class Function, Function* function> __global__ void {}() {{}}\n", carrier);
  for (std::size_t i = 0; i < request.entries.size(); ++i)
    text +=
        format("template __global__ void {0}<{1}, decltype({2}), {2}>();\n", carrier, i, request.entries[i]);
  return text;
}

std::vector<std::string> functions_in(std::span<const std::byte> image) {
  std::vector<std::string> names;
  for (CubinSymbol& symbol : symbols_in(image))
    if (symbol.is_function) names.push_back(std::move(symbol.name));
  return names;
}

std::map<std::string, std::string> entries_in(const std::vector<std::string>& functions,
                                              const std::vector<std::string>& entries) {
  std::map<std::string, std::string> symbols;
  std::vector<std::string> plain;
  for (const std::string& function : functions) plain.push_back(demangled(function));
  for (std::size_t number = 0; number < entries.size(); ++number) {
    // `extern "C"` names are their own.
    if (std::ranges::find(functions, entries[number]) != functions.end()) {
      symbols[entries[number]] = entries[number];
      continue;
    }
    const std::string begin = format("void {}<{}, ", carrier, number);
    const auto carrying =
        std::ranges::find_if(plain, [&](const std::string& one) { return one.starts_with(begin); });
    if (carrying == plain.end()) continue;
    for (std::size_t i = 0; i < plain.size(); ++i)
      if (carries(*carrying, number, plain[i])) symbols[entries[number]] = functions[i];
  }
  return symbols;
}

NvccCompiler::NvccCompiler(fs::path nvcc, std::string architecture, double timeout)
    : nvcc_(std::move(nvcc)), architecture_(std::move(architecture)), timeout_(timeout) {
  const ProgramResult version = run_program({nvcc_.string(), "--version"}, {.seconds = question_seconds});
  constexpr std::string_view mark = "release ";
  const std::string line = line_with(version.output, mark);
  if (version.status != 0 || line.empty())
    throw Error(
        format("{} does not report its version: reinstall the CUDA toolkit's compiler", nvcc_.string()));
  release_ = line.substr(line.find(mark) + mark.size());
  release_ = release_.substr(0, release_.find(','));
  build_ = line + " " + line_with(version.output, "Build ");
  const ProgramResult known = run_program({nvcc_.string(), "--list-gpu-code"}, {.seconds = question_seconds});
  if (known.status == 0 && line_with(known.output + "\n", architecture_).empty())
    throw Error(format("nvcc {} ({}) cannot compile for `{}`: install another CUDA toolkit", release_,
                       nvcc_.string(), architecture_));
  const fs::path root = fs::canonical(nvcc_).parent_path().parent_path();
  for (const char* const name : {"include", "include/cccl"}) {
    std::error_code error;
    if (fs::is_directory(root / name, error)) toolkit_folders_.push_back((root / name).string());
  }
  const std::string chosen = environment("NVCC_CCBIN");
  const std::string host = chosen.empty() ? "gcc" : chosen;
  if (find_program(host).empty()) return;  // nvcc reports it
  const std::string log =
      run_program({host, "-E", "-x", "c++", "-v", "/dev/null"}, {.seconds = question_seconds}).output;
  host_ = line_with(log, " version ");
  host_folders_ = searched_folders(log);
}

std::string NvccCompiler::version() const {
  return format("nvcc {} {}", release_, architecture_);
}

std::string NvccCompiler::identity() const {
  return format("{} {} host {} {} {} headers {} lambdas", version(), build_, host_,
                environment("NVCC_PREPEND_FLAGS"), environment("NVCC_APPEND_FLAGS"), headers_revision);
}

std::optional<std::string> NvccCompiler::files_key(const CompileRequest& request) const {
  const auto chooses_host = [](const std::string& option) {
    return option.starts_with("-ccbin") || option.starts_with("--compiler-bindir");
  };
  std::optional<FileOptions> options = file_options(request.options);
  if (!options || std::ranges::any_of(request.options, chooses_host)) return std::nullopt;
  for (const auto* const more : {&toolkit_folders_, &host_folders_})
    options->folders.insert(options->folders.end(), more->begin(), more->end());
  options->included.emplace_back("cuda_runtime.h");
  std::vector<std::string> own;
  for (const SourceFile& header : request.headers) own.push_back(header.name);
  for (const auto& [name, text] : hip_headers) own.emplace_back(name);
  return files_.digest(request, options->included, options->folders, own, host_folders_);
}

std::vector<std::string> NvccCompiler::command_of(const CompileRequest& request, const std::string& unit,
                                                  const std::string& image) const {
  std::vector<std::string> words = {nvcc_.string(), "-cubin",
                                    "-arch=" + architecture_ + (request.architecture_specific ? "a" : ""),
                                    "--ptxas-options=-v", "-Wno-deprecated-gpu-targets"};
  if (std::string standard = default_standard(request.options); !standard.empty())
    words.push_back(std::move(standard));
  // It changes nothing else.
  const auto has_lambda = [](const SourceFile& file) { return has_extended_lambda(file.text); };
  if (has_lambda(request.source) || std::ranges::any_of(request.headers, has_lambda))
    words.emplace_back("--extended-lambda");
  for (const std::string& option : with_absolute_folders(request.options)) words.push_back(option);
  words.insert(words.end(), {"-I.", "-o", image, unit});
  return words;
}

Result<Binary> NvccCompiler::compile(const CompileRequest& request) const {
  const Stopwatch compiling;
  const std::uint64_t since = cancellations_;
  const ScratchFolder folder("tune-nvcc-");
  const fs::path temporary = folder.path() / "temporary";
  fs::create_directories(temporary);
  std::vector<SourceFile> own = {{std::string(unit_name), nvcc_unit(request)}};
  for (const auto& [name, text] : hip_headers) own.push_back({std::string(name), std::string(text)});
  const fs::path root = write_texts(folder.path() / "texts", request, own);
  const fs::path image = folder.path() / "image.cubin";
  ProgramResult result =
      run_program(command_of(request, std::string(unit_name), image.string()),
                  {.temporary = temporary, .folder = root, .seconds = timeout_, .stop = [&] {
                     return cancellations_ != since;
                   }});
  if (result.was_stopped) return fail(Phase::compile, "cancelled", "the run ended");
  if (result.took_too_long)
    return fail(Phase::timeout, std::string(slow_compiler),
                format("compiling took longer than {:g} s (--compile-timeout)", timeout_));
  if (result.signal != 0)
    return fail(Phase::compile, "compiler crashed", format("nvcc was killed by signal {}", result.signal));
  Binary binary;
  binary.log = std::move(result.output);
  if (result.status != 0)
    return fail(Phase::compile, failure_reason(binary.log), compile_failure_detail(binary.log, request));
  for (const std::string& line :
       {redefinition_in(binary.log, request), redefinition_by_host(binary.log, request)})
    if (!line.empty()) return fail(Phase::compile, std::string(redefined_macro), line);
  const auto bytes = read_text(image);
  if (!bytes) return fail(Phase::compile, "disk", format("nvcc's output cannot be read: {}", bytes.error()));
  const auto span = std::as_bytes(std::span(*bytes));
  binary.image.assign(span.begin(), span.end());
  binary.symbols = entries_in(functions_in(binary.image), request.entries);
  const auto kernels = parse_ptxas_log(binary.log);
  for (const std::string& entry : request.entries) {
    const auto symbol = binary.symbols.find(entry);
    if (symbol == binary.symbols.end())
      return fail(Phase::compile, "entry", format("nvcc's output has no kernel `{}`", entry));
    if (const auto found = kernels.find(symbol->second); found != kernels.end())
      binary.resources[entry] = found->second;
  }
  binary.hash = hash_of(binary.image, folder.path().string());
  binary.compiler = version();
  binary.compile_seconds = compiling.seconds();
  return binary;
}

std::unique_ptr<Compiler> make_nvcc_compiler(const std::string& architecture, std::string* failure_reason,
                                             double timeout) {
  const fs::path nvcc = find_nvcc();
  try {
    if (!nvcc.empty()) return std::make_unique<NvccCompiler>(nvcc, architecture, timeout);
    if (failure_reason != nullptr) *failure_reason = nvcc_is_missing;
  } catch (const Error& error) {
    if (failure_reason != nullptr) *failure_reason = error.what();
  }
  return nullptr;
}

}  // namespace tune::cuda
