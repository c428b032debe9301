// SPDX-License-Identifier: Apache-2.0
#include "lookup/include/tune/lookup.hpp"

#include <sys/stat.h>

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "lookup/src/absence.hpp"
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

/// `places`: where recordings were searched.
std::string no_recordings_in(const std::vector<std::string>& places) {
  std::string reason = "no recordings are in";
  for (const std::string& place : places) reason += (&place == &places.front() ? " " : ", ") + place;
  return reason + "; set TUNE_RECORDINGS to their folder";
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
      const std::vector<std::string> files = default_recordings(options.installed);
      for (const std::string& file : files) add(file, true, options.patience_ms);
      if (files.empty()) searched_ = recording_places(options.installed);
      return;
    }
    for (const std::string& path : *options.recordings) {
      if (!is_folder(path))
        add(path, true, options.patience_ms);
      else
        for (const std::string& file : databases_in(path)) add(file, true, options.patience_ms);
    }
    if (files_.empty()) searched_ = *options.recordings;
  }

  /// Answers from the stored answers, else by a search.
  Expected<std::vector<Candidate>> candidates(const Query& query, std::size_t most) {
    return answer(lists_, query, most, [&] { return find(query, most, nullptr); });
  }

  Expected<Candidate> best(const Query& query) {
    return answer(singles_, query, 1, [&] {
      Candidate none;
      std::vector<Candidate> found = find(query, 1, &none.why);
      return found.empty() ? std::move(none) : std::move(found.front());
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

  /// Where nothing is found, sets the reason, if it is asked for.
  std::vector<Candidate> find(const Query& query, std::size_t most, std::string* reason) {
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
    if (found.empty() && reason != nullptr) {
      *reason = connections.empty() ? "there is no database" : reason_of_absence(connections, want);
      if (!searched_.empty())
        *reason += (connections.empty() ? ", and " : "; ") + no_recordings_in(searched_);
    }
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
  std::vector<std::string> searched_ = {};  ///< for recordings, where there are none
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
