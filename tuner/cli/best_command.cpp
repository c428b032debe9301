// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "db/best.hpp"
#include "kernels/sources.hpp"
#include "search/space/nearest.hpp"
#include "tuner/cli/best_text.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/work_choice.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/cuda/available.hpp"

namespace tune::cli {
namespace {

po::options_description options() {
  po::options_description all;
  add_work_options(all);
  all.add_options()(
      "device", po::value<std::string>()->value_name("D"),
      "number of a GPU, or a device's name as 'tune list devices' shows it; default: the first GPU, "
      "else any device");
  all.add_options()("cache", po::value<std::string>()->default_value("cold")->value_name("C"),
                    "of the caches when an execution starts: cold or warm");
  add_database_option(all);
  add_format_option(all, "text, json, flags (-D options for a compiler) or header (C++)");
  return all;
}

/// What is known of the device for which an answer is wanted.
db::BestQuery device_query(const po::variables_map& values) {
  db::BestQuery query;
  const std::string text = text_of(values, "device");
  const std::optional<int> number = device_number(text);
  if (!text.empty() && !number) {
    query.device.name = text;
    return query;
  }
  std::string why_none;
  const std::vector<DeviceFacts> devices = cuda::list_devices(&why_none);
  if (number && static_cast<std::size_t>(*number) >= devices.size())
    throw UsageError(format("there is no device {}: {}", *number,
                            devices.empty() ? why_none : std::string("'tune devices' lists them")));
  if (devices.empty()) return query;
  query.device = db::lookup_device(devices[static_cast<std::size_t>(number.value_or(0))]);
  return query;
}

/// The person's own database where there is one, then the shipped recordings: of equal fit the first wins.
struct Databases {
  std::vector<std::unique_ptr<db::Database>> opened;
  std::size_t own = 0;  ///< how many are the person's

  explicit Databases(const po::variables_map& values) {
    const std::filesystem::path path = database_path(text_of(values, "db"));
    if (values.count("db") || std::filesystem::exists(path))
      opened.push_back(std::make_unique<db::Database>(path, db::Access::read_only));
    own = opened.size();
    for (const std::filesystem::path& recording : shipped_recordings())
      opened.push_back(std::make_unique<db::Database>(recording, db::Access::immutable));
  }

  std::vector<db::Candidate> best(const db::BestQuery& query) const {
    std::vector<const db::Database*> all;
    for (const auto& database : opened) all.push_back(database.get());
    return db::best(all, query);
  }
};

/// The record's configuration if it is valid at the size that is asked for (an unpadded array may not take
/// the vectors of another size), else the fastest of the same record that is.
bool make_valid(const WorkChoice& work, const Databases& databases, db::Candidate& candidate) {
  if (candidate.match == db::Match::exact) return true;
  const std::string& architecture = candidate.result.work.architecture;
  const std::span known = known_architectures();
  if (std::ranges::find(known, architecture) == known.end())
    return true;  // its plan still says what cannot be
  const search::SearchSpace space(work.problem->space(work.instance, architecture_facts(architecture)));
  if (space.find(candidate.result.configuration)) return true;
  db::ResultFilter filter;
  filter.work = candidate.result.work.id;
  for (db::ResultRow& row : db::list_results(*databases.opened[candidate.database], filter)) {
    if (!space.find(row.configuration)) continue;
    candidate.result = std::move(row);
    candidate.ties.clear();
    candidate.why += "; faster ones there are not valid at this size";
    return true;
  }
  return false;
}

[[noreturn]] void no_answer(const WorkChoice& work, const db::BestQuery& query,
                            const std::vector<db::Candidate>& others) {
  std::string text = format("no result of {}", work.instance.problem);
  if (!work.instance.settings.empty()) text += " " + work.instance.settings_key();
  const std::string& device = query.device.name;
  if (!device.empty()) text += format(" on {}", device);
  std::vector<std::string> devices;
  for (const db::Candidate& other : others) devices.push_back(other.result.work.device);
  const auto nearest = device.empty() ? std::nullopt : search::nearest_name(device, devices);
  if (nearest && *nearest != device)
    throw Error(format("{}; did you mean '{}'?", text, *nearest), Exit::no_answer);
  if (!others.empty()) {
    const db::ResultRow& other = others.front().result;
    text += format(" that fits (there is one of {} on {})", other.work.size, other.work.device);
  }
  std::string settings;
  for (const auto& [name, value] : work.instance.settings)
    settings += (settings.empty() ? " --set " : ",") + name + "=" + value.to_string();
  throw Error(format("{}; to get one: tune --problem {} --size {}{}", text, work.instance.problem,
                     work.instance.size(), settings),
              Exit::no_answer);
}

int run(const po::variables_map& values) {
  const std::string form = chosen_name(values, "format", {"text", "json", "flags", "header"});
  const WorkChoice work = chosen_work(values);
  db::BestQuery query = device_query(values);
  query.cache = cache_state_from_string(chosen_name(values, "cache", {"cold", "warm"}));
  query.problem = work.instance.problem;
  query.extents = work.instance.extents;
  query.settings = work.instance.settings_key();
  query.toolchain = Toolchain{"", source_hash(*work.problem, kernels::EmbeddedSources())};
  const Databases databases(values);
  std::vector<db::Candidate> all = databases.best(query);
  const auto chosen = std::ranges::find_if(all, [&](db::Candidate& candidate) {
    return candidate.match != db::Match::none && make_valid(work, databases, candidate);
  });
  if (chosen == all.end()) no_answer(work, query, all);
  const BestAnswer answer{work, *chosen, databases.opened[chosen->database]->path(),
                          chosen->database >= databases.own};
  if (form == "json") std::cout << best_json(answer);
  if (form == "flags") std::cout << best_flags(answer);
  if (form == "header") std::cout << best_header(answer);
  if (form == "text") std::cout << best_text(answer);
  return 0;
}

}  // namespace

const Command& best_command() {
  static const Command command = {"best",
                                  "gives the best stored configuration, and says why that one",
                                  "tune best --problem P [--size S] [--device D] [options]",
                                  "  tune best --problem stencil3d --size 512x512x512\n"
                                  "  nvcc $(tune best --problem stencil3d --format flags) ...\n",
                                  "problem",
                                  options,
                                  run};
  return command;
}

}  // namespace tune::cli
