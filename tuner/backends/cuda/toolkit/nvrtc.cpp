// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tuner/backends/cuda/toolkit/shared_object.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/plan/constant_memory.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::cuda {
namespace {

bool find_functions(NvrtcLibrary& nvrtc) {
  const auto& object = nvrtc.handle;
  return find_symbol(object, "nvrtcGetErrorString", nvrtc.get_error_string) &&
         find_symbol(object, "nvrtcVersion", nvrtc.version) &&
         find_symbol(object, "nvrtcGetNumSupportedArchs", nvrtc.get_num_supported_archs) &&
         find_symbol(object, "nvrtcGetSupportedArchs", nvrtc.get_supported_archs) &&
         find_symbol(object, "nvrtcCreateProgram", nvrtc.create_program) &&
         find_symbol(object, "nvrtcDestroyProgram", nvrtc.destroy_program) &&
         find_symbol(object, "nvrtcAddNameExpression", nvrtc.add_name_expression) &&
         find_symbol(object, "nvrtcCompileProgram", nvrtc.compile_program) &&
         find_symbol(object, "nvrtcGetLoweredName", nvrtc.get_lowered_name) &&
         find_symbol(object, "nvrtcGetProgramLogSize", nvrtc.get_program_log_size) &&
         find_symbol(object, "nvrtcGetProgramLog", nvrtc.get_program_log) &&
         find_symbol(object, "nvrtcGetCUBINSize", nvrtc.get_cubin_size) &&
         find_symbol(object, "nvrtcGetCUBIN", nvrtc.get_cubin);
}

/// At the first compilation NVRTC opens its builtins by name, which works only in the loader's folders.
/// Opening them here by full path makes that succeed. They are never closed, as with NVRTC itself.
void preload_builtins(const NvrtcLibrary& nvrtc) {
  Dl_info where{};
  int major = 0;
  int minor = 0;
  if (dladdr(reinterpret_cast<void*>(nvrtc.version), &where) == 0 || where.dli_fname == nullptr) return;
  if (nvrtc.version(&major, &minor) != nvrtc_success) return;
  const auto folder = std::filesystem::path(where.dli_fname).parent_path();
  const auto file = folder / format("libnvrtc-builtins.so.{}.{}", major, minor);
  std::error_code error;
  if (std::filesystem::exists(file, error)) dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

/// Returns the build id in a segment of notes (each: sizes of name and content, a type, then both, in words
/// of 4 bytes) as hexadecimal digits; empty where there is none.
std::string build_id_in(std::span<const unsigned char> notes) {
  const auto whole_words = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof(note)) {
    std::memcpy(&note, notes.data(), sizeof(note));
    const std::size_t content = sizeof(note) + whole_words(note.n_namesz);
    const std::size_t end = content + whole_words(note.n_descsz);
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + sizeof(note), "GNU", 4) == 0) {
      std::string text;
      for (const unsigned char byte : notes.subspan(content, note.n_descsz)) text += format("{:02x}", byte);
      return text;
    }
    notes = notes.subspan(end);
  }
  return "";
}

/// Returns the build id of the loaded object that `address` lies in.
std::string build_id_at(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    std::string found;
  } search{address, {}};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
    bool holds = false;
    for (const auto& header : headers)
      holds |=
          header.p_type == PT_LOAD && wanted.address - object->dlpi_addr - header.p_vaddr < header.p_memsz;
    if (!holds) return 0;
    for (const auto& header : headers)
      if (header.p_type == PT_NOTE && wanted.found.empty())
        wanted.found = build_id_in(
            {reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr), header.p_memsz});
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

/// Returns the number right before `unit` in `line`: 12 for ("Used 12 registers", " registers").
std::optional<int> number_before(std::string_view line, std::string_view unit) {
  const auto end = line.find(unit);
  if (end == std::string_view::npos) return std::nullopt;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  const auto [rest, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (begin == end || error != std::errc{} || rest != line.data() + end) return std::nullopt;
  return value;
}

/// Returns the text between `prefix` and `stop` in `line`.
std::optional<std::string_view> text_after(std::string_view line, std::string_view prefix, char stop) {
  const auto at = line.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  const auto text = line.substr(at + prefix.size());
  return text.substr(0, text.find(stop));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Owns an NVRTC program.
class Program {
 public:
  Program(const NvrtcLibrary& nvrtc, const CompileRequest& request) : nvrtc_(nvrtc) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    const OtherHeaders others = other_headers(request, nvrtc.path);
    for (const auto* const headers : {&request.headers, &others.texts})
      for (const auto& header : *headers) {
        texts.push_back(header.text.c_str());
        names.push_back(header.name.c_str());
      }
    check(nvrtc_.create_program(&program_, request.source.text.c_str(), request.source.name.c_str(),
                                static_cast<int>(texts.size()), texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtc_.destroy_program(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcProgram get() const { return program_; }

  std::string log() const {
    std::size_t size = 0;
    check(nvrtc_.get_program_log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    if (size != 0) check(nvrtc_.get_program_log(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  std::vector<std::byte> image() const {
    std::size_t size = 0;
    check(nvrtc_.get_cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::vector<std::byte> bytes(size);
    check(nvrtc_.get_cubin(program_, reinterpret_cast<char*>(bytes.data())), "nvrtcGetCUBIN");
    return bytes;
  }

  std::string lowered_name(const std::string& entry) const {
    const char* lowered = nullptr;
    check(nvrtc_.get_lowered_name(program_, entry.c_str(), &lowered), "nvrtcGetLoweredName");
    return lowered;
  }

  void check(int status, std::string_view function) const {
    if (status != nvrtc_success)
      throw Error(format("{} failed: {}", function, nvrtc_.get_error_string(status)));
  }

 private:
  const NvrtcLibrary& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

std::string NvrtcLibrary::build() const {
  if (std::string id = build_id_at(reinterpret_cast<std::uintptr_t>(version)); !id.empty()) return id;
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(version), &where) == 0 || where.dli_fname == nullptr) return "";
  std::error_code error;
  const auto size = std::filesystem::file_size(where.dli_fname, error);
  if (error) return "";
  const auto written = std::filesystem::last_write_time(where.dli_fname, error);
  return error ? "" : format("{}-{}", size, written.time_since_epoch().count());
}

int driver_cuda_major() {
  const auto driver = open_shared_object("libcuda.so.1");
  int (*get_version)(int* version) = nullptr;
  int version = 0;
  if (driver == nullptr || !find_symbol(driver, "cuDriverGetVersion", get_version)) return 0;
  return get_version(&version) == 0 ? version / 1000 : 0;
}

std::vector<std::string> nvrtc_candidates(int driver_major) {
  if (driver_major == 0 || driver_major >= 13)
    return toolkit_candidates({"libnvrtc.so.13", "libnvrtc.so.12"});
  std::vector<std::string> candidates = toolkit_candidates({"libnvrtc.so.12"});
  std::ranges::copy(toolkit_candidates({"libnvrtc.so.13"}), std::back_inserter(candidates));
  return candidates;
}

std::shared_ptr<const NvrtcLibrary> open_nvrtc(std::string* failure_reason,
                                               const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    auto nvrtc = std::make_shared<NvrtcLibrary>();
    nvrtc->path = candidate;
    nvrtc->handle = open_shared_object(candidate);
    if (nvrtc->handle == nullptr || !find_functions(*nvrtc)) continue;
    preload_builtins(*nvrtc);
    return nvrtc;
  }
  if (failure_reason != nullptr)
    *failure_reason =
        "NVRTC (libnvrtc.so.13 or libnvrtc.so.12) was not found: install the CUDA toolkit's NVRTC, or set "
        "CUDA_HOME to the toolkit's folder";
  return nullptr;
}

std::string default_standard(const std::vector<std::string>& options) {
  const bool is_named = std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  });
  return is_named ? "" : "-std=c++17";
}

std::map<std::string, KernelResources> parse_ptxas_log(std::string_view log) {
  std::map<std::string, KernelResources> kernels;
  std::string_view described;  // the kernel or device function of the next line's stack frame and spills
  KernelResources* compiled = nullptr;  // the kernel of the next line's registers
  while (!log.empty()) {
    const auto line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (const auto name = text_after(line, "Compiling entry function '", '\'')) {
      compiled = &kernels[std::string(*name)];
    } else if (const auto function = text_after(line, "Function properties for ", ' ')) {
      described = *function;
    } else if (const auto frame = number_before(line, " bytes stack frame")) {
      const auto kernel = kernels.find(std::string(described));
      if (kernel == kernels.end()) continue;
      kernel->second.local_bytes = *frame;
      kernel->second.spill_store_bytes = number_before(line, " bytes spill stores").value_or(0);
      kernel->second.spill_load_bytes = number_before(line, " bytes spill loads").value_or(0);
    } else if (const auto registers = number_before(line, " registers"); registers && compiled) {
      compiled->registers = *registers;
      compiled->static_shared_memory = number_before(line, " bytes smem").value_or(0);
    }
  }
  return kernels;
}

constexpr std::string_view too_much_constant_data = "uses too much global constant data (";

std::string compile_failure_detail(std::string_view log, const CompileRequest& request) {
  const std::size_t found = log.find(too_much_constant_data);
  if (found == std::string_view::npos) return std::string(log);
  const auto number_at = [&](std::size_t begin) {
    std::uint64_t value = 0;
    if (log.substr(begin).starts_with("0x")) begin += 2;
    std::from_chars(log.data() + begin, log.data() + log.size(), value, 16);
    return value;
  };
  const std::size_t first = found + too_much_constant_data.size(), comma = log.find(", ", first);
  if (comma == std::string_view::npos) return std::string(log);
  return beyond_constant_memory(request, number_at(first), number_at(comma + 2)).detail;
}

std::string compile_failure_reason(std::string_view log) {
  // The first match names the cause: a missing entry is also an undefined identifier.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> causes{{
      {"uses too much shared data", "static shared memory"},
      {too_much_constant_data, constant_memory},
      {"open source file", "missing header"},  // NVRTC writes both "could not" and "cannot"
      {"static assertion failed", "static assertion"},
      {"parsing name expression", "entry"},
      {"nvrtc: error: invalid value for", "option"},
      {"nvrtc: error: unrecognized option", "option"},
      {"ptxas error", "compiler"},
      {": error: ", "syntax"},
  }};
  for (const auto& [text, reason] : causes)
    if (contains(log, text)) return std::string(reason);
  return "compiler";
}

std::string redefinition_in(std::string_view log, const CompileRequest& request) {
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    const auto macro = text_after(line, "redefinition of macro \"", '"');
    if (macro &&
        std::ranges::any_of(request.defines, [&](const auto& known) { return known.first == *macro; }))
      return std::string(line);
  }
  return {};
}

struct NvrtcCompiler::Outcome {
  int status = nvrtc_success;
  Binary binary;
};

NvrtcCompiler::NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, std::string architecture)
    : nvrtc_(std::move(nvrtc)), architecture_(std::move(architecture)) {
  if (nvrtc_->version(&major_, &minor_) != nvrtc_success)
    throw Error(format("{} does not report its version: reinstall the CUDA toolkit's NVRTC", nvrtc_->path));
  check_architecture();
}

void NvrtcCompiler::check_architecture() const {
  int count = 0;
  if (nvrtc_->get_num_supported_archs(&count) != nvrtc_success || count <= 0) return;
  std::vector<int> known(static_cast<std::size_t>(count));
  if (nvrtc_->get_supported_archs(known.data()) != nvrtc_success) return;
  int wanted = 0;
  if (architecture_.starts_with("sm_"))
    std::from_chars(architecture_.data() + 3, architecture_.data() + architecture_.size(), wanted);
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return;
  const auto name_of = [](int number) { return format("sm_{}", number); };
  throw Error(format("NVRTC {}.{} ({}) cannot compile for `{}`, only for {}: install another CUDA toolkit",
                     major_, minor_, nvrtc_->path, architecture_, joined(known, name_of)));
}

std::string NvrtcCompiler::version() const {
  return format("NVRTC {}.{} {}", major_, minor_, architecture_);
}

std::string NvrtcCompiler::identity() const {
  std::string text = format("{} build {}", version(), nvrtc_->build());
  for (const std::string& option : options_of({}, true)) text += " " + option;
  return format("{} headers {}", text, headers_revision);
}

std::vector<std::string> NvrtcCompiler::options_of(const CompileRequest& request, bool verbose) const {
  std::vector<std::string> options{"--gpu-architecture=" + architecture_ +
                                   (request.architecture_specific ? "a" : "")};
  if (std::string standard = default_standard(request.options); !standard.empty())
    options.push_back(std::move(standard));
  // Without this NVRTC would look for missing headers in the working directory. Headers on disk include those
  // beside them that way; then other_headers has reports of absence.
  const OtherHeaders headers = other_headers(request, nvrtc_->path);
  const std::vector<std::string>& folders = headers.folders;
  if (!uses_files(request) && folders.empty()) options.emplace_back("--no-source-include");
  for (const auto& [name, value] : request.defines)
    options.push_back(format("--define-macro={}={}", name, value));
  for (const std::string& name : headers.first) options.push_back("--pre-include=" + name);
  options.insert(options.end(), request.options.begin(), request.options.end());
  for (const std::string& folder : folders) options.push_back("--include-path=" + folder);
  // From 12.9 on NVRTC keeps its results in the driver's cache on disk, without their logs: the second run of
  // a program would miss registers and spills.
  if (major_ > 12 || (major_ == 12 && minor_ >= 9)) options.emplace_back("--no-cache");
  if (verbose) options.emplace_back("--ptxas-options=-v");
  return options;
}

std::optional<std::string> NvrtcCompiler::files_key(const CompileRequest& request) const {
  std::optional<FileOptions> options = file_options(request.options);
  if (!options) return std::nullopt;
  const OtherHeaders others = other_headers(request, nvrtc_->path);
  std::ranges::copy(others.folders, std::back_inserter(options->folders));
  std::ranges::copy(others.included, std::back_inserter(options->included));
  std::vector<std::string> own;
  for (const SourceFile& header : request.headers) own.push_back(header.name);
  for (const SourceFile& header : others.texts) own.push_back(header.name);
  return files_.digest(request, options->included, options->folders, own);
}

NvrtcCompiler::Outcome NvrtcCompiler::attempt(const CompileRequest& request, bool verbose) const {
  const Program program(*nvrtc_, request);
  // An extern "C" name is also a valid expression and its own lowered name. A missing entry becomes an error
  // of the compilation.
  for (const auto& entry : request.entries)
    program.check(nvrtc_->add_name_expression(program.get(), entry.c_str()), "nvrtcAddNameExpression");
  const auto options = options_of(request, verbose);
  std::vector<const char*> arguments;
  for (const auto& option : options) arguments.push_back(option.c_str());

  Outcome outcome;
  outcome.status =
      nvrtc_->compile_program(program.get(), static_cast<int>(arguments.size()), arguments.data());
  outcome.binary.log = program.log();
  if (outcome.status != nvrtc_success) return outcome;
  outcome.binary.image = program.image();
  for (const auto& entry : request.entries) outcome.binary.symbols[entry] = program.lowered_name(entry);
  return outcome;
}

Result<Binary> NvrtcCompiler::compile(const CompileRequest& request) const {
  const Stopwatch compiling;
  auto outcome = attempt(request, true);
  if (outcome.status != nvrtc_success) {
    // With -v the log of some failures (static shared memory beyond 48 KiB) lacks the error.
    const auto quiet = attempt(request, false);
    const auto& log =
        quiet.status == nvrtc_success || quiet.binary.log.empty() ? outcome.binary.log : quiet.binary.log;
    return fail(
        Phase::compile, compile_failure_reason(log),
        log.empty() ? nvrtc_->get_error_string(outcome.status) : compile_failure_detail(log, request));
  }
  auto& binary = outcome.binary;
  if (const std::string line = redefinition_in(binary.log, request); !line.empty())
    return fail(Phase::compile, std::string(redefined_macro), line);
  const auto kernels = parse_ptxas_log(binary.log);
  for (const auto& [entry, symbol] : binary.symbols)
    if (const auto found = kernels.find(symbol); found != kernels.end())
      binary.resources[entry] = found->second;
  binary.hash = content_hash(std::span<const std::byte>(binary.image));
  binary.compiler = version();
  binary.compile_seconds = compiling.seconds();
  return std::move(binary);
}

std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture, std::string* failure_reason) {
  const auto nvrtc = open_nvrtc(failure_reason);
  if (nvrtc == nullptr) return nullptr;
  try {
    return std::make_unique<NvrtcCompiler>(nvrtc, architecture);
  } catch (const Error& error) {
    if (failure_reason != nullptr) *failure_reason = error.what();
    return nullptr;
  }
}

std::string toolkit_text() {
  std::string failure_reason;
  const auto nvrtc = open_nvrtc(&failure_reason);
  if (!nvrtc) return format("no NVRTC: {}", failure_reason);
  int major = 0;
  int minor = 0;
  if (nvrtc->version(&major, &minor) != nvrtc_success)
    return format("NVRTC of unknown version in {}", nvrtc->path);
  return format("NVRTC {}.{} in {}", major, minor, nvrtc->path);
}

}  // namespace tune::cuda
