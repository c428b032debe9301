// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::db {

/// Columns that hold JSON: objects whose members keep their order, for queries with SQLite's `->>`. Values
/// keep their type: `true`, `32`, `0.5`, `"direct"`.

using Entries = std::vector<std::pair<std::string, search::Value>>;
using NamedExtents = std::vector<std::pair<std::string, std::int64_t>>;

std::string to_json(const Entries& entries);
std::string to_json(const NamedExtents& extents);
std::string to_json(const Metrics& metrics);
std::string to_json(const DeviceProperties& properties);

/// A text of a database that tune did not write, or that is damaged.
class UnreadableText : public Error {
 public:
  using Error::Error;

  /// Returns the error with the name of the file in front, unless it has one.
  UnreadableText in(const std::filesystem::path& file) const;

 private:
  bool has_file_ = false;
};

/// These read the texts back. They throw UnreadableText for one that the functions above cannot have written.
Entries entries_from_json(std::string_view text);
NamedExtents extents_from_json(std::string_view text);
search::Configuration configuration_from_json(std::string_view text);
Metrics metrics_from_json(std::string_view text);
DeviceProperties properties_from_json(std::string_view text);

}  // namespace tune::db
