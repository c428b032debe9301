// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/cover.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tune::lookup {
namespace {

/// Configurations that serve the same works stand for each other: the one with the smallest worst loss.
struct CoverChoice {
  std::vector<bool> serves;
  double worst = 0;
  std::string key;
};

std::vector<const RecordedWorkload*> measured(Records& records,
                                              const std::vector<const RecordedWorkload*>& workloads) {
  std::vector<const RecordedWorkload*> result;
  for (const RecordedWorkload* workload : workloads)
    if (records.winner(*workload) != nullptr) result.push_back(workload);
  return result;
}

/// The keys of all that loses no more than the bound in the work.
void add_keys(Records& records, const RecordedWorkload& workload, double bound, std::set<std::string>& keys) {
  const double slowest = records.winner(workload)->value * (1 + bound);
  keys.insert(records.winner(workload)->key);
  for (std::size_t max = 64;; max *= 4) {
    const std::vector<RankedRecord> entries = records.fastest(workload, max, Order::value);
    for (const RankedRecord& entry : entries) {
      if (entry.value > slowest) return;
      keys.insert(entry.key);
    }
    if (entries.size() < max) return;
  }
}

std::vector<CoverChoice> choices(Records& records, const std::vector<const RecordedWorkload*>& workloads,
                                 double bound) {
  std::set<std::string> keys;
  for (const RecordedWorkload* workload : workloads) add_keys(records, *workload, bound, keys);
  std::map<std::vector<bool>, CoverChoice> by_workloads;
  for (const std::string& key : keys) {
    CoverChoice choice{std::vector<bool>(workloads.size()), 0, key};
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      const auto there = records.outcome(*workloads[i], key);
      const auto loss = there ? records.loss(*workloads[i], *there) : std::nullopt;
      if (!loss || *loss > bound) continue;
      choice.serves[i] = true;
      choice.worst = std::max(choice.worst, *loss);
    }
    const auto known = by_workloads.find(choice.serves);
    if (known == by_workloads.end() || choice.worst < known->second.worst)
      by_workloads[choice.serves] = choice;
  }
  std::vector<CoverChoice> result;
  for (auto& [serves, choice] : by_workloads) result.push_back(std::move(choice));
  return result;
}

/// By the sets of works that are served, smaller ones first: the first work that a set lacks has to be served
/// by somebody.
std::vector<const CoverChoice*> smallest(const std::vector<CoverChoice>& all, std::size_t workloads) {
  struct State {
    int count = -1;
    double worst = 0;
    std::size_t before = 0;
    const CoverChoice* by = nullptr;
  };
  const auto mask_of = [](const CoverChoice& choice) {
    std::size_t mask = 0;
    for (std::size_t i = 0; i < choice.serves.size(); ++i) mask |= std::size_t{choice.serves[i]} << i;
    return mask;
  };
  std::vector<State> states(std::size_t{1} << workloads);
  states[0].count = 0;
  for (std::size_t mask = 0; mask + 1 < states.size(); ++mask) {
    if (states[mask].count < 0) continue;
    std::size_t lacking = 0;
    while ((mask >> lacking & 1) != 0) ++lacking;
    for (const CoverChoice& choice : all) {
      if (!choice.serves[lacking]) continue;
      const State next = {states[mask].count + 1, states[mask].worst + choice.worst, mask, &choice};
      State& known = states[mask | mask_of(choice)];
      if (known.count < 0 || std::tie(next.count, next.worst) < std::tie(known.count, known.worst))
        known = next;
    }
  }
  std::vector<const CoverChoice*> chosen;
  for (std::size_t mask = states.size() - 1; mask != 0; mask = states[mask].before)
    chosen.push_back(states[mask].by);
  return chosen;
}

std::vector<const CoverChoice*> greedy(const std::vector<CoverChoice>& all, std::size_t workloads) {
  std::vector<bool> served(workloads);
  std::vector<const CoverChoice*> chosen;
  const auto gain = [&served](const CoverChoice& choice) {
    std::ptrdiff_t count = 0;
    for (std::size_t i = 0; i < served.size(); ++i) count += choice.serves[i] && !served[i] ? 1 : 0;
    return count;
  };
  while (std::find(served.begin(), served.end(), false) != served.end()) {
    const CoverChoice& best =
        *std::min_element(all.begin(), all.end(), [&](const CoverChoice& a, const CoverChoice& b) {
          return std::tuple(-gain(a), a.worst) < std::tuple(-gain(b), b.worst);
        });
    for (std::size_t i = 0; i < workloads; ++i) served[i] = served[i] || best.serves[i];
    chosen.push_back(&best);
  }
  return chosen;
}

}  // namespace

Cover cover(Records& records, const std::vector<const RecordedWorkload*>& all_workloads, double bound) {
  const std::vector<const RecordedWorkload*> workloads = measured(records, all_workloads);
  Cover result;
  result.exact = workloads.size() <= max_exact_workloads;
  if (workloads.empty()) return result;
  const std::vector<CoverChoice> all = choices(records, workloads, bound);
  const auto chosen = result.exact ? smallest(all, workloads.size()) : greedy(all, workloads.size());
  for (const RecordedWorkload* workload : workloads) {
    Cover::Served served{workload, 0, 1e300};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto there = records.outcome(*workload, chosen[i]->key);
      const auto loss = there ? records.loss(*workload, *there) : std::nullopt;
      if (!loss || *loss >= served.loss) continue;
      served = {workload, i, *loss};
    }
    result.workloads.push_back(served);
  }
  for (const CoverChoice* choice : chosen)
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      if (!choice->serves[i]) continue;
      result.configurations.push_back(records.outcome(*workloads[i], choice->key)->entry);
      break;
    }
  return result;
}

}  // namespace tune::lookup
