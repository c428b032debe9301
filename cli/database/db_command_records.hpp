// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/maintain/import.hpp"
#include "db/read/recording.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {

/// What a file of another program would hold of a work of ours: evaluations in the order in which they were
/// recorded, parameters in that of their first appearance.
replay::ThirdPartyRecord record_of(const db::Recording& recording);

/// What a file does not say, and a person may.
struct MissingProperties {
  std::string problem, size, device;                         ///< empty where they say nothing
  std::vector<std::pair<std::string, Value>> settings = {};  ///< in place of the file's of the same name
};

/// A text of numbers that is no size, such as `0x-5`.
bool is_nonsense_size(const std::string& size);

/// What is stored of another program's record: origin `imported`, unknown driver, compiler and sources.
/// `file_name` is the problem's name where neither the file nor the person knows one. A size in words becomes
/// a setting; one of numbers that is none (`0x-5`) is left out. A person's size leaves the file's settings.
db::ImportedRun imported_run(replay::ThirdPartyRecord record, const MissingProperties& properties,
                             const std::string& file_name);

}  // namespace tune::cli
