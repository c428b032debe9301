// SPDX-License-Identifier: Apache-2.0
// What another tuner needs to evaluate the configurations that one of our runs measured, as JSON: kernel
// files, and for each configuration its macros, launch and memory layout; and what the run itself took.
#include <boost/program_options.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "db/read/run_details.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::bench {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

Json to_json(const search::Value& value) {
  if (value.is_text()) return value.as_text();
  return value.as_int();
}

Json to_json(const Configuration& configuration) {
  Json json = Json::object();
  for (const auto& [name, value] : configuration.entries()) json[name] = to_json(value);
  return json;
}

Json to_json(const Dim3& extent) {
  return {extent.x, extent.y, extent.z};
}

Json to_json(const LaunchPlan& plan) {
  const auto launches = kernel_launches(plan);
  if (plan.launches.size() != 1 || launches.size() != 1)
    throw Error("only plans of one kernel launch can be handed on");
  const Launch& launch = *launches.front();
  Json defines = Json::object();
  for (const auto& [name, value] : plan.compile.defines) defines[name] = value;
  Json buffers = Json::object();
  for (const BufferSpec& buffer : plan.buffers)
    buffers[buffer.name] = {{"type", to_string(buffer.type)},
                            {"extents", buffer.layout.extents},
                            {"strides", buffer.layout.strides},
                            {"offset", buffer.layout.offset},
                            {"allocation", buffer.layout.allocation}};
  Json arguments = Json::array();
  for (const KernelArgument& argument : launch.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      arguments.push_back({{"buffer", buffer->buffer}});
    else if (!std::holds_alternative<ScalarArgument>(argument))
      throw Error("only plans without textures and tensor maps can be handed on");
    else
      std::visit(
          [&](auto value) {
            arguments.push_back({{"value", value}, {"bytes", sizeof(value)}});
          },
          std::get<ScalarArgument>(argument));
  }
  return {{"defines", std::move(defines)},
          {"options", plan.compile.options},
          {"grid", to_json(launch.grid)},
          {"block", to_json(launch.block)},
          {"shared_bytes", launch.dynamic_shared_memory},
          {"buffers", std::move(buffers)},
          {"arguments", std::move(arguments)}};
}

Json stencil_json(const Instance& instance) {
  const kernels::Stencil stencil = kernels::make_stencil(
      instance.setting("shape").as_text(), static_cast<int>(instance.setting("radius").as_int()));
  Json points = Json::array();
  for (const kernels::StencilPoint& point : stencil.points)
    points.push_back({point.dx, point.dy, point.dz, point.weight});
  return {{"radius", stencil.radius()}, {"points", std::move(points)}};
}

Json run_json(const db::RunDetails& details, const std::vector<db::ResultRow>& results) {
  PhaseTimes sum;
  for (const db::ResultRow& row : results) {
    sum.compile += row.phases.compile;
    sum.load += row.phases.load;
    sum.verify += row.phases.verify;
    sum.measure += row.phases.measure;
  }
  const db::RunSummary& summary = details.summary;
  return {{"run", summary.run},
          {"device", summary.workload.device},
          {"driver", summary.workload.driver},
          {"compiler", summary.workload.toolchain.compiler},
          {"program", details.record.program_version},
          {"command_line", details.record.options.command_line},
          {"origin", to_string(summary.workload.origin)},
          {"started", summary.started},
          {"ended", summary.ended},
          {"evaluations", summary.evaluations},
          {"reused", summary.reused},
          {"failures", summary.failures},
          {"compile_seconds", sum.compile},
          {"load_seconds", sum.load},
          {"verify_seconds", sum.verify},
          {"measure_seconds", sum.measure}};
}

/// In the order in which the run evaluated them.
std::vector<db::ResultRow> measured_in_order(const db::RunDetails& details,
                                             std::vector<db::ResultRow> results) {
  std::map<std::int64_t, db::ResultRow*> by_id;
  for (db::ResultRow& row : results) by_id[row.evaluation] = &row;
  std::vector<db::ResultRow> ordered;
  for (const db::ProgressPoint& point : details.progress)
    if (const auto found = by_id.find(point.evaluation); found != by_id.end() && found->second->time)
      ordered.push_back(std::move(*found->second));
  return ordered;
}

Json collect(const db::Database& database, RunId run, const std::string& variant, const std::string& size) {
  const db::RunDetails details = db::run_details(database, run);
  const std::unique_ptr<Problem> problem = kernels::make_problem(details.summary.workload.problem);
  Instance instance = details.record.key.instance;
  if (!size.empty()) instance = make_instance(problem->info(), size, instance.settings);
  const kernels::EmbeddedSources sources;
  const auto results = db::list_results(database, {.run = run, .failures = true, .superseded = true});
  Json plans = Json::array();
  Json files = Json::object();
  std::string kernel_file, entry;
  std::size_t other_variants = 0;
  for (const db::ResultRow& row : measured_in_order(details, results)) {
    if (row.configuration["variant"].as_text() != variant) {
      ++other_variants;
      continue;
    }
    const Result<LaunchPlan> plan = problem->plan(instance, row.configuration, sources);
    if (!plan) throw Error(format("{}: {}", row.configuration.key(), plan.error().detail));
    Json json = to_json(*plan);
    json["configuration"] = to_json(row.configuration);
    json["seconds"] = *row.time;
    plans.push_back(std::move(json));
    if (!files.empty()) continue;
    kernel_file = plan->compile.source.name;
    entry = kernel_launches(*plan).front()->entry;
    files[kernel_file] = plan->compile.source.text;
    for (const SourceFile& header : plan->compile.headers) files[header.name] = header.text;
  }
  return {
      {"problem", problem->info().name},
      {"instance", instance.key()},
      {"extents", instance.size()},
      {"kernel_file", kernel_file},
      {"entry", entry},
      {"files", std::move(files)},
      {"stencil", stencil_json(instance)},
      {"tolerance", problem->tolerance(instance).absolute},
      {"tune", run_json(details, results)},
      {"sources_changed", source_hash(*problem, sources) != details.summary.workload.toolchain.source_hash},
      {"other_variants", other_variants},
      {"plans", std::move(plans)}};
}

int run(int count, char** words) {
  po::options_description options;
  options.add_options()  //
      ("db", po::value<std::string>()->required(), "the database of the run")(
          "run", po::value<RunId>(), "number of the run; default: the newest")(
          "variant", po::value<std::string>()->default_value("direct"), "hand on only this variant")(
          "size", po::value<std::string>()->default_value(""), "another size than the run's: for a trial");
  po::variables_map values;
  po::store(po::parse_command_line(count, words, options), values);
  po::notify(values);
  const db::Database database(values["db"].as<std::string>(), db::OpenMode::read_only);
  RunId number = 0;
  if (values.count("run")) {
    number = values["run"].as<RunId>();
  } else {
    const auto runs = db::list_runs(database, {.limit = 1});
    if (runs.empty()) throw Error("the database has no run");
    number = runs.front().run;
  }
  std::cout << collect(database, number, values["variant"].as<std::string>(),
                       values["size"].as<std::string>())
            << "\n";
  return 0;
}

}  // namespace
}  // namespace tune::bench

int main(int count, char** words) {
  try {
    return tune::bench::run(count, words);
  } catch (const std::exception& error) {
    std::cerr << "kernel_tuner_plans: " << error.what() << "\n";
    return 1;
  }
}
