// SPDX-License-Identifier: Apache-2.0
#include "cli/new/drafting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <streambuf>

#include "cli/check/check_definition.hpp"
#include "cli/input/command.hpp"
#include "cli/output/printable_output.hpp"
#include "library/run/gpu.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

constexpr double longest_compile = 10;  ///< seconds; a first definition is not to be waited for

/// Returns the names in `identifier "X" is undefined` of NVRTC's log.
std::vector<std::string> undefined_in(const std::string& log) {
  constexpr std::string_view before = "identifier \"", behind = "\" is undefined";
  std::vector<std::string> names;
  for (std::size_t at = log.find(before); at != std::string::npos; at = log.find(before, at + 1)) {
    const std::size_t begin = at + before.size(), end = log.find('"', begin);
    if (end != std::string::npos && log.compare(end, behind.size(), behind) == 0)
      names.push_back(log.substr(begin, end - begin));
  }
  return names;
}

/// Keeps what is written to standard output, which shows it all the same where it is not for a program.
class CopiedOutput : public std::streambuf {
 public:
  explicit CopiedOutput(Format format) : shows_(format == Format::text), shown_(std::cout.rdbuf(this)) {}
  ~CopiedOutput() override { std::cout.rdbuf(shown_); }
  CopiedOutput(const CopiedOutput&) = delete;
  CopiedOutput& operator=(const CopiedOutput&) = delete;
  const std::string& text() const { return text_; }

 protected:
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    text_ += traits_type::to_char_type(letter);
    return shows_ ? shown_->sputc(text_.back()) : letter;
  }
  std::streamsize xsputn(const char* letters, std::streamsize count) override {
    text_.append(letters, static_cast<std::size_t>(count));
    return shows_ ? shown_->sputn(letters, count) : count;
  }
  int sync() override { return shown_->pubsync(); }

 private:
  bool shows_;
  std::streambuf* shown_;
  std::string text_;
};

/// Gives an array that the definition has as `write` contents instead, and marks the line. False where it has
/// none of that name.
bool give_contents(described::FirstDefinition& definition, const std::string& array) {
  const std::string name = format("\n    \"{}\": {{", array), write = "\"access\": \"write\"";
  const std::size_t begin = definition.json.find(name);
  if (begin == std::string::npos) return false;
  const std::size_t end = definition.json.find('\n', begin + 1), at = definition.json.find(write, begin);
  if (at == std::string::npos || at > end) return false;
  const std::string guess = "only a part of it is written", mark = "// TODO: ";
  std::string line = definition.json.substr(begin, end - begin);
  const bool is_marked = line.find(mark) != std::string::npos;
  line.replace(at - begin, write.size(), R"("access": "both", "fill": 0)");
  line += (is_marked ? "; " : "  " + mark) + guess;
  definition.json.replace(begin, end - begin, line);
  const int number =
      static_cast<int>(std::count(definition.json.begin(),
                                  definition.json.begin() + static_cast<std::ptrdiff_t>(begin) + 1, '\n')) +
      1;
  const auto known = std::ranges::find_if(definition.guesses,
                                          [&](const described::Guess& one) { return one.line >= number; });
  if (is_marked && known != definition.guesses.end() && known->line == number)
    known->text += "; " + guess;
  else
    definition.guesses.insert(known, {number, array, guess});
  return true;
}

/// Runs some configurations of the definition as `tune check` does. What it finds is no failure of `tune
/// new`. Adds to `partly_written` the arrays that have elements without a value in the reference too. False
/// where the user ended it.
bool check_on_emulator(const std::string& definition, const std::string& timeout,
                       std::set<std::string>& partly_written) {
  try {
    const int status = check_definition(definition, timeout, [&](const emulator::Finding& finding) {
      if (finding.no_reference) partly_written.insert(finding.array);
    });
    return status != static_cast<int>(Exit::interrupted);
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
    return error.exit() != Exit::interrupted;
  } catch (const std::invalid_argument& error) {  // of an expression or a space
    std::cout << error.what() << '\n';
  }
  return true;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  const std::error_code error =
      replace_file(path, [&](const std::filesystem::path& to) { return write_bytes(to, text); });
  if (error) throw Error(format("cannot write {}: {}", path.string(), error.message()));
  std::cout << format("wrote {}\n", path.string());
}

}  // namespace

described::UndefinedNames ask_compiler(const described::KernelText& text) {
  std::shared_ptr<Compiler> compiler;
  try {
    compiler = run::open_compiler("sm_90", false, longest_compile);
  } catch (const Error&) {
    return {};
  }
  const auto given_up = std::make_shared<bool>(false);
  return [compiler, text,
          given_up](const described::MacroValues& defines) -> std::optional<std::vector<std::string>> {
    if (*given_up) return std::nullopt;
    CompileRequest request{text.source, text.headers, {}, {}, {}};
    for (const auto& [name, value] : defines) request.defines.emplace_back(name, value);
    std::vector<std::string> all;
    constexpr int max_rounds = 10;  // an answer has some names, not all
    for (int round = 0; round < max_rounds; ++round) {
      const Result<Binary> binary = compiler->compile(request);
      if (binary) return all;
      if (binary.error().phase == Phase::timeout) {
        *given_up = true;
        say(format("NVRTC takes more than {:g} s for this file: undefined names are not searched",
                   longest_compile));
        return std::nullopt;
      }
      const std::size_t known = all.size();
      for (const std::string& name : undefined_in(binary.error().detail))
        if (std::ranges::find(all, name) == all.end()) {
          all.push_back(name);
          request.defines.emplace_back(name, "1");
        }
      if (known == all.size()) break;
    }
    return std::nullopt;  // other errors hide names
  };
}

std::string name_from(const std::filesystem::path& folder, const std::filesystem::path& kernel) {
  std::error_code error;
  const std::filesystem::path relative =
      std::filesystem::proximate(kernel, folder.empty() ? "." : folder, error);
  return error ? std::filesystem::absolute(kernel).string() : relative.string();
}

std::string read_source(const std::string& name) {
  auto text = read_text(name);
  if (!text) throw UsageError(format("cannot read {}: {}: check its name", name, text.error()));
  return without_byte_order_mark(std::move(*text));
}

std::filesystem::path definition_beside(const std::filesystem::path& source, const std::string& wanted) {
  std::filesystem::path out = wanted;
  if (out.empty())
    out = std::filesystem::path(source).replace_extension(source.extension() == ".json" ? ".tune.json"
                                                                                        : ".json");
  refuse_existing(out);
  return out;
}

void refuse_existing(const std::filesystem::path& path) {
  if (path != "-" && std::filesystem::exists(path))
    throw UsageError(format("{} exists already; name another file with --out", path.string()));
}

namespace {

/// As check_on_emulator, and once more where that shows that the kernel writes only a part of an array.
bool check_and_correct(described::FirstDefinition& definition, const NewFiles& files) {
  const std::string out = files.definition.string();
  std::cout << "check of some configurations on the emulator:\n" << std::flush;
  std::set<std::string> arrays;
  if (!check_on_emulator(out, files.timeout, arrays)) return false;
  std::erase_if(arrays, [&](const std::string& array) { return !give_contents(definition, array); });
  if (arrays.empty()) return true;
  std::cout << format(
      "the kernel writes only a part of '{}', so the definition fills it first; second check:\n",
      joined(arrays, {}, "', '"));
  write_file(files.definition, definition.json);
  return check_on_emulator(out, files.timeout, arrays);
}

}  // namespace

void write_definition(described::FirstDefinition definition, const NewFiles& files, bool no_check) {
  const std::string out = files.definition.string();
  std::optional<CopiedOutput> copy(std::in_place, files.format);
  if (files.kernel) write_file(files.kernel->name, files.kernel->text);
  write_file(files.definition, definition.json);
  for (const std::string& note : files.notes) std::cout << note << '\n';
  if (!definition.missing.empty())
    std::cout << format("it cannot be checked yet: {}\n", joined(definition.missing, {}, "; "));
  else if (!no_check && !check_and_correct(definition, files))
    throw Error(format("interrupted: {} is written, but not checked completely", out), Exit::interrupted);
  if (definition.guesses.empty())
    std::cout << "nothing is left to review: no line is a guess\n";
  else
    std::cout << format("review these lines, marked TODO in {}:\n", out);
  for (const described::Guess& guess : definition.guesses)
    std::cout << format("  line {}, {}: {}\n", guess.line, guess.name, guess.text);
  std::cout << format(
      "then:\n  tune check --problem {0} --device emulator --sample 5\n  tune --problem {0} --device 0\n",
      shell_quoted(out));
  const std::string told = copy->text();
  copy.reset();
  if (files.format == Format::text) return;
  nlohmann::ordered_json guesses = nlohmann::ordered_json::array();
  for (const described::Guess& guess : definition.guesses)
    guesses.push_back({{"line", guess.line}, {"name", guess.name}, {"guess", guess.text}});
  std::cout << json_text({{"definition", out},
                          {"kernel", files.kernel ? nlohmann::ordered_json(files.kernel->name) : nullptr},
                          {"notes", files.notes},
                          {"missing", definition.missing},
                          {"guesses", guesses},
                          {"told", told}});
}

}  // namespace tune::cli
