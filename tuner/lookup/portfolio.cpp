// SPDX-License-Identifier: Apache-2.0
#include "tuner/lookup/portfolio.hpp"

#include <algorithm>
#include <tuple>

namespace tune::lookup {
namespace {

// Looked at in one work until nothing better can come: the fastest dozens as a rule.
constexpr std::size_t most_candidates = 4096;

bool stale(const Ranked& one) {
  return one.other_driver || one.other_compiler || one.other_sources;
}

std::vector<Ranked> group_of(Records& records, const std::vector<Ranked>& ranked) {
  std::vector<Ranked> all, kin;
  for (const Ranked& one : ranked) {
    if (records.winner(*one.work) == nullptr) continue;
    all.push_back(one);
    if (one.kin <= Kinship::architecture) kin.push_back(one);
  }
  std::vector<Ranked> group = kin.empty() ? all : kin;
  std::vector<Ranked> fresh;
  std::copy_if(group.begin(), group.end(), std::back_inserter(fresh),
               [](const Ranked& one) { return !stale(one); });
  return fresh.empty() ? group : fresh;
}

/// What one configuration does in all works of the group.
struct Score {
  int measured = 0;
  double sum = 0, worst = 0;
  bool failed = false;
};

Score score_of(Records& records, const std::vector<Ranked>& group, const std::string& key, double give_up) {
  Score score;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.work, key);
    if (!there) continue;
    const auto loss = records.loss(*one.work, *there);
    score.failed = score.failed || !loss;
    if (!loss) return score;
    ++score.measured;
    score.sum += *loss;
    score.worst = std::max(score.worst, *loss);
    if (score.worst >= give_up) return score;
  }
  return score;
}

struct Choice {
  std::string key;
  Score score;
};

/// The work with the fewest measurements, among which all are that were measured everywhere.
const RecordedWork& smallest_work(Records& records, const std::vector<Ranked>& group) {
  const RecordedWork* smallest = group.front().work;
  std::size_t least = most_candidates;
  for (const Ranked& one : group) {
    const std::size_t count = records.count_measured(*one.work, least);
    if (count < least) smallest = one.work;
    least = std::min(least, count);
  }
  return *smallest;
}

/// Of those measured everywhere the one with the smallest worst loss: no more than what is faster in one work
/// than the best so far has to be looked at.
std::optional<Choice> exact_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<Choice> best;
  const RecordedWork& work = smallest_work(records, group);
  const double fastest = records.winner(work)->value;
  std::size_t most = 32;
  for (std::size_t seen = 0; seen < most_candidates; most *= 4) {
    const std::vector<Entry> entries = records.fastest(work, most, Order::value);
    for (; seen < entries.size(); ++seen) {
      const double worst = best ? best->score.worst : 1e300;
      const Entry& entry = entries[seen];
      if (entry.value / fastest - 1 >= worst) return best;
      const Score score = score_of(records, group, entry.key, worst);
      const bool everywhere = score.measured == static_cast<int>(group.size());
      if (everywhere && !score.failed && score.worst < worst) best = Choice{entry.key, score};
    }
    if (entries.size() < most) break;
  }
  return best;
}

std::optional<Choice> widest_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<Choice> best;
  const auto rank = [](const Choice& choice) {
    return std::tuple(-choice.score.measured, choice.score.worst);
  };
  for (const Ranked& one : group) {
    const std::string& key = records.winner(*one.work)->key;
    const Choice choice = {key, score_of(records, group, key, 1e300)};
    if (!choice.score.failed && (!best || rank(choice) < rank(*best))) best = choice;
  }
  return best;
}

}  // namespace

std::optional<Default> portfolio_default(Records& records, const std::vector<Ranked>& ranked) {
  const std::vector<Ranked> group = group_of(records, ranked);
  if (group.empty()) return std::nullopt;
  std::optional<Choice> choice = exact_choice(records, group);
  if (!choice) choice = widest_choice(records, group);
  if (!choice) return std::nullopt;
  Default result;
  result.works = static_cast<int>(group.size());
  result.loss = {choice->score.sum / choice->score.measured, choice->score.worst, choice->score.measured};
  result.any_architecture = group.front().kin > Kinship::architecture;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.work, choice->key);
    if (!there) continue;
    result.entry = there->entry;
    result.nearest = one.work;
    result.fit = one;
    break;
  }
  return result;
}

}  // namespace tune::lookup
