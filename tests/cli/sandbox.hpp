// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tune::testing {

/// What a call of the program left.
struct ProgramResult {
  int status = 0;
  std::string out;
  std::string err;
};

/// A place of its own for the program: an empty home, its database at `database()`, the invented recording as
/// the one that ships, and no GPU to be seen.
class Sandbox {
 public:
  Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  ~Sandbox();

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::filesystem::path database() const { return folder_ / "home/results.db"; }
  std::filesystem::path recording() const { return folder_ / "recordings/invented.db"; }
  /// From now on nothing ships with the program.
  void remove_recordings() const;
  /// Until the end of the sandbox.
  void set_environment(const std::string& name, const std::string& value);

  /// Runs the program in this process, its outputs going to files.
  ProgramResult tune(const std::vector<std::string>& arguments) const;
  /// `text` with the folder and what differs between calls (times of day, durations, versions) replaced.
  std::string steady(std::string text) const;

 private:
  TemporaryFolder folder_;
  std::vector<std::pair<std::string, std::pair<bool, std::string>>> environment_;  ///< as it was
};

/// The arguments of a run at 64^3, then `more`.
std::vector<std::string> small_run(const std::vector<std::string>& more = {});
/// Lines of a text.
std::vector<std::string> lines_of(const std::string& text);
std::string read_file(const std::filesystem::path& path);
/// Writes the text to the file `name` of the sandbox and returns its path.
std::string written(const Sandbox& sandbox, const std::string& name, const std::string& text);
bool has(const std::string& text, const std::string& words);
/// The first column of the first row that the query selects.
std::int64_t number(const std::filesystem::path& database, const std::string& sql);
/// True where SQLite finds nothing wrong with the database.
bool is_sound(const std::filesystem::path& database);

/// Runs the program and expects it to succeed.
ProgramResult done(const Sandbox& sandbox, const std::vector<std::string>& arguments);

/// The call failed in the way that every failure has: exactly one line on standard error that starts with
/// `tune: ` and holds all of `words`, nothing on standard output, this exit status.
void expect_refused(const ProgramResult& outcome, int status, const std::vector<std::string>& words);

}  // namespace tune::testing
