// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/search.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>

#include "lookup/src/absence.hpp"
#include "lookup/src/portfolio.hpp"

namespace tune::lookup {
namespace {

/// Reads one flat object of JSON, as db/store/json.cpp writes it.
class Reader {
 public:
  Reader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  std::vector<std::pair<std::string, std::string>> object() {
    std::vector<std::pair<std::string, std::string>> entries;
    expect('{');
    if (!is('}')) do {
        std::string name = quoted();
        expect(':');
        entries.emplace_back(std::move(name), value());
      } while (accept(','));
    expect('}');
    if (at_ < text_.size()) fail();
    return entries;
  }

 private:
  [[noreturn]] void fail() const {
    throw Failed({Code::damaged, file_ + " holds a configuration that cannot be read: " + text_},
                 SQLITE_CORRUPT);
  }
  bool is(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string quoted() {
    expect('"');
    std::string word;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        ++at_;
        word += escaped();
      } else {
        word += text_[at_++];
      }
    }
    if (at_ == text_.size()) fail();
    ++at_;
    return word;
  }
  /// Reads what follows a backslash.
  std::string escaped() {
    constexpr std::string_view written = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) fail();
    const char kind = text_[at_++];
    if (const std::size_t place = written.find(kind); place != std::string_view::npos)
      return std::string(1, meant[place]);
    if (kind != 'u') fail();
    const unsigned unit = four_digits();
    if (unit < 0xd800 || unit >= 0xe000) return utf8(unit);
    if (unit >= 0xdc00 || text_.compare(at_, 2, "\\u") != 0) fail();
    at_ += 2;
    const unsigned low = four_digits();
    if (low < 0xdc00 || low >= 0xe000) fail();
    return utf8(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
  }
  unsigned four_digits() {
    unsigned number = 0;
    const char* begin = text_.data() + at_;
    if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, number, 16).ptr != begin + 4) fail();
    at_ += 4;
    return number;
  }
  static std::string utf8(unsigned point) {
    const auto part = [&](unsigned shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xc0 | (point >> 6)), part(0)};
    if (point < 0x10000) return {static_cast<char>(0xe0 | (point >> 12)), part(6), part(0)};
    return {static_cast<char>(0xf0 | (point >> 18)), part(12), part(6), part(0)};
  }
  std::string value() {
    if (is('"')) return quoted();
    const std::size_t end = text_.find_first_of(",}", at_);
    if (end == std::string::npos || end == at_) fail();
    const std::string word = text_.substr(at_, end - at_);
    if (word != "true" && word != "false" && std::isnan(real_or(word, std::nan("")))) fail();
    at_ = end;
    return word;
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_configuration(const std::string& json,
                                                                     const std::string& file) {
  return Reader(json, file).object();
}

const char* to_string(Match match) {
  static constexpr const char* names[] = {"exact", "nearest size", "same architecture", "portfolio", "none"};
  return names[static_cast<std::size_t>(match)];
}

std::string Candidate::text(const std::string& name, const std::string& otherwise) const {
  for (const auto& [known, value] : configuration)
    if (known == name) return value;
  return otherwise;
}

long long Candidate::integer(const std::string& name, long long otherwise) const {
  const std::string value = text(name);
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  return value.empty() || *end != '\0' ? otherwise : number;
}

double real_or(const std::string& text, double otherwise) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : otherwise;
}

double Candidate::real(const std::string& name, double otherwise) const {
  return real_or(text(name), otherwise);
}

bool Candidate::flag(const std::string& name, bool otherwise) const {
  const std::string value = text(name);
  return value == "true" ? true : value == "false" ? false : otherwise;
}

namespace {

double volume(const std::vector<std::int64_t>& extents) {
  double product = 1;
  for (const std::int64_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

double expected_seconds(const Want& want, const RecordedWorkload& workload, double seconds) {
  if (want.query.size.empty()) return seconds;
  return seconds * volume(want.query.size) / volume(workload.extents);
}

constexpr const char* imported_note = "imported: measured by another program, not checked here; ";

Candidate record_of(Records& records, const Ranked& ranked, const RankedRecord& entry) {
  const RecordedWorkload& workload = *ranked.workload;
  Candidate result;
  result.match = ranked.match;
  result.recorded_seconds = entry.seconds;
  result.recorded_value = entry.value;
  result.seconds = expected_seconds(records.want(), workload, entry.seconds);
  result.distance = ranked.distance;
  result.other_driver = ranked.other_driver;
  result.other_compiler = ranked.other_compiler;
  result.other_sources = ranked.other_sources;
  result.size = workload.size;
  result.device = workload.device.compute_major > 0 ? workload.device.model_key : workload.device.name;
  result.driver = workload.driver;
  result.compiler = workload.compiler;
  result.database = records.file_of(workload);
  result.work = workload.id;
  result.evaluation = entry.evaluation;
  result.imported = records.want().origin == "imported";
  result.why = (result.imported ? imported_note : "") + explanation(records.want(), ranked);
  const Board board = records.board_of(workload, entry);
  result.board = board.uuid;
  result.power_limit = board.power_limit;
  if (ranked.kin != Kinship::same) return result;
  const Device& wanted = records.want().query.device;
  result.board_difference = board_difference(wanted, board);
  if (!result.board_difference.empty())
    result.why += "; " + result.board_difference;
  else if (board_fit(wanted, board) != BoardFit::same)
    result.why += "; recorded on another board of this model";
  return result;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

/// Names a board that fits less and was better than `entry`, of a workload that is else the same; empty where
/// there is none.
std::string better_elsewhere(Records& records, const Ranked& ranked, const RankedRecord& entry) {
  const RecordedWorkload& ours = *ranked.workload;
  const RecordedWorkload* other = nullptr;
  double least = entry.value;
  for (const RecordedWorkload& workload : records.workloads()) {
    if (workload.board <= ours.board || workload.size != ours.size || workload.settings != ours.settings ||
        workload.device.model_key != ours.device.model_key || workload.compiler != ours.compiler ||
        workload.source_hash != ours.source_hash)
      continue;
    const RankedRecord* winner = records.winner(workload);
    if (winner == nullptr || winner->value >= least) continue;
    least = winner->value;
    other = &workload;
  }
  if (other == nullptr) return {};
  const Board board = records.board_of(*other, *records.winner(*other));
  return "; on another board" +
         (board.power_limit > 0 ? " with a power limit of " + watts(board.power_limit) : std::string()) +
         " there is a result that is better by " + percent(1 - least / entry.value);
}

std::string counted(int count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string loss_text(const std::optional<Loss>& loss) {
  if (!loss) return "; the records do not show the loss";
  return "; expected to be " + percent(loss->expected) + " slower than the best, " + percent(loss->worst) +
         " at worst, by " + counted(loss->pairs, "pair") + " of records";
}

}  // namespace

std::vector<Ranked> ranked_workloads(Records& records) {
  std::vector<Ranked> ranked = rank(records.workloads(), records.want());
  const auto value = [&records](const Ranked& one) {
    const RankedRecord* winner = records.winner(*one.workload);
    return winner == nullptr ? std::numeric_limits<double>::infinity() : winner->value;
  };
  for (auto begin = ranked.begin(); begin != ranked.end();) {
    const auto end =
        std::find_if(begin, ranked.end(), [&](const Ranked& one) { return !equal_fit(*begin, one); });
    if (end - begin > 1)
      std::stable_sort(begin, end, [&](const Ranked& a, const Ranked& b) { return value(a) < value(b); });
    begin = end;
  }
  return ranked;
}

Candidate candidate_of(Records& records, const Ranked& ranked, const RankedRecord& entry) {
  Candidate result = record_of(records, ranked, entry);
  result.configuration = parse_configuration(entry.configuration, result.database);
  if (ranked.kin == Kinship::same) result.why += better_elsewhere(records, ranked, entry);
  if (ranked.match == Match::nearest_size || ranked.match == Match::same_architecture) {
    result.loss = expected_loss(records, ranked.match, ranked.distance);
    result.why += loss_text(result.loss);
  }
  return result;
}

std::optional<Candidate> portfolio_candidate(Records& records, const std::vector<Ranked>& ranked,
                                             std::size_t* source) {
  const auto found = portfolio_default(records, ranked);
  if (!found) return std::nullopt;
  if (source != nullptr) *source = found->nearest->source;
  Candidate result = record_of(records, found->fit, found->entry);
  result.configuration = parse_configuration(found->entry.configuration, result.database);
  result.match = Match::portfolio;
  result.loss = found->loss;
  result.why = (result.imported ? imported_note : "") +
               std::string("the configuration that loses least over all records") +
               std::string(found->any_architecture ? " of other devices" : " of this architecture") + ": " +
               percent(found->loss.worst) + " at worst in " + std::to_string(found->loss.pairs) + " of " +
               counted(found->workloads, "recorded workload") + "; no record is like this query (" +
               recorded_devices(records.workloads()) + ")";
  return result;
}

namespace {

/// Adds new entries of a workload's ranking, the first with the sentence about the workload.
void add_workload(Records& records, const Ranked& ranked, std::size_t max_count, std::set<std::string>& seen,
                  std::vector<Candidate>& found) {
  std::string why;
  for (const RankedRecord& entry : records.fastest(*ranked.workload, max_count + seen.size())) {
    if (found.size() >= max_count) return;
    if (!seen.insert(entry.key).second) continue;
    if (why.empty()) {
      found.push_back(candidate_of(records, ranked, entry));
      why = found.back().why;
      continue;
    }
    found.push_back(record_of(records, ranked, entry));
    found.back().configuration = parse_configuration(entry.configuration, found.back().database);
    found.back().why = why + "; not its fastest";
  }
}

std::vector<Candidate> readable_candidates(Records& records, std::size_t max_count) {
  const std::vector<Ranked> ranked = ranked_workloads(records);
  std::vector<Candidate> found;
  std::set<std::string> seen;
  for (const Ranked& one : ranked) {
    if (found.size() >= max_count || one.match == Match::none) break;
    add_workload(records, one, max_count, seen, found);
  }
  if (found.size() >= max_count) return found;
  auto last = portfolio_candidate(records, ranked);
  const auto same = [&last](const Candidate& one) { return one.configuration == last->configuration; };
  if (last && std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(*last));
  return found;
}

}  // namespace

std::vector<Candidate> search(const std::vector<Connection*>& connections, const Want& want,
                              std::size_t max_count) {
  Records records(connections, want);
  std::vector<Candidate> found = readable_candidates(records, max_count);
  if (records.left_out().empty()) return found;
  const std::string& file = connections[records.left_out().begin()->first]->file();
  if (found.empty())
    throw Failed({Code::damaged, file + " holds a configuration that cannot be read"}, SQLITE_CORRUPT);
  found.front().why += "; " + counted(static_cast<int>(records.left_out().size()), "record") + " of " + file +
                       " cannot be read";
  return found;
}

}  // namespace tune::lookup
