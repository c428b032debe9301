// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/capture.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <system_error>

#include "kernels/described/struct_layout.hpp"
#include "library/dispatcher/captured_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::api {
namespace {

namespace fs = std::filesystem;
using described::Argument;

const std::vector<Argument>& arguments_of(const Capture::Source& source) {
  return source.problem.description().arguments;
}

/// The address of the call's value; null for what the call does not pass.
const void* value_of(const Capture::Source& source, const Argument& wanted) {
  std::size_t place = 0;
  for (const Argument& argument : arguments_of(source)) {
    if (!argument.is_passed()) continue;
    if (argument.name == wanted.name) return source.given[place];
    ++place;
  }
  return nullptr;
}

/// The number of a scalar, or the bytes of a struct, as a definition has them.
nlohmann::ordered_json passed_value(const Capture::Source& source, const Argument& argument) {
  const void* const value = value_of(source, argument);
  if (argument.object) {
    const described::ExpressionScope scope(source.problem.description().parameters, source.instance);
    std::string digits;
    for (std::size_t i = 0; i < described::laid_out(*argument.object, scope).bytes.size(); ++i)
      digits += format("{:02x}", static_cast<const unsigned char*>(value)[i]);
    return {{"bytes", digits}};
  }
  nlohmann::ordered_json number;
  with_element(source.problem.type_of(argument, source.instance).element, [&]<class T>(T element) {
    std::memcpy(&element, value, sizeof element);
    if constexpr (std::is_integral_v<T>)
      number = element;
    else
      number = static_cast<double>(element);
  });
  if (number.is_number_float() && !std::isfinite(number.get<double>()))
    throw UsageError(
        format("'{}' is {}, which a definition cannot have", argument.name, number.get<double>()));
  return {{"type", argument.type_name}, {"value", number}};
}

void check(const std::error_code& error, const fs::path& path) {
  if (error) throw tune::Error(format("cannot write {}: {}", path.string(), error.message()));
}

/// Letters, digits, `.`, `-` and `_` of the problem's name and size.
std::string folder_name(const described::DescribedProblem& problem, const Instance& instance) {
  std::string name = problem.info().name + "-" + instance.key();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '-';
  return name;
}

}  // namespace

std::optional<CaptureRequest> capture_request(const std::string& problem) {
  const char* names = std::getenv("TUNE_CAPTURE");
  if (names == nullptr) return std::nullopt;
  std::istringstream all(names);
  for (std::string one; std::getline(all, one, ',');) {
    const std::size_t colon = one.find(':');
    const std::string name = one.substr(0, colon);
    if (name != problem && name != "all") continue;
    CaptureRequest request;
    if (colon != std::string::npos) {
      const std::string number = one.substr(colon + 1);
      std::istringstream in(number);
      if (!(in >> request.call) || !in.eof() || request.call == 0 || number[0] == '-')
        throw UsageError(format("TUNE_CAPTURE: '{}' is not the number of a call, from 1", number));
    }
    const char* folder = std::getenv("TUNE_CAPTURE_DIR");
    request.folder = folder == nullptr || *folder == '\0' ? "captured" : folder;
    return request;
  }
  return std::nullopt;
}

Capture::Capture(const Source& source, const fs::path& folder) : source_(source) {
  const CapturedDefinition captured =
      captured_definition(source.problem, source.instance, source.space, source.configuration,
                          [&](const Argument& argument) { return passed_value(source, argument); });
  left_out_ = captured.left_out;
  for (const Argument& argument : arguments_of(source))
    if (argument.is_vector())
      bytes_ += bytes_of(argument, source.problem, source.instance) *
                ((argument.is_filled() ? 1U : 0U) + (argument.is_written() ? 1U : 0U));
  std::error_code error;
  fs::create_directories(folder, error);
  check(error, folder);
  folder_ = folder / folder_name(source.problem, source.instance);
  unfinished_ = folder / format(".{}.{}.part", folder_.filename().string(), getpid());
  fs::remove_all(unfinished_, error);
  fs::create_directory(unfinished_, error);
  check(error, unfinished_);
  try {
    check_space();
    for (const auto& [name, text] : captured.files) {
      fs::create_directories((unfinished_ / name).parent_path(), error);
      check(write_bytes(unfinished_ / name, text), unfinished_ / name);
    }
    for (const auto& [name, file] : captured.copies) {
      fs::create_directories((unfinished_ / name).parent_path(), error);
      fs::copy_file(file, unfinished_ / name, fs::copy_options::overwrite_existing, error);
      check(error, unfinished_ / name);
    }
    const fs::path file = unfinished_ / (source.problem.info().name + ".json");
    check(write_bytes(file, json_text(captured.definition)), file);
    for (const Argument& argument : arguments_of(source))
      if (argument.is_filled()) write_array(argument, file_before(argument));
  } catch (...) {
    fs::remove_all(unfinished_, error);
    throw;
  }
}

Capture::~Capture() {
  std::error_code error;
  if (!unfinished_.empty()) fs::remove_all(unfinished_, error);
}

void Capture::check_space() const {
  std::error_code error;
  const fs::space_info space = fs::space(unfinished_, error);
  constexpr std::uint64_t reserve = std::uint64_t{16} << 20;
  if (!error && space.available < bytes_ + reserve)
    throw tune::Error(
        format("{} has {} of free space, {} are needed: name another folder in TUNE_CAPTURE_DIR",
               unfinished_.parent_path().string(), bytes_text(static_cast<double>(space.available)),
               bytes_text(static_cast<double>(bytes_ + reserve))));
}

void Capture::write_array(const Argument& array, const std::string& name) const {
  std::string bytes(bytes_of(array, source_.problem, source_.instance), '\0');
  if (!array.symbol.empty()) {
    for (const CallVariables::Variable& one : source_.variables.all())
      if (one.name == array.name)
        std::memcpy(bytes.data(), one.contents.data(), std::min(bytes.size(), one.contents.size()));
  } else {
    void* address = nullptr;
    std::memcpy(&address, value_of(source_, array), sizeof address);
    source_.runner.read(source_.stream, address, std::as_writable_bytes(std::span(bytes)));
  }
  check(write_bytes(unfinished_ / name, bytes), unfinished_ / name);
}

fs::path Capture::complete() {
  for (const Argument& argument : arguments_of(source_))
    if (argument.is_written()) write_array(argument, file_after(argument));
  fs::path target = folder_;
  std::error_code error, unknown;
  fs::rename(unfinished_, target, error);
  // A folder that is there is kept, one that another process has just made too: this one gets the next
  // number.
  for (int number = 2; error && fs::exists(target, unknown); ++number) {
    target = format("{}.{}", folder_.string(), number);
    fs::rename(unfinished_, target, error);
  }
  check(error, target);
  unfinished_.clear();
  return target / (source_.problem.info().name + ".json");
}

}  // namespace tune::api
