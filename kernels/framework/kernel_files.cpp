// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/kernel_files.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "kernels/framework/request.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

template<class Use>
void for_included(std::string_view text, const Use& use) {
  constexpr std::string_view start = "#include \"";
  for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at)) {
    at += start.size();
    use(text.substr(at, text.find('"', at) - at));
  }
}

std::string_view embedded_text(std::string_view name) {
  for (const auto& [file, text] : embedded_kernels())
    if (file == name) return text;
  return {};
}

}  // namespace

KernelFiles::KernelFiles(std::string folder, std::vector<std::string> last,
                         const std::vector<std::string>& without)
    : folder_(std::move(folder)) {
  std::set<std::string> found;
  const auto add_common = [&](const auto& self, std::string_view text) -> void {
    for_included(text, [&](std::string_view name) {
      const std::string file = "common/" + std::string(name);
      const std::string_view included = embedded_text(file);
      if (!included.empty() && found.insert(file).second) self(self, included);
    });
  };
  for (const auto& [file, text] : embedded_kernels()) {
    if (!file.starts_with(folder_ + "/") || std::ranges::find(without, file) != without.end()) continue;
    found.emplace(file);
    add_common(add_common, text);
  }
  for (const std::string& name : last) found.erase(name);
  names_.assign(found.begin(), found.end());
  std::ranges::move(last, std::back_inserter(names_));
}

std::vector<std::string> KernelFiles::with_included(const std::vector<std::string_view>& files,
                                                    const KernelSources* sources) const {
  std::vector<bool> taken(names_.size());
  const auto take = [&](const auto& self, std::string_view base) -> void {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (taken[i] || names_[i].substr(names_[i].rfind('/') + 1) != base) continue;
      taken[i] = true;
      const auto take_included = [&](std::string_view name) { self(self, name); };
      if (sources != nullptr)
        for_included(sources->text(names_[i]), take_included);
      else
        for_included(embedded_text(names_[i]), take_included);
    }
  };
  for (const std::string_view file : files) take(take, file);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (taken[i]) all.push_back(names_[i]);
  return all;
}

CompileRequest KernelFiles::request(std::string_view file, const KernelSources& sources,
                                    std::vector<SourceFile> generated) const {
  CompileRequest request;
  const std::string source = folder_ + "/" + std::string(file);
  request.source = {source, sources.text(source)};
  request.headers = std::move(generated);
  std::vector<std::string_view> included;
  for_included(request.source.text, [&](std::string_view name) { included.push_back(name); });
  for (const std::string& name : with_included(included, &sources))
    request.headers.push_back(header(sources, name));
  return request;
}

std::string EmbeddedSources::text(std::string_view name) const {
  for (const auto& [file, text] : embedded_kernels())
    if (file == name) return std::string(text);
  throw Error(format("the program has no kernel file '{}'", name));
}

FolderSources::FolderSources(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!std::filesystem::is_directory(folder_))
    throw UsageError(format("--kernel-dir: '{}' is not a folder", folder_.string()));
}

std::filesystem::path FolderSources::find(std::string_view name) const {
  const std::filesystem::path direct = folder_ / name;
  if (std::filesystem::exists(direct)) return direct;
  const std::filesystem::path problem = direct.parent_path();
  if (std::filesystem::is_directory(problem))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(problem))
      if (entry.path().filename() == direct.filename()) return entry.path();
  return {};
}

std::string FolderSources::text(std::string_view name) const {
  const std::filesystem::path path = find(name);
  if (path.empty()) return embedded_.text(name);
  auto text = read_text(path);
  if (!text) throw Error(format("cannot read '{}': {}", path.string(), text.error()));
  return *std::move(text);
}

}  // namespace tune::kernels
