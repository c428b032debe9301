// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "db/formats/text_file.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Skips or keeps the samples behind the time that a file ranks an evaluation by.
enum class Samples { skip, keep };

/// An entry of a file.
struct RecordedEvaluation {
  Evaluation evaluation;
  std::string recorded = {};  ///< when it was made (UTC, ISO 8601); empty where unknown
  bool unit_of_file = false;  ///< its time is in a unit that the file names for all
};

/// Reads one file, entry by entry while the text is parsed; `record` gets what is not an entry. All functions
/// throw Error, which begins with the file's name.
class FormatReader {
 public:
  FormatReader(std::string file, Samples samples) : file_(std::move(file)), samples_(samples) {}
  virtual ~FormatReader() = default;

  /// Reads entry `number`, from 1; `key` is its name where entries have names. `head` holds the members of
  /// the file that stand before the entries. Times are in the file's unit.
  virtual RecordedEvaluation read_entry(const Json& entry, std::size_t number, const std::string& key,
                                        const Json& head) = 0;
  /// Called once, with all members of the format's `head`: after the last entry, and before the first where
  /// a file is read again.
  virtual void finish(const Json& head) = 0;
  /// Turns times into seconds, and adds what `finish` read.
  virtual void complete(RecordedEvaluation& entry) const = 0;
  /// True when the entries of a file that was cut off count.
  virtual bool may_be_cut_off() const { return false; }

  ThirdPartyRecord record;  ///< without evaluations

 protected:
  /// Sets a value of a parameter that the record has. `where` precedes errors.
  static void set_value(Evaluation& evaluation, const std::string& name, const Json& value,
                        const std::string& where);
  /// Sets a value, and adds the parameter to the record where it is new.
  void add_value(Evaluation& evaluation, const std::string& name, const Json& value,
                 const std::string& where);
  static Measurement measured(std::vector<double> samples);

  std::string file_;
  Samples samples_;
};

/// The evaluations of one workload, to be written to a file. They need not lie in memory.
struct WrittenWorkload {
  using Take = std::function<void(const Evaluation&, const std::string& recorded)>;

  std::string problem = {};
  std::string workload = {};  ///< a size as `512x512x512`, with settings behind a space
  std::string device = {};    ///< name
  /// Passes all evaluations and when they were made (empty where unknown), in the same order each time. It is
  /// called twice.
  std::function<void(const Take&)> each;
};

/// What a file got.
struct WrittenFile {
  std::size_t count = 0;     ///< of evaluations
  std::size_t failures = 0;  ///< among them
  /// Fields that the format lacks or changes, one line each.
  std::vector<std::string> losses = {};
};

/// A format of files: JSON, with a list or an object of entries as a member of the file's object.
struct FileFormat {
  std::string_view name;                    ///< as typed: `t4`
  std::string_view ending;                  ///< of files of this format: `.t4.json`
  std::string_view title;                   ///< in messages: `results of KTT`
  std::string_view entries;                 ///< the member with the entries: no other format has it
  bool named_entries = false;               ///< the entries are members of an object, not elements of a list
  std::vector<std::string_view> head = {};  ///< the other members that the reader needs
  /// The member with the single samples, and its depth: 3 is a member of the entry. None where it is empty.
  std::string_view samples = {};
  std::size_t samples_depth = 0;
  std::unique_ptr<FormatReader> (*reader)(const std::string& file, Samples samples) = nullptr;
  /// Writes the text of a file, which the reader reads back, part by part. Null where the format is only
  /// read.
  WrittenFile (*write)(const WrittenWorkload& workload, const TextSink& out) = nullptr;
};

/// For the table.
template<class Reader>
std::unique_ptr<FormatReader> make_reader(const std::string& file, Samples samples) {
  return std::make_unique<Reader>(file, samples);
}

FileFormat t4_format();
FileFormat kernel_tuner_format();
FileFormat ktt_format();

/// Returns the table of formats.
const std::vector<FileFormat>& file_formats();

/// Returns what files of these formats are called: `T4, a cache of Kernel Tuner, ...`.
std::string format_titles();

/// A file of one of the formats, identified by its content, whose evaluations do not lie in memory: they are
/// read anew each time. Errors have line or field, and cure. A configuration without a number for a time is a
/// failure. Samples are those of the file where its time lies among them; else its time is the only one.
class RecordedFile {
 public:
  /// Reads the whole file. `name` is the record's name, `file` the one in errors. Throws Error.
  RecordedFile(std::filesystem::path path, const std::string& name, const std::string& file);

  /// Without evaluations.
  const ThirdPartyRecord& record() const { return record_; }
  std::size_t count() const { return count_; }
  /// The first and the last known time of day; empty where there is none.
  const std::string& first_date() const { return first_date_; }
  const std::string& last_date() const { return last_date_; }
  /// True when an evaluation has several samples.
  bool has_samples() const { return has_samples_; }

  /// Reads the evaluations again, in the file's order. Throws Error where the file has changed.
  void each(const std::function<void(const RecordedEvaluation&)>& take) const;

 private:
  std::filesystem::path path_;
  std::string file_;
  ThirdPartyRecord record_;
  std::shared_ptr<const Json> head_;
  std::size_t count_ = 0;
  std::string first_date_, last_date_;
  bool has_samples_ = false;
};

/// Reads a whole text of one of the formats into memory, but for single samples, unless asked for. Names and
/// errors as of RecordedFile.
ThirdPartyRecord read_recorded_json(TextSource& text, const std::string& name, const std::string& file,
                                    Samples samples = Samples::skip);

}  // namespace tune::replay
