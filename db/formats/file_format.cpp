// SPDX-License-Identifier: Apache-2.0
#include "db/formats/file_format.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

/// Returns `neither a cache of Kernel Tuner ('cache') nor T4 ('results') nor ...`, with the members or
/// without.
std::string no_format(bool with_members) {
  const auto title = [&](const FileFormat& file_format) {
    return with_members ? format("{} ('{}')", file_format.title, file_format.entries)
                        : std::string(file_format.title);
  };
  return format("neither {} nor one of our databases", joined(file_formats(), title, " nor "));
}

/// Takes the entries out of the text while it is parsed.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const std::string& file, Samples samples)
      : text_(text), name_(name), file_(file), samples_(samples) {}

  ThirdPartyRecord read() {
    try {
      const Json rest = Json::parse(text_, [this](int depth, Json::parse_event_t event, Json& json) {
        return see(depth, event, json);
      });
      finish(rest);
    } catch (const Json::out_of_range&) {
      throw UsageError(format("{}: a number is beyond the range of double: is it the right file?", file_));
    } catch (const Json::parse_error& error) {
      if (!cut_off(error)) throw UsageError(complaint(error));
      reader_->record.notes.push_back(
          format("it was cut off after {} configurations, which count", reader_->record.evaluations.size()));
    }
    refuse_tiny();
    return std::move(reader_->record);
  }

 private:
  /// Returns true to keep the value just read.
  bool see(int depth, Json::parse_event_t event, Json& json) {
    constexpr int deepest = 100;
    if (depth > deepest)
      throw UsageError(
          format("{}: more than {} lists or objects in each other: is it the right file?", file_, deepest));
    if (event == Json::parse_event_t::key) return see_key(depth, json.get_ref<const std::string&>());
    constexpr int entry = 2;  // within `cache` or `results`, which is in the file's object
    if (depth == 1 && event == Json::parse_event_t::value) head_[top_] = json;
    if (depth == 1 && (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end))
      head_[top_] = json;
    const bool value = event == Json::parse_event_t::value || event == Json::parse_event_t::array_end;
    if (depth != entry || (!value && event != Json::parse_event_t::object_end)) return true;
    const FileFormat* const found = format_of(top_);
    if (found == nullptr) return true;
    if (value)
      throw UsageError(format("{}: an entry of '{}' is {}, not an object", file_, top_, shown(json)));
    open(*found);
    if (found == format_) reader_->read_entry(json, key_, head_);
    return false;
  }

  bool see_key(int depth, const std::string& key) {
    if (depth == 1) top_ = key;
    if (depth == 2) key_ = key;
    const FileFormat* const found = format_of(top_);
    const bool samples = found != nullptr && depth == found->samples_depth && key == found->samples;
    return samples_ == Samples::keep || !samples;
  }

  static const FileFormat* format_of(std::string_view entries) {
    const auto found = std::ranges::find(file_formats(), entries, &FileFormat::entries);
    return found == file_formats().end() ? nullptr : &*found;
  }

  /// Does nothing when a reader is open.
  void open(const FileFormat& chosen) {
    if (reader_) return;
    format_ = &chosen;
    reader_ = chosen.reader(file_, samples_);
    reader_->record.name = name_;
  }

  /// A number below a picosecond is not a time, like one that is not above 0.
  void refuse_tiny() {
    constexpr double min = 1e-12;
    for (Evaluation& evaluation : reader_->record.evaluations) {
      if (!evaluation.outcome || evaluation.outcome->time() >= min) continue;
      const double time = evaluation.outcome->time();
      evaluation.outcome =
          tl::unexpected(Failure{Phase::launch, "no time", format("its time is {} s", time)});
    }
  }

  void finish(const Json& rest) {
    const auto present = [&](const FileFormat& one) { return head_.contains(one.entries); };
    if (!rest.is_object() || std::ranges::count_if(file_formats(), present) != 1)
      throw UsageError(format("{}: {}: is it the right file?", file_, no_format(true)));
    open(*std::ranges::find_if(file_formats(), present));
    const Json& entries = head_[std::string(format_->entries)];
    if (format_->named_entries ? !entries.is_object() : !entries.is_array())
      throw UsageError(format("{}: '{}' is {}, not {} of what was recorded: is it the right file?", file_,
                              format_->entries, shown(entries),
                              format_->named_entries ? "an object" : "a list"));
    reader_->finish(head_);
  }

  bool cut_off(const Json::parse_error& error) const {
    return reader_ && reader_->may_be_cut_off() && top_ == format_->entries && error.byte >= text_.size();
  }

  std::string complaint(const Json::parse_error& error) const {
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return format("{}: the file is empty: is it the right one?", file_);
    if (text_[first] == '<')
      return format("{}: XML is not read: let KTT write its results as JSON (OutputFormat::JSON)", file_);
    const std::size_t at = std::min(error.byte, text_.size());
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    if (error.byte >= text_.size())
      return format("{}: line {}: the file is cut off: copy it again", file_, line);
    return format("{}: line {}: not JSON ({}): {}", file_, line, json_mistake(text_, error.byte),
                  no_format(false));
  }

  std::string_view text_;
  std::string name_, file_;
  Samples samples_;
  const FileFormat* format_ = nullptr;    ///< of the entries seen
  std::unique_ptr<FormatReader> reader_;  ///< null before the first entry
  Json head_ = Json::object();            ///< members of the file's object, without the entries
  std::string top_, key_;                 ///< names of the members that are being read
};

}  // namespace

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> all = {t4_format(), kernel_tuner_format(), ktt_format()};
  return all;
}

std::string format_titles() {
  return joined(file_formats(), &FileFormat::title);
}

void FormatReader::set_value(Evaluation& evaluation, const std::string& name, const Json& value,
                             const std::string& where) {
  const std::string parameter = parameter_name(name);
  if (evaluation.configuration.has(parameter))
    throw UsageError(format("{}: two parameters are called '{}': rename one", where, parameter));
  const auto known = parameter_value(value);
  if (!known) throw UsageError(format("{}: '{}' is {}, not a number or text", where, name, shown(value)));
  evaluation.configuration.set(parameter, *known);
}

void FormatReader::add_value(Evaluation& evaluation, const std::string& name, const Json& value,
                             const std::string& where) {
  set_value(evaluation, name, value, where);
  const std::string parameter = parameter_name(name);
  if (std::ranges::find(record.parameters, parameter) == record.parameters.end())
    record.parameters.push_back(parameter);
}

Measurement FormatReader::measured(std::vector<double> samples) {
  Measurement measurement;
  measurement.samples = std::move(samples);
  return measurement;
}

ThirdPartyRecord read_recorded_json(std::string_view text, const std::string& name, const std::string& file,
                                    Samples samples) {
  return Reader(text, name, file, samples).read();
}

}  // namespace tune::replay
