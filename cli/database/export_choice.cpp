// SPDX-License-Identifier: Apache-2.0
#include "cli/database/export_choice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Works = std::vector<db::WorkInfo>;

/// Equal for works that differ in versions alone.
auto question_of(const db::WorkInfo& work) {
  return std::tuple(work.problem, work.size, work.settings, work.model_key, work.origin, work.cache);
}

/// What may differ between works of one problem, size, settings and device.
struct Fact {
  const char* name;
  std::string (*of)(const db::WorkInfo& work);
};
constexpr std::array facts = {
    Fact{"origin", [](const db::WorkInfo& work) { return std::string(to_string(work.origin)); }},
    Fact{"cache", [](const db::WorkInfo& work) { return std::string(to_string(work.cache)); }},
    Fact{"sources", [](const db::WorkInfo& work) { return work.toolchain.source_hash.substr(0, 8); }},
    Fact{"compiler", [](const db::WorkInfo& work) { return work.toolchain.compiler; }},
    Fact{"driver", [](const db::WorkInfo& work) { return work.driver; }}};

template<class Of>
std::set<std::string> values_of(const Works& works, Of of) {
  std::set<std::string> values;
  for (const db::WorkInfo& work : works) values.insert(of(work));
  return values;
}

std::string some_of(const std::set<std::string>& values) {
  constexpr std::size_t most = 4;
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count++ == most) return text + ", ...";
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

/// Whether the results are of the kernel sources that this program has, by problem; no of problems that it
/// does not know.
class Current {
 public:
  bool operator()(const db::WorkInfo& work) {
    const auto [found, missing] = hashes_.try_emplace(work.problem);
    if (missing && std::ranges::count(kernels::problems(), work.problem, &kernels::ProblemEntry::name) > 0)
      found->second = source_hash(*kernels::make_problem(work.problem), kernels::EmbeddedSources());
    return !found->second.empty() && work.toolchain.source_hash == found->second;
  }

 private:
  std::map<std::string, std::string> hashes_;
};

bool has(const Configuration& stored, const Settings& settings) {
  return std::ranges::all_of(settings, [&](const auto& setting) {
    return stored.has(setting.first) && stored[setting.first].to_string() == setting.second.to_string();
  });
}

Configuration settings_of(const db::WorkInfo& work) {
  return work.settings.empty() ? Configuration() : Configuration::parse(work.settings);
}

/// `radius: 1, 2; type: float` of the settings with at least so many values.
std::string settings_of(const Works& works, std::size_t least) {
  std::set<std::string> names;
  for (const db::WorkInfo& work : works) {
    const Configuration stored = settings_of(work);
    for (const auto& [name, value] : stored.entries()) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    const auto values = values_of(works, [&](const db::WorkInfo& work) {
      const Configuration stored = settings_of(work);
      return stored.has(name) ? stored[name].to_string() : std::string("none");
    });
    if (values.size() >= least) text += format("{}{}: {}", text.empty() ? "" : "; ", name, some_of(values));
  }
  return text;
}

}  // namespace

Instance instance_of(const db::WorkInfo& work) {
  return {work.problem, work.extents, settings_of(work).entries()};
}

std::string title_of(const db::WorkInfo& work) {
  return format("{} {} on {}{}{}", work.problem, instance_of(work).key(), work.device,
                work.origin == Origin::measured ? "" : format(" ({})", to_string(work.origin)),
                work.cache == CacheState::warm ? " with warm caches" : "");
}

Works fitting_works(const db::Database& database, const StoredChoice& choice, const Settings& settings) {
  std::map<std::int64_t, db::WorkInfo> found;
  for (const db::RunSummary& run : db::list_runs(database)) {
    const db::WorkInfo& work = run.work;
    if ((!choice.problem || *choice.problem == work.problem) && (!choice.size || *choice.size == work.size) &&
        (!choice.device || *choice.device == work.device || *choice.device == work.model_key) &&
        has(settings_of(work), settings))
      found.emplace(work.id, work);
  }
  Works works, exact;
  for (auto& [id, work] : found) {
    if (settings_of(work).entries().size() == settings.size()) exact.push_back(work);
    works.push_back(std::move(work));
  }
  return settings.empty() || exact.empty() ? works : exact;
}

Works current_works(Works works, std::vector<std::string>& notes) {
  Current current;
  Works kept;
  for (const db::WorkInfo& work : works) {
    const bool gives_way = !current(work) && std::ranges::any_of(works, [&](const db::WorkInfo& other) {
      return question_of(other) == question_of(work) && current(other);
    });
    if (!gives_way) kept.push_back(work);
    if (gives_way)
      notes.push_back(
          format("{}: results of other kernel sources ({}) are left out; a folder with --out takes "
                 "them too",
                 title_of(work), work.toolchain.source_hash.substr(0, 8)));
  }
  return kept;
}

Works best_works(const db::Database& database, const Works& works) {
  using Rank = std::pair<bool, double>;  // stale, seconds
  Current current;
  std::map<decltype(question_of(works.front())), std::pair<Rank, db::WorkInfo>> best;
  for (const db::WorkInfo& work : works) {
    db::ResultFilter fastest;
    fastest.work = work.id;
    fastest.limit = 1;
    const auto rows = db::list_results(database, fastest);
    if (rows.empty() || !rows.front().time) continue;
    const Rank rank{!current(work), *rows.front().time};
    const auto [found, missing] = best.try_emplace(question_of(work), rank, work);
    if (!missing && rank < found->second.first) found->second = {rank, work};
  }
  Works chosen;
  for (auto& [question, winner] : best) chosen.push_back(std::move(winner.second));
  std::ranges::sort(chosen, {}, &db::WorkInfo::id);
  return chosen;
}

std::string differences(const Works& works) {
  std::string choose;
  const auto tell = [&](const std::string& option, const std::set<std::string>& values) {
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : " and ", option, some_of(values));
  };
  tell("--problem", values_of(works, [](const db::WorkInfo& work) { return work.problem; }));
  tell("--size", values_of(works, [](const db::WorkInfo& work) { return work.size; }));
  tell("--device", values_of(works, [](const db::WorkInfo& work) { return work.device; }));
  const std::string settings = settings_of(works, 2);
  if (!settings.empty()) choose += format("{}--set ({})", choose.empty() ? "" : " and ", settings);
  if (!choose.empty()) return "choose with " + choose + ", or name a folder with --out (caches/)";
  for (const Fact& fact : facts) {
    const auto values = values_of(works, fact.of);
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : ", ", fact.name, some_of(values));
  }
  return format("they differ in {} alone: name a folder with --out (caches/)", choose);
}

std::string settings_there(const Works& works) {
  const std::string text = settings_of(works, 1);
  return text.empty() ? text : "; there is: " + text;
}

std::vector<std::string> file_names(const Works& works) {
  const auto plain = [](std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
    return text;
  };
  const auto base = [&](const db::WorkInfo& work) {
    return plain(work.problem + "_" + work.size + (work.settings.empty() ? "" : "_" + work.settings) + "_" +
                 work.device);
  };
  std::map<std::string, Works> alike;
  for (const db::WorkInfo& work : works) alike[base(work)].push_back(work);
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const db::WorkInfo& work : works) {
    std::string name = base(work);
    const Works& others = alike[name];
    for (const Fact& fact : facts)
      if (values_of(others, fact.of).size() > 1) name += plain(format("_{}-{}", fact.name, fact.of(work)));
    std::string unique = name;
    for (int number = 2; !used.insert(unique).second; ++number) unique = format("{}_{}", name, number);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace tune::cli
