// SPDX-License-Identifier: Apache-2.0
#include "db/formats/recorded_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/kernel_tuner.hpp"
#include "db/formats/ktt.hpp"
#include "db/formats/t4.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

/// Takes the entries out of the text while it is parsed.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const std::string& file, Samples samples)
      : text_(text), file_(file), samples_(samples) {
    record_.name = name;
  }

  ThirdPartyRecord read() {
    try {
      const Json rest = Json::parse(text_, [this](int depth, Json::parse_event_t event, Json& json) {
        return see(depth, event, json);
      });
      finish(rest);
    } catch (const Json::out_of_range& error) {
      throw Error(format("{}: a number is too large ({}): is it the right file?", file_, reason_of(error)));
    } catch (const Json::parse_error& error) {
      if (!cut_off(error)) throw Error(complaint(error));
      record_.notes.push_back(
          format("it was cut off after {} configurations, which count", record_.evaluations.size()));
    }
    refuse_tiny();
    return std::move(record_);
  }

 private:
  /// Returns true to keep the value just read.
  bool see(int depth, Json::parse_event_t event, Json& json) {
    constexpr int deepest = 100;
    if (depth > deepest)
      throw Error(
          format("{}: more than {} lists or objects in each other: is it the right file?", file_, deepest));
    if (event == Json::parse_event_t::key) return see_key(depth, json.get_ref<const std::string&>());
    constexpr int entry = 2;  // within `cache` or `results`, which is in the file's object
    if (depth == 1 && event == Json::parse_event_t::value) head_[top_] = json;
    if (depth == 1 && (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end))
      head_[top_] = json;
    if (depth != entry || event != Json::parse_event_t::object_end) return true;
    if (top_ == "cache") {
      if (record_.evaluations.empty()) read_kernel_tuner_head(head_, record_, file_);
      read_kernel_tuner_entry(json, key_, record_, file_, samples_);
      return false;
    }
    if (top_ == "results") {
      read_t4_entry(json, record_, unit_of_file_, file_, samples_);
      return false;
    }
    if (top_ == "Results") {
      read_ktt_entry(json, record_, file_);
      return false;
    }
    return true;
  }

  bool see_key(int depth, const std::string& key) {
    if (depth == 1) top_ = key;
    if (depth == 2) key_ = key;
    // True for single samples: `times` of an entry of Kernel Tuner, `times.runtimes` of T4.
    const bool samples = (top_ == "cache" && depth == 3 && key == "times") ||
                         (top_ == "results" && depth == 4 && key == "runtimes");
    return samples_ == Samples::keep || !samples;
  }

  /// A number below a picosecond is not a time, like one that is not above 0.
  void refuse_tiny() {
    constexpr double min = 1e-12;
    for (Evaluation& evaluation : record_.evaluations) {
      if (!evaluation.outcome || evaluation.outcome->time() >= min) continue;
      const double time = evaluation.outcome->time();
      evaluation.outcome =
          tl::unexpected(Failure{Phase::launch, "no time", format("its time is {} s", time)});
    }
  }

  void finish(const Json& rest) {
    const bool kernel_tuner = head_.contains("cache");
    const bool t4 = head_.contains("results");
    const bool ktt = head_.contains("Results");
    if (!rest.is_object() || kernel_tuner + t4 + ktt != 1)
      throw Error(format(
          "{}: neither a cache of Kernel Tuner ('cache') nor T4 ('results') nor results of KTT ('Results') "
          "nor one of our databases: is it the right file?",
          file_));
    const char* const name = kernel_tuner ? "cache" : t4 ? "results" : "Results";
    const Json& entries = head_[name];
    if (kernel_tuner ? !entries.is_object() : !entries.is_array())
      throw Error(format("{}: '{}' is {}, not {} of what was recorded: is it the right file?", file_, name,
                         shown(entries), kernel_tuner ? "an object" : "a list"));
    if (t4) finish_t4(head_, record_, unit_of_file_, file_);
    if (ktt) finish_ktt(head_, record_, file_);
  }

  /// A killed Kernel Tuner leaves its file so: it closes the braces when it ends.
  bool cut_off(const Json::parse_error& error) const {
    return top_ == "cache" && !record_.evaluations.empty() && error.byte >= text_.size();
  }

  /// Returns the message without the library's error number, cut to a line.
  static std::string reason_of(const Json::exception& error) {
    constexpr std::size_t longest = 150;
    std::string reason = error.what();
    const std::size_t start =
        reason.find("parse error") == std::string::npos ? 0 : reason.find("parse error");
    const std::size_t colon = reason.find(start == 0 ? "] " : ": ", start);
    if (colon != std::string::npos) reason.erase(0, colon + 2);
    return reason.size() > longest ? reason.substr(0, longest) + "..." : reason;
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
    const std::string reason = reason_of(error);
    return format(
        "{}: line {}: not JSON ({}): neither a cache of Kernel "
        "Tuner nor T4 nor results of KTT nor one of our databases",
        file_, line, reason);
  }

  std::string_view text_;
  std::string file_;
  Samples samples_;
  ThirdPartyRecord record_;
  Json head_ = Json::object();  ///< members of the file's object, without the entries
  std::string top_, key_;       ///< names of the members that are being read
  std::vector<bool> unit_of_file_;
};

}  // namespace

ThirdPartyRecord read_recorded_json(std::string_view text, const std::string& name, const std::string& file,
                                    Samples samples) {
  return Reader(text, name, file, samples).read();
}

}  // namespace tune::replay
