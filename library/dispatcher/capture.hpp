// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/described/problem.hpp"
#include "library/dispatcher/call_arguments.hpp"
#include "search/space/search_space.hpp"
#include "tuner/backends/backend.hpp"

namespace tune::api {

/// The call of a problem that is saved.
struct CaptureRequest {
  std::uint64_t call = 1;        ///< by its number, from 1
  std::filesystem::path folder;  ///< gets a folder for each problem and size
};

/// Reads $TUNE_CAPTURE, names of problems with the number of a call, `saxpy,reduction:10` or `all`, and
/// $TUNE_CAPTURE_DIR (`captured`). Nothing where the problem is not named. Throws UsageError for a number
/// that cannot be read.
std::optional<CaptureRequest> capture_request(const std::string& problem);

/// Saves one call: its kernel, sizes, and all arguments before and after the launch, as a definition in a
/// folder of its own, which appears when it is complete. An object that is destroyed before leaves nothing.
class Capture {
 public:
  /// What the call passes; all must outlive the object.
  struct Source {
    const described::DescribedProblem& problem;
    const Instance& instance;
    const search::SearchSpace& space;
    const search::Configuration& configuration;  ///< in which it is launched
    StreamRunner& runner;
    void* stream;
    const std::vector<void*>& given;  ///< addresses of the values, in the problem's order
    const CallVariables& variables;
  };

  /// Waits for the stream and writes what is there before the launch. Throws tune::Error for a problem that
  /// no definition can express, a lack of space, and a folder that cannot be written.
  Capture(const Source& source, const std::filesystem::path& folder);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

  /// Waits for the stream, writes the outputs, and gives the folder its name. Returns the definition's path.
  std::filesystem::path complete();
  std::uint64_t bytes() const { return bytes_; }
  /// A line for each part of the problem that the definition lacks.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void check_space() const;
  void write_array(const described::Argument& array, const std::string& name) const;

  Source source_;
  std::filesystem::path folder_, unfinished_;
  std::uint64_t bytes_ = 0;  ///< of all arrays
  std::vector<std::string> left_out_;
};

}  // namespace tune::api
