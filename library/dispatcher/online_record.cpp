// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/online_record.hpp"

#include "db/read/best.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {

template<class Function>
void OnlineRecord::attempt(Function function) {
  if (store_ == nullptr) return;
  try {
    function();
  } catch (const tune::Error& error) {
    notice_ = format("results are no longer stored: {}", error.what());
    store_.reset();
  }
}

OnlineRecord::OnlineRecord(const std::string& path, RunRecord record) : record_(std::move(record)) {
  try {
    database_ = std::make_unique<db::Database>(run::database_path(path));
    store_ = std::make_unique<db::SqliteStore>(*database_);
  } catch (const tune::Error& error) {
    notice_ = format("results are not stored: {}", error.what());
  }
}

std::vector<search::Configuration> OnlineRecord::starts(const search::SearchSpace& space) {
  std::vector<search::Configuration> exact, near;
  attempt([&] {
    for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
      const WorkloadKey& key = record_.key;
      for (const db::BestCandidate& found :
           db::best(*database_, {.problem = key.instance.problem,
                                .device = db::lookup_device(key.device),
                                .extents = key.instance.extents,
                                .settings = key.instance.settings_key(),
                                .toolchain = Toolchain{"", key.toolchain.source_hash},
                                .cache = cache})) {
        if (found.match == db::Match::none || !space.allows(found.result.configuration)) continue;
        const bool same = found.match == db::Match::exact && found.same_sources;
        (same ? exact : near).push_back(found.result.configuration);
      }
    }
  });
  exact.insert(exact.end(), near.begin(), near.end());
  return exact;
}

std::vector<tune::Evaluation> OnlineRecord::known(CacheState cache) {
  std::vector<tune::Evaluation> all;
  WorkloadKey key = record_.key;
  key.cache = cache;
  attempt([&] { all = known_answers(*store_, key, tune::Objective::time, record_.options.timeout); });
  return all;
}

void OnlineRecord::record(const tune::Evaluation& evaluation) {
  attempt([&] {
    if (!run_) run_ = store_->begin_run(record_);
    store_->record(*run_, evaluation);
  });
}

void OnlineRecord::record_best(const search::Configuration& configuration,
                               const std::vector<double>& seconds) {
  attempt([&] {
    if (!run_ || seconds.empty()) return;
    RerankPlace place;
    place.configuration = configuration;
    for (const double one : seconds) place.rounds.push_back({one, 0});
    RerankResult rerank;
    rerank.places = rank_top_k({std::move(place)}, tune::Objective::time);
    store_->record_rerank(*run_, rerank);
  });
}

void OnlineRecord::end(RunEnd end) {
  attempt([&] {
    if (run_) store_->end_run(*run_, end);
    run_.reset();
  });
}

}  // namespace tune::api
