// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/import.hpp"
#include "db/recording.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {

/// What a file of another program would hold of a work of ours: evaluations in the order in which they were
/// recorded, parameters in that of their first appearance.
replay::ForeignRecord record_of(const db::Recording& recording);

/// What a file does not say, and a person may.
struct MissingFacts {
  std::string problem, size, device;  ///< empty where they say nothing
};

/// What is stored of another program's record: origin `imported`, unknown driver, compiler and sources.
/// `file_name` is the problem's name where neither the file nor the person knows one. A size that is no list
/// of numbers becomes a setting.
db::ImportedRun imported_run(replay::ForeignRecord record, const MissingFacts& facts,
                             const std::string& file_name);

}  // namespace tune::cli
