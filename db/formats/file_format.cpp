// SPDX-License-Identifier: Apache-2.0
#include "db/formats/file_format.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/json_stream.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

/// Returns `neither a cache of Kernel Tuner ('cache') nor T4 ('results') nor ...`, with the members or
/// without.
std::string no_format(bool with_members) {
  const auto title = [&](const FileFormat& file_format) {
    return with_members ? format("{} ('{}')", file_format.title, file_format.entries)
                        : std::string(file_format.title);
  };
  return format("neither {} nor a database of tune", joined(file_formats(), title, " nor "));
}

/// A number below a picosecond is not a time, like one that is not above 0.
void refuse_tiny(Evaluation& evaluation) {
  constexpr double min = 1e-12;
  if (!evaluation.outcome || evaluation.outcome->time() >= min) return;
  const double time = evaluation.outcome->time();
  evaluation.outcome = tl::unexpected(Failure{Phase::launch, "no time", format("its time is {} s", time)});
}

const FileFormat* format_with_entries(std::string_view member) {
  const auto found = std::ranges::find(file_formats(), member, &FileFormat::entries);
  return found == file_formats().end() ? nullptr : &*found;
}

bool is_of_a_head(std::string_view member) {
  return std::ranges::any_of(file_formats(), [&](const FileFormat& one) {
    return std::ranges::find(one.head, member) != one.head.end();
  });
}

/// Takes the entries out of the text while it is parsed.
class Parser {
 public:
  using Take = std::function<void(RecordedEvaluation&&)>;

  /// `head`: of a file that is read again, else null. `take` gets the entries: complete where there is a
  /// head.
  Parser(TextSource& text, std::string file, Samples samples, Take take, const Json* head = nullptr)
      : file_(std::move(file)),
        samples_(samples),
        take_(std::move(take)),
        known_head_(head),
        tokens_(text, file_),
        entry_(file_),
        member_(file_) {}

  /// Reads all of it.
  void read() {
    read_text();
    if (format_ == nullptr) throw no_file_of_ours();
    if (known_head_ == nullptr) reader_->finish(head_);
  }

  FormatReader& reader() { return *reader_; }
  /// Turns times into seconds, once the head is known.
  void complete_entry(RecordedEvaluation& one) const {
    reader_->complete(one);
    refuse_tiny(one.evaluation);
  }
  const Json& head() const { return head_; }
  std::size_t count() const { return count_; }

 private:
  using Kind = JsonTokens::Kind;

  /// Reads the whole text, or up to the cut where what is in front of it counts. Returns false then.
  bool read_text() {
    std::vector<Kind> closing;  // of each list or object that is not closed
    Kind token = tokens_.next();
    for (;;) {  // a value begins with the token
      if (token == Kind::open_object || token == Kind::open_list) {
        const bool object = token == Kind::open_object;
        open(object ? Json::value_t::object : Json::value_t::array);
        closing.push_back(object ? Kind::close_object : Kind::close_list);
        token = tokens_.next();
        if (token != closing.back()) {
          if (object && !read_key(token)) return false;
          continue;
        }
      } else if (!take_scalar(token)) {
        return refuse(token);
      } else {
        token = tokens_.next();
      }
      for (; !closing.empty() && token == closing.back(); token = tokens_.next()) {
        close();
        closing.pop_back();
      }
      if (closing.empty()) return token == Kind::end || refuse(token);
      if (token != Kind::comma) return refuse(token);
      token = tokens_.next();
      if (closing.back() == Kind::close_object && !read_key(token)) return false;
    }
  }

  /// Reads a name and its colon, up to the first token of the value.
  bool read_key(Kind& token) {
    if (token != Kind::text) return refuse(token);
    key(tokens_.text());
    token = tokens_.next();
    if (token != Kind::colon) return refuse(token);
    token = tokens_.next();
    return true;
  }

  /// Takes a value without parts; returns false for another token.
  bool take_scalar(Kind token) {
    switch (token) {
      case Kind::text:
        value(std::move(tokens_.text()));
        return true;
      case Kind::integer:
        value(tokens_.integer());
        return true;
      case Kind::natural:
        value(tokens_.natural());
        return true;
      case Kind::real:
        value(tokens_.real());
        return true;
      case Kind::yes:
        value(true);
        return true;
      case Kind::no:
        value(false);
        return true;
      case Kind::null:
        value(nullptr);
        return true;
      default:
        return false;
    }
  }

  /// Throws Error unless the text was cut off behind entries that count; returns false.
  bool refuse(Kind token) {
    if (token == Kind::too_large)
      throw UsageError(
          format("{}: a number is beyond the range of double: check that it is the right file", file_));
    const bool at_end = tokens_.at_end();
    if (!at_end || reader_ == nullptr || !reader_->may_be_cut_off() || !in_entries() || count_ == 0)
      throw UsageError(complaint(at_end));
    reader_->record.notes.push_back(format("it was cut off after {} configurations, which count", count_));
    return false;
  }

  void key(std::string& name) {
    if (skip_depth_ > 0) return;
    if (depth_ == 1) {
      begin_member(name);
    } else if (builds_ != nullptr) {
      skips_ = samples_ == Samples::skip && format_ != nullptr && in_entries() &&
               depth_ == format_->samples_depth && name == format_->samples;
      if (!skips_) builds_->key(name);
    } else if (depth_ == 2 && in_entries()) {
      key_ = std::move(name);
    }
  }

  bool in_entries() const { return depth_ > 0 && format_ != nullptr && top_ == format_->entries; }

  void begin_member(const std::string& name) {
    top_ = name;
    const FileFormat* const found = format_with_entries(name);
    if (found != nullptr) {
      if (format_ != nullptr && format_ != found) throw no_file_of_ours();
      format_ = found;
      if (reader_) return;
      reader_ = found->reader(file_, samples_);
      if (known_head_ != nullptr) reader_->finish(*known_head_);
    } else if (is_of_a_head(name)) {
      builds_ = &member_;
      member_.begin();
    }
  }

  template<class T>
  void value(T&& one) {
    if (skip_depth_ > 0 || std::exchange(skips_, false)) return;
    if (builds_ == nullptr) {
      expect_place(std::forward<T>(one));
    } else {
      builds_->add(std::forward<T>(one));
      complete();
    }
  }

  void open(Json::value_t kind) {
    if (depth_ == max_json_depth)
      throw UsageError(
          format("{}: more than {} lists or objects in each other: check that it is the right file", file_,
                 max_json_depth));
    if (skips_ || skip_depth_ > 0) {
      skips_ = false;
      ++skip_depth_;
    } else {
      if (builds_ == nullptr) begin_structure(kind);
      if (builds_ != nullptr) builds_->open(kind);
    }
    ++depth_;
  }

  void close() {
    --depth_;
    if (skip_depth_ > 0) {
      --skip_depth_;
    } else if (builds_ != nullptr) {
      builds_->close();
      complete();
    }
  }

  void begin_structure(Json::value_t kind) {
    expect_place(Json(kind));
    if (depth_ != 2 || !in_entries()) return;
    builds_ = &entry_;
    entry_.reset();
    entry_.begin();
  }

  /// Throws where the value that begins here cannot be: the file itself, the entries, an entry.
  void expect_place(const Json& one) const {
    if (depth_ == 0 && !one.is_object()) throw no_file_of_ours();
    if (!in_entries()) return;
    if (depth_ == 1 && (format_->named_entries ? !one.is_object() : !one.is_array()))
      throw UsageError(format("{}: '{}' is {}, not {} of what was recorded: check that it is the right file",
                              file_, format_->entries, kind_of(one),
                              format_->named_entries ? "an object" : "a list"));
    if (depth_ == 2 && !one.is_object())
      throw UsageError(format("{}: an entry of '{}' is {}, not an object", file_, top_, kind_of(one)));
  }

  /// A list or an object has just begun here: nothing is known of what is in it.
  static std::string kind_of(const Json& one) {
    return one.is_array() ? "a list" : one.is_object() ? "an object" : shown(one);
  }

  void complete() {
    if (!builds_->complete()) return;
    if (builds_ == &member_) {
      head_[top_] = std::move(member_.value());
    } else {
      RecordedEvaluation one = reader_->read_entry(entry_.value(), ++count_, key_, head_);
      if (known_head_ != nullptr) complete_entry(one);
      take_(std::move(one));
    }
    builds_ = nullptr;
  }

  std::string complaint(bool at_end) const {
    if (tokens_.first() == 0) return format("{}: the file is empty: check that it is the right one", file_);
    if (tokens_.first() == '<')
      return format("{}: XML is not read: let KTT write its results as JSON (OutputFormat::JSON)", file_);
    if (at_end) return format("{}: line {}: the file is cut off: copy it again", file_, tokens_.line());
    return format("{}: line {}: not JSON ({}): {}", file_, tokens_.line(), tokens_.mistake(),
                  no_format(false));
  }

  UsageError no_file_of_ours() const {
    return UsageError(format("{}: {}: check that it is the right file", file_, no_format(true)));
  }

  std::string file_;
  Samples samples_;
  Take take_;
  const Json* known_head_;
  JsonTokens tokens_;
  ValueBuilder entry_, member_;
  ValueBuilder* builds_ = nullptr;        ///< one of them, while the parser is in a value that is kept
  const FileFormat* format_ = nullptr;    ///< of the entries seen
  std::unique_ptr<FormatReader> reader_;  ///< null before the entries
  Json head_ = Json::object();            ///< members of the file's object that a reader needs
  std::string top_, key_;                 ///< names of the members that are being read
  std::size_t depth_ = 0;                 ///< lists and objects that are not closed
  bool skips_ = false;                    ///< the next value is left out
  std::size_t skip_depth_ = 0;            ///< lists and objects of it that are not closed
  std::size_t count_ = 0;                 ///< entries
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
  if (std::ranges::find(record.parameters, parameter) != record.parameters.end()) return;
  constexpr std::size_t most_parameters = 1'000;
  if (record.parameters.size() == most_parameters)
    throw UsageError(
        format("{}: more than {} parameters: check that it is the right file", where, most_parameters));
  record.parameters.push_back(parameter);
}

Measurement FormatReader::measured(std::vector<double> samples) {
  Measurement measurement;
  measurement.samples = std::move(samples);
  return measurement;
}

RecordedFile::RecordedFile(std::filesystem::path path, const std::string& name, const std::string& file)
    : path_(std::move(path)), file_(file) {
  TextFile text(path_);
  const auto note = [this](const RecordedEvaluation& one) {
    const auto& outcome = one.evaluation.outcome;
    has_samples_ = has_samples_ || (outcome && outcome->samples.size() > 1);
    if (one.recorded.empty()) return;
    if (first_date_.empty() || one.recorded < first_date_) first_date_ = one.recorded;
    last_date_ = std::max(last_date_, one.recorded);
  };
  Parser parser(text, file_, Samples::keep, note);
  parser.read();
  RecordedEvaluation any;  // its date is the one that the file has for all, if it has one
  parser.reader().complete(any);
  note(any);
  count_ = parser.count();
  head_ = std::make_shared<const Json>(parser.head());
  record_ = std::move(parser.reader().record);
  record_.name = name;
}

void RecordedFile::each(const std::function<void(const RecordedEvaluation&)>& take) const {
  TextFile text(path_);
  Parser(text, file_, Samples::keep, take, head_.get()).read();
}

ThirdPartyRecord read_recorded_json(TextSource& text, const std::string& name, const std::string& file,
                                    Samples samples) {
  std::vector<RecordedEvaluation> entries;
  Parser parser(text, file, samples, [&](RecordedEvaluation&& one) { entries.push_back(std::move(one)); });
  parser.read();
  ThirdPartyRecord record = std::move(parser.reader().record);
  record.name = name;
  record.evaluations.reserve(entries.size());
  record.recorded.reserve(entries.size());
  for (RecordedEvaluation& one : entries) {
    parser.complete_entry(one);
    record.evaluations.push_back(std::move(one.evaluation));
    record.recorded.push_back(std::move(one.recorded));
  }
  return record;
}

}  // namespace tune::replay
