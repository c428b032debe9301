// SPDX-License-Identifier: Apache-2.0
#include "cli/run/works.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "cli/input/options.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {

std::vector<ProblemOptions> works_of(const ProblemOptions& options) {
  std::vector<ProblemOptions> works;
  for (const std::string& size :
       options.size.empty() ? std::vector<std::string>{""} : parse_list(options.size, "size")) {
    works.push_back(options);
    works.back().size = size;
  }
  for (std::size_t s = 0; s < options.settings.size(); ++s) {
    std::vector<ProblemOptions> more;
    for (const ProblemOptions& work : works)
      for (const std::string& value : parse_list(options.settings[s].second.to_string(), "set")) {
        more.push_back(work);
        more.back().settings[s].second = search::Value::parse(value);
      }
    works = std::move(more);
  }
  return works;
}

std::vector<ProblemOptions> works_in_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(format("--works: cannot read '{}'", path.string()));
  std::vector<ProblemOptions> all;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    if (arguments.empty()) continue;
    try {
      ProblemOptions work;
      OptionTable table;
      work.add_to(table, true);
      table.read(arguments, "run", "problem", 1);
      const std::vector<ProblemOptions> some = works_of(work);
      all.insert(all.end(), some.begin(), some.end());
    } catch (const UsageError& wrong) {
      throw UsageError(format("{}:{}: {}", path.string(), number, wrong.what()));
    }
  }
  if (all.empty())
    throw UsageError(format(
        "--works: '{}' names no work: write lines such as stencil3d --size 512x512x512 --set radius=1,2",
        path.string()));
  return all;
}

std::vector<ProblemOptions> chosen_works(const ProblemOptions& options, const std::string& works_file) {
  if (works_file.empty()) return works_of(options);
  if (!options.problem.empty() || !options.size.empty() || !options.settings.empty() ||
      !options.stencil.empty())
    throw UsageError("--works: its lines name problem, --size and --set: leave them out of the call");
  return works_in_file(works_file);
}

std::string work_line(const ProblemOptions& work) {
  std::string line;
  const auto add = [&line](const std::string& option, const std::string& value) {
    if (value.empty()) return;
    if (value.find_first_of(" \t\n#") != std::string::npos)
      throw UsageError(format("'{}' has a space or #, which a file of works cannot have: rename it", value));
    line += (line.empty() ? "" : " ") + option + value;
  };
  add("", work.problem);
  add("--stencil ", work.stencil);
  add("--size ", work.size);
  add("--set ",
      joined(
          work.settings, [](const auto& one) { return one.first + "=" + one.second.to_string(); }, ","));
  return line;
}

DifferentWorks different_works(std::vector<ProblemOptions> works) {
  DifferentWorks different;
  for (ProblemOptions& work : works) {
    Instance instance = selected_problem(work).instance;
    if (std::ranges::find(different.instances, instance) != different.instances.end()) continue;
    different.instances.push_back(std::move(instance));
    different.works.push_back(std::move(work));
  }
  return different;
}

}  // namespace tune::cli
