// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/output/text_layout.hpp"
#include "cli/run/works.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

constexpr std::string_view ending = ".works";

struct PlanRequest {
  ProblemOptions problem;
  std::string works_file;
  std::filesystem::path out;
  std::uint64_t jobs = 0;  ///< 0: a job for each work
  Format form = Format::text;

  void add_to(OptionTable& table) {
    problem.add_to(table, true);
    table.text("works", "FILE", "a file with a problem, --size and --set on each line", works_file);
    table.add("jobs", "N", "at most so many jobs; default: one for each work",
              [this](const std::string& text) { jobs = parse_count(text, "jobs", 1); });
    table.add("out", "DIR", "the folder for the files 1.works, 2.works, ...; default: plan",
              [this](const std::string& text) { out = text; });
    add_format_option(table, form);
  }
};

/// Makes the folder. Throws Error where it holds a plan: jobs of both would be started together.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(format("cannot make the folder '{}': {}", folder.string(), error.message()));
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ending)
      throw Error(
          format("'{}' holds another plan: remove it, or name another folder with --out", folder.string()));
}

void write_works(const std::filesystem::path& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  if (!file) throw Error(format("cannot write '{}': check the free disk space", path.string()));
}

int run_plan(const PlanRequest& request) {
  const std::vector<ProblemOptions> works =
      different_works(chosen_works(request.problem, request.works_file)).works;
  std::vector<std::string> lines;
  for (const ProblemOptions& work : works) lines.push_back(work_line(work));
  const std::size_t jobs =
      request.jobs == 0 ? lines.size() : std::min<std::size_t>(request.jobs, lines.size());
  const std::filesystem::path folder = request.out.empty() ? "plan" : request.out;
  make_folder(folder);
  auto list = nlohmann::ordered_json::array();
  // Neighbours stay together: the runs of a job start from each other's results.
  for (std::size_t job = 0; job < jobs; ++job) {
    const auto cut = [&](std::size_t before) {
      return lines.begin() + static_cast<std::ptrdiff_t>(lines.size() * before / jobs);
    };
    const std::vector<std::string> own(cut(job), cut(job + 1));
    const std::filesystem::path path = folder / format("{}{}", job + 1, ending);
    write_works(path, own);
    list.push_back({{"file", path.string()}, {"works", own}});
  }
  if (request.form == Format::json) {
    std::cout << json_text({{"jobs", list}});
    return 0;
  }
  const std::string name = folder.string();
  const std::size_t least = lines.size() / jobs, most = (lines.size() + jobs - 1) / jobs;
  std::cout << labelled("jobs", format("{} in {}, with {}{} each", jobs, name,
                                       least == most ? "" : format("{} or ", least), counted(most, "work")))
            << labelled("next", {format("tune run --works {0}/1{1} --device cuda:0 --db {0}/1.db",
                                        shell_quoted(name), ending),
                                 format("tune db merge {}/*.db", shell_quoted(name))});
  return 0;
}

}  // namespace

Command plan_command() {
  return {.name = "plan",
          .summary = "cuts several sizes, settings and problems into jobs for a cluster",
          .usage =
              "tune plan [P] --size NXxNYxNZ,... [--set N=V,...] [--jobs N] [--out DIR]\n"
              "       tune plan --works FILE [--jobs N] [--out DIR]",
          .example = "  tune plan stencil3d --size 256x256x256,512x512x512 --jobs 2 --out jobs\n",
          .positional = "problem",
          .bind = bind_request<PlanRequest, run_plan>};
}

}  // namespace tune::cli
