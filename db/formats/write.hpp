// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/formats/file_format.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Returns what importing the file loses or makes up, one line each. `record`: that of the file, with what
/// the user adds.
std::vector<std::string> import_losses(const RecordedFile& file, const ThirdPartyRecord& record);

/// Stands for a parameter that a configuration does not have, where a format requires all of them.
constexpr std::string_view absent = "none";

/// A format's word for a phase of failure, and the phase that reading it gives.
struct FailureWord {
  std::string_view word;
  Phase read_as;
};
/// In the order of `Phase`.
using FailureNames = std::array<FailureWord, 7>;

/// Returns the word for this failure.
std::string_view name_of(const Failure& failure, const FailureNames& names);

/// What a writer knows of all evaluations before it writes the first.
struct WrittenSummary {
  struct Parameter {
    std::string name;
    std::vector<search::Value> values = {};  ///< that occur, in order of arrival
    std::size_t count = 0;                   ///< of configurations that have it
  };
  std::vector<Parameter> parameters = {};  ///< in order of arrival
  std::size_t count = 0;                   ///< of evaluations
  std::map<Phase, std::size_t> failures = {};
  std::map<std::size_t, std::size_t> sizes = {};  ///< counts configurations by their number of parameters
  bool several_samples = false;                   ///< an evaluation has more than one
  bool figures = false;                           ///< an evaluation has an energy or metrics
  std::string last_recorded = {};                 ///< empty where no time of day is known

  /// The counts alone.
  WrittenFile file() const;
};
WrittenSummary summary_of(const WrittenWorkload& workload);

/// Adds lines for phases that are read back as another one, and for reasons and details, which no format has.
void tell_failures(const WrittenSummary& summary, const FailureNames& names, WrittenFile& file);

/// Returns the size without the settings behind it; adds a line where there are settings.
std::string size_without_settings(const WrittenWorkload& workload, std::string_view format,
                                  WrittenFile& file);

/// Adds a line where configurations lack parameters that others have; `written` states what is written
/// instead.
void tell_absent(const WrittenSummary& summary, std::string_view written, WrittenFile& file);

/// Returns the value as text, with a character in place of bytes that are none.
std::string text_of(const Json& value, int indent = -1);

/// Writes an object: the members of `head`, and as the last one the entries of the format, one a line.
void write_entries(
    const Json& head, const FileFormat& format, const WrittenWorkload& workload,
    const std::function<std::string(const Evaluation&, const std::string& recorded)>& text_of_entry,
    const TextSink& out);

}  // namespace tune::replay
