// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/included_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <utility>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_files = 10'000;  // CUDA 13.0 has 2,100 headers
constexpr std::int64_t max_file_bytes = 16 << 20;

/// A file that is written again within the resolution of its times looks the same.
constexpr std::int64_t settled_seconds = 2;

using State = std::array<std::int64_t, 7>;

State state_of(const struct stat& file) {
  return {static_cast<std::int64_t>(file.st_dev),
          static_cast<std::int64_t>(file.st_ino),
          file.st_size,
          file.st_mtim.tv_sec,
          file.st_mtim.tv_nsec,
          file.st_ctim.tv_sec,
          file.st_ctim.tv_nsec};
}

}  // namespace

struct IncludedFiles::Known {
  State state = {};
  std::string hash;
  Includes includes;
};

std::shared_ptr<const IncludedFiles::Known> IncludedFiles::read(const fs::path& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > max_file_bytes)
    return nullptr;
  const State state = state_of(file);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(path);
    if (found != known_.end() && found->second->state == state) return found->second;
  }
  const auto text = read_text(path);
  if (!text) return nullptr;
  auto known = std::make_shared<Known>(Known{state, content_hash(*text), includes_of(*text)});
  if (std::time(nullptr) - file.st_ctim.tv_sec > settled_seconds) {
    const std::scoped_lock lock(mutex_);
    known_[path] = known;
  }
  return known;
}

/// One search for all that a request may include.
class IncludedFiles::Walk {
 public:
  Walk(IncludedFiles& files, const std::vector<std::string>& folders, const std::vector<std::string>& own,
       const std::vector<std::string>& known)
      : files_(files),
        folders_(folders.begin(), folders.end()),
        own_(own.begin(), own.end()),
        host_(known.begin(), known.end()) {}

  void add(const Includes& includes, const fs::path& folder) {
    for (const Include& include : includes.files) add(include, folder);
    const auto holds = [&](const fs::path& searched) {
      return folder.string().starts_with(searched.string());
    };
    if (includes.computed && std::ranges::none_of(folders_, holds)) computed_.insert(folder);
    everything_ |= includes.computed;
  }

  /// `folder`: of the file that includes it.
  void add(const Include& include, const fs::path& folder) {
    if (own_.contains(include.name)) return;
    if (!asked_.emplace(include.name, include.quoted ? folder : fs::path()).second) return;
    text_ += format("{}:{}", include.name.size(), include.name);
    if (include.quoted) take(folder / include.name);
    for (const fs::path& searched : folders_)
      if (take(searched / include.name)) return;
    text_ += "-";
  }

  /// Follows the files that were found. Where one includes what a macro says, all files of the folders count.
  std::optional<std::string> finish() {
    for (std::size_t next = 0; next < found_.size(); ++next) {
      const auto [folder, known] = found_[next];
      add(known->includes, folder);
      if (found_.size() > max_files) return std::nullopt;
    }
    if (everything_) {
      computed_.insert(folders_.begin(), folders_.end());
      for (const fs::path& folder : computed_)
        if (!host_.contains(folder) && !take_all(folder)) return std::nullopt;
    }
    if (too_large_) return std::nullopt;
    return text_.empty() ? "" : content_hash(text_);
  }

 private:
  bool take(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return false;
    const auto known = files_.read(path);
    if (known == nullptr) {
      // Compilers read what is no regular file too; folders are passed over.
      too_large_ |= !fs::is_directory(path, error);
      return false;
    }
    text_ += "+" + known->hash;
    if (visited_.insert(path).second) found_.emplace_back(path.parent_path(), known);
    return true;
  }

  bool take_all(const fs::path& folder) {
    std::vector<std::string> contents;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code gone;
      if (!at->is_regular_file(gone)) continue;
      const auto known = files_.read(at->path());
      if (known == nullptr || contents.size() >= max_files) return false;
      contents.push_back(at->path().lexically_relative(folder).string() + ":" + known->hash + "\n");
    }
    std::ranges::sort(contents);
    text_ += "all\n";
    for (const std::string& one : contents) text_ += one;
    return !error;
  }

  IncludedFiles& files_;
  std::vector<fs::path> folders_;
  std::set<std::string> own_;
  std::set<fs::path> host_;  ///< folders of the host's compiler
  std::set<std::pair<std::string, fs::path>> asked_;
  std::set<fs::path> visited_;
  std::set<fs::path> computed_;  ///< folders of files that include what a macro says
  bool everything_ = false;      ///< some file does
  std::vector<std::pair<fs::path, std::shared_ptr<const Known>>> found_;
  std::string text_;
  bool too_large_ = false;
};

std::optional<std::string> IncludedFiles::digest(const CompileRequest& request,
                                                 const std::vector<std::string>& names,
                                                 const std::vector<std::string>& folders,
                                                 const std::vector<std::string>& own,
                                                 const std::vector<std::string>& known) {
  Walk walk(*this, folders, own, known);
  for (const std::string& name : names) walk.add({name, true}, "");
  const auto add = [&](const SourceFile& file) {
    const Includes includes = includes_of(file.text);
    walk.add(includes, fs::path(file.name).parent_path());
    return !includes.computed;
  };
  if (!add(request.source) || !std::ranges::all_of(request.headers, add)) return std::nullopt;
  return walk.finish();
}

}  // namespace tune::cuda
