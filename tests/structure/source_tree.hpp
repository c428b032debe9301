// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tune::testing {

/// A text file of the repository.
struct SourceText {
  std::string name;  ///< from the repository's root: `tuner/session/session.cpp`
  std::vector<std::string> lines;
};

/// All files with one of these endings in the source folders, sorted by name.
std::vector<SourceText> source_files(const std::vector<std::string>& endings);

/// What a file includes with quotes, in order.
std::vector<std::string> quoted_includes(const SourceText& file);

/// A row of the table of rooms in docs/design.md.
struct Room {
  std::string folder;               ///< tuner/session; `kernels/stencil/variants/*`: each folder there
  std::vector<std::string> others;  ///< folders and files of other top-level folders that it may include
};

/// The table from the roof to the ground. Throws std::runtime_error where the page has none.
std::vector<Room> designed_rooms();

/// Returns the place of a folder's row; rooms.size() where it has none.
std::size_t row_of(const std::vector<Room>& rooms, const std::string& folder);

/// Returns a line for each include of a file that its row does not allow: of a room further up, or of another
/// top-level folder than the row names. Includes of files that no room holds are allowed.
std::vector<std::string> refused_includes(const std::vector<Room>& rooms, const SourceText& file);

std::string room_of(const std::string& file);

}  // namespace tune::testing
