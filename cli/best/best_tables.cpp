// SPDX-License-Identifier: Apache-2.0
#include "cli/best/best_tables.hpp"

#include "cli/output/terminal.hpp"
#include "reports/data/grid.hpp"
#include "reports/data/result.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string top_text(const std::vector<db::ResultRow>& top, const std::vector<std::string>& columns) {
  reports::Grid table({"time", "against the best", "configuration"});
  table.rank();
  for (const db::ResultRow& row : top) {
    const std::string difference = row.configuration.difference_from(top.front().configuration);
    table.add({si(*row.time, "s"), format("{:.3g}x", *row.value / *top.front().value),
               &row == &top.front() ? "the best; below, what differs from it" : difference},
              row.configuration);
  }
  table.show_only(columns);
  return "\n" + table.text("", output_style());
}

std::string considered_text(const std::vector<db::BestCandidate>& all) {
  reports::Grid table({"match", "size", "device", "time", "why"});
  table.wrap("why");
  for (const db::BestCandidate& one : all)
    table.add({lookup::to_string(one.match), one.result.workload.size, one.result.workload.device,
               one.result.time ? si(*one.result.time, "s") : "-", one.reason});
  return "\n" + table.text("", output_style());
}

}  // namespace

std::string to_text(const BestTables& tables) {
  std::string text;
  if (tables.top && !tables.top->empty()) text += top_text(*tables.top, tables.columns);
  if (tables.considered && !tables.considered->empty()) text += considered_text(*tables.considered);
  return text;
}

std::string with_tables(const std::string& json, const BestTables& tables) {
  if (!tables.top && !tables.considered) return json;
  Json object = Json::parse(json);
  if (tables.top) {
    object["top"] = Json::array();
    for (const db::ResultRow& row : *tables.top)
      object["top"].push_back(reports::result_json(reports::shown(row), {"configuration", "seconds"}));
  }
  if (tables.considered) {
    object["considered"] = Json::array();
    for (const db::BestCandidate& one : *tables.considered)
      object["considered"].push_back({{"match", lookup::to_string(one.match)},
                                      {"size", one.result.workload.size},
                                      {"device", one.result.workload.device},
                                      {"loss", loss_json(one)},
                                      {"why", one.reason}});
  }
  return json_text(object);
}

Json loss_json(const db::BestCandidate& candidate) {
  if (!candidate.loss) return nullptr;
  return {{"expected", candidate.loss->expected},
          {"worst", candidate.loss->worst},
          {"pairs", candidate.loss->pairs}};
}

}  // namespace tune::cli
