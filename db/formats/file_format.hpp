// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::replay {

/// Skips or keeps the samples behind the time that a file ranks an evaluation by.
enum class Samples { skip, keep };

/// Reads one file, entry by entry while the text is parsed, into `record`. All functions throw Error, which
/// begins with the file's name.
class FormatReader {
 public:
  FormatReader(std::string file, Samples samples) : file_(std::move(file)), samples_(samples) {}
  virtual ~FormatReader() = default;

  /// Reads the next entry; `key` is its name where entries have names. `head` holds the members of the file
  /// that stand before the entries.
  virtual void read_entry(const Json& entry, const std::string& key, const Json& head) = 0;
  /// Called after the last entry, with all members of the file but the entries.
  virtual void finish(const Json& head) = 0;
  /// True when the entries of a file that was cut off count.
  virtual bool may_be_cut_off() const { return false; }

  ThirdPartyRecord record;

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

/// A format of files: JSON, with a list or an object of entries as a member of the file's object.
struct FileFormat {
  std::string_view name;       ///< as typed: `t4`
  std::string_view ending;     ///< of files of this format: `.t4.json`
  std::string_view title;      ///< in messages: `results of KTT`
  std::string_view entries;    ///< the member with the entries: no other format has it
  bool named_entries = false;  ///< the entries are members of an object, not elements of a list
  /// The member with the single samples, and its depth: 3 is a member of the entry. None where it is empty.
  std::string_view samples = {};
  int samples_depth = 0;
  std::unique_ptr<FormatReader> (*reader)(const std::string& file, Samples samples) = nullptr;
  /// Returns the text of a file, which the reader reads back. Fields that the format lacks or changes become
  /// lines of `record.losses`. `record.workload` is a size as `512x512x512`, with settings behind a space.
  /// Null where the format is only read.
  std::string (*write)(ThirdPartyRecord& record) = nullptr;
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

/// Reads a file of one of the formats, identified by its content. A configuration without a number for a time
/// is a failure. Entries are turned into evaluations as they are read and single samples are skipped, unless
/// asked for: memory stays near that of the text. Samples are those of the file where its time lies among
/// them; else its time is the only one.
///
/// `name` is the record's name, `file` the one in errors. Throws Error with line or field, and cure.
ThirdPartyRecord read_recorded_json(std::string_view text, const std::string& name, const std::string& file,
                                    Samples samples = Samples::skip);

}  // namespace tune::replay
