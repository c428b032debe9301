// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/portfolio.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tune::lookup {
namespace {

/// Keeps one of the configurations that serve the same workloads: the one with the smallest worst loss.
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

/// Returns the keys of all configurations that lose no more than the bound in the workload.
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

/// Goes through the sets of served workloads, smaller ones first: some configuration has to serve the first
/// workload that a set lacks.
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
  for (std::size_t i = 0; i < workloads.size(); ++i)
    if (std::none_of(all.begin(), all.end(), [i](const CoverChoice& choice) { return choice.serves[i]; }))
      throw Failed(
          {Code::damaged, records.file_of(*workloads[i]) +
                              " is damaged: its best configuration is none of its results; restore a "
                              "copy, or copy the sound results with 'tune db salvage'"},
          SQLITE_CORRUPT);
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

namespace {

// Limits the configurations that are tried, so that an answer takes a millisecond in a large database too.
// Where times in different workloads are related, the smallest worst loss is found among far fewer.
constexpr std::size_t max_candidates = 32;

// Where all workloads have more measurements than this, any of them serves.
constexpr std::size_t many_measurements = 256;

bool stale(const Ranked& one) {
  return one.other_driver || one.other_compiler || one.other_sources;
}

std::vector<Ranked> group_of(Records& records, const std::vector<Ranked>& ranked) {
  std::vector<Ranked> all, kin;
  for (const Ranked& one : ranked) {
    if (records.winner(*one.workload) == nullptr) continue;
    all.push_back(one);
    if (one.kin <= Kinship::architecture) kin.push_back(one);
  }
  std::vector<Ranked> group = kin.empty() ? all : kin;
  std::vector<Ranked> fresh;
  std::copy_if(group.begin(), group.end(), std::back_inserter(fresh),
               [](const Ranked& one) { return !stale(one); });
  return fresh.empty() ? group : fresh;
}

/// The losses of one configuration in all workloads of the group.
struct Score {
  int measured = 0;
  double sum = 0, worst = 0;
  bool failed = false;
};

/// Stops where the worst loss reaches `give_up`, or where fewer than `at_least` workloads can have a
/// measurement of it.
Score score_of(Records& records, const std::vector<Ranked>& group, const std::string& key, double give_up,
               std::size_t at_least) {
  Score score;
  std::size_t missing = 0;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.workload, key);
    if (!there && ++missing + at_least > group.size()) return score;
    if (!there) continue;
    const auto loss = records.loss(*one.workload, *there);
    score.failed = score.failed || !loss;
    if (!loss) return score;
    ++score.measured;
    score.sum += *loss;
    score.worst = std::max(score.worst, *loss);
    if (score.worst >= give_up) return score;
  }
  return score;
}

struct PortfolioChoice {
  std::string key;
  Score score;
};

/// Returns the workload with the fewest measurements, which include all that were measured everywhere.
const RecordedWorkload& smallest_workload(Records& records, const std::vector<Ranked>& group) {
  const RecordedWorkload* smallest = group.front().workload;
  std::size_t min = many_measurements;
  for (const Ranked& one : group) {
    const std::size_t count = records.count_measured(*one.workload, min);
    if (count < min) smallest = one.workload;
    min = std::min(min, count);
  }
  return *smallest;
}

/// Returns the configuration with the smallest worst loss of those measured everywhere. Goes through the
/// fastest of one workload, and stops at those that are slower there than the worst loss so far.
std::optional<PortfolioChoice> exact_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<PortfolioChoice> best;
  const RecordedWorkload& workload = smallest_workload(records, group);
  const double fastest = records.winner(workload)->value;
  for (const RankedRecord& entry : records.fastest(workload, max_candidates, Order::value)) {
    const double worst = best ? best->score.worst : 1e300;
    if (entry.value / fastest - 1 >= worst) return best;
    const Score score = score_of(records, group, entry.key, worst, group.size());
    const bool everywhere = score.measured == static_cast<int>(group.size());
    if (everywhere && !score.failed && score.worst < worst) best = PortfolioChoice{entry.key, score};
  }
  return best;
}

std::optional<PortfolioChoice> widest_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<PortfolioChoice> best;
  const auto rank = [](const PortfolioChoice& choice) {
    return std::tuple(-choice.score.measured, choice.score.worst);
  };
  for (const Ranked& one : group) {
    const std::string& key = records.winner(*one.workload)->key;
    const std::size_t at_least = best ? static_cast<std::size_t>(best->score.measured) : 1;
    const PortfolioChoice choice = {key, score_of(records, group, key, 1e300, at_least)};
    if (!choice.score.failed && (!best || rank(choice) < rank(*best))) best = choice;
  }
  return best;
}

}  // namespace

std::optional<Default> portfolio_default(Records& records, const std::vector<Ranked>& ranked) {
  const std::vector<Ranked> group = group_of(records, ranked);
  if (group.empty()) return std::nullopt;
  std::optional<PortfolioChoice> choice = exact_choice(records, group);
  if (!choice) choice = widest_choice(records, group);
  if (!choice) return std::nullopt;
  Default result;
  result.workloads = static_cast<int>(group.size());
  result.loss = {choice->score.sum / choice->score.measured, choice->score.worst, choice->score.measured};
  result.any_architecture = group.front().kin > Kinship::architecture;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.workload, choice->key);
    if (!there) continue;
    result.entry = there->entry;
    result.nearest = one.workload;
    result.fit = one;
    break;
  }
  return result;
}

}  // namespace tune::lookup
