// SPDX-License-Identifier: Apache-2.0
#include "lookup/include/tune/lookup.hpp"

#include <sys/stat.h>

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "lookup/src/matching.hpp"
#include "lookup/src/paths.hpp"
#include "lookup/src/search.hpp"

namespace tune::lookup {
namespace {

// The limit of stored answers, at which all are forgotten: a program with more questions hardly repeats one.
constexpr std::size_t max_answers = 65536;

void append(std::string& key, std::int64_t number) {
  for (int byte = 0; byte < 8; ++byte)
    key += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * byte));
}

void append(std::string& key, const std::string& text) {
  append(key, static_cast<std::int64_t>(text.size()));
  key += text;
}

/// Returns a key of the whole query: equal keys are equal questions.
std::string key_of(const Query& query, std::size_t most) {
  std::string key;
  key.reserve(256);
  append(key, static_cast<std::int64_t>(most));
  append(key, query.problem);
  append(key, query.device.name);
  append(key, query.device.compute_major);
  append(key, query.device.compute_minor);
  append(key, query.device.multiprocessors);
  append(key, query.device.global_memory);
  append(key, static_cast<std::int64_t>(query.device.bandwidth));
  append(key, query.device.driver);
  append(key, query.device.board);
  std::int64_t power_limit = 0;  // its bits
  std::memcpy(&power_limit, &query.device.power_limit, sizeof power_limit);
  append(key, power_limit);
  append(key, static_cast<std::int64_t>(query.size.size()));
  for (const std::int64_t extent : query.size) append(key, extent);
  append(key, static_cast<std::int64_t>(query.settings.size()));
  for (const auto& [name, value] : query.settings) {
    append(key, name);
    append(key, value);
  }
  append(key, query.compiler);
  append(key, query.source_hash);
  key += query.warm_caches ? 'w' : 'c';
  key += query.imported ? 'i' : 'm';
  return key;
}

bool exists(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::optional<Error> refusal(const Query& query) {
  if (query.problem.empty()) return Error{Code::bad_query, "the query names no problem"};
  for (const std::int64_t extent : query.size)
    if (extent <= 0)
      return Error{Code::bad_query, "an extent of the query is not positive: " + std::to_string(extent)};
  for (std::size_t i = 0; i < query.settings.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (query.settings[i].first == query.settings[j].first)
        return Error{Code::bad_query, "the query sets '" + query.settings[i].first + "' twice"};
  return std::nullopt;
}

/// `places`: where recordings were searched, if no file was found at all.
Candidate no_candidate(const Query& query, const std::vector<std::string>& places) {
  Candidate none;
  if (!places.empty()) {
    none.why = "there is no database, and no recordings are in";
    for (const std::string& place : places) none.why += (&place == &places.front() ? " " : ", ") + place;
    none.why += "; set TUNE_RECORDINGS to their folder";
    return none;
  }
  none.why = std::string("there are no ") + (query.imported ? "imported " : "") + "records of " +
             query.problem + " with these settings";
  if (!has_defaults(query.problem)) none.why += "; name all settings that 'tune list runs' shows";
  return none;
}

}  // namespace

/// The state that all copies of a Lookup share.
class Lookup::Shared {
 public:
  explicit Shared(const Options& options) {
    std::optional<std::string> own = options.database ? options.database : default_database();
    if (!options.database && own && !exists(*own)) own.reset();
    if (own && !own->empty()) add_own(*own, options);
    if (!options.recordings) {
      for (const std::string& file : default_recordings(options.installed_recordings))
        add(file, true, options.patience_ms);
      if (files_.empty()) searched_ = recording_places(options.installed_recordings);
      return;
    }
    for (const std::string& path : *options.recordings) {
      if (!is_folder(path))
        add(path, true, options.patience_ms);
      else
        for (const std::string& file : databases_in(path)) add(file, true, options.patience_ms);
    }
  }

  /// Answers from the stored answers, else by a search.
  Expected<std::vector<Candidate>> candidates(const Query& query, std::size_t most) {
    return answer(lists_, query, most, [&] { return find(query, most); });
  }

  Expected<Candidate> best(const Query& query) {
    return answer(singles_, query, 1, [&] {
      std::vector<Candidate> found = find(query, 1);
      return found.empty() ? no_candidate(query, searched_) : std::move(found.front());
    });
  }

  void refresh() {
    const std::unique_lock lock(answers_lock_);
    lists_.clear();
    singles_.clear();
    ++generation_;
  }

  const std::vector<std::string>& files() const { return files_; }

 private:
  template<class T>
  using Answers = std::unordered_map<std::string, std::shared_ptr<const T>>;

  void add_own(const std::string& file, const Options& options) {
    try {
      add(file, false, options.patience_ms);
    } catch (const Failed& failed) {  // the default file, before the first record
      if (options.database || failed.error().code != Code::missing) throw;
    }
  }

  void add(const std::string& file, bool immutable, int patience_ms) {
    connections_.push_back(std::make_unique<Connection>(file, immutable, patience_ms));
    files_.push_back(file);
  }

  std::vector<Candidate> find(const Query& query, std::size_t most) {
    std::vector<Connection*> connections;
    std::vector<std::unique_ptr<Snapshot>> snapshots;
    for (const auto& connection : connections_) {
      connections.push_back(connection.get());
      snapshots.push_back(std::make_unique<Snapshot>(*connection));
    }
    Want want;
    if (query.imported) want.origin = "imported";
    want.query = query;
    std::vector<Candidate> found = search(connections, want, most);
    for (const Connection* connection : connections) connection->confirm();
    return found;
  }

  template<class T, class Find>
  Expected<T> answer(Answers<T>& answers, const Query& query, std::size_t most, Find find) {
    const std::string key = key_of(query, most);
    std::uint64_t generation = 0;
    {
      const std::shared_lock lock(answers_lock_);
      const auto known = answers.find(key);
      if (known != answers.end()) return known->second;
      generation = generation_;
    }
    if (auto error = refusal(query)) return *std::move(error);
    try {
      const std::lock_guard search_lock(search_lock_);
      const auto found = std::make_shared<const T>(find());
      const std::unique_lock lock(answers_lock_);
      if (answers.size() >= max_answers) answers.clear();
      if (generation == generation_) answers.emplace(key, found);
      return found;
    } catch (const Failed& failed) {
      return failed.error();
    }
  }

  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::string> searched_ = {};  ///< for recordings, where there is no file at all
  std::vector<std::string> files_;
  std::mutex search_lock_;          ///< of the connections
  std::shared_mutex answers_lock_;  ///< guards the members below
  Answers<std::vector<Candidate>> lists_;
  Answers<Candidate> singles_;
  std::uint64_t generation_ = 0;  ///< raised by refresh: an answer that was begun before is not kept
};

Lookup::Lookup(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

Expected<Lookup> Lookup::open(const Options& options) {
  try {
    return std::make_shared<const Lookup>(std::make_shared<Shared>(options));
  } catch (const Failed& failed) {
    return failed.error();
  }
}

Expected<Candidate> Lookup::best(const Query& query) const {
  return shared_->best(query);
}

Expected<std::vector<Candidate>> Lookup::candidates(const Query& query, std::size_t most) const {
  return shared_->candidates(query, most);
}

void Lookup::refresh() const {
  shared_->refresh();
}

const std::vector<std::string>& Lookup::files() const {
  return shared_->files();
}

}  // namespace tune::lookup
