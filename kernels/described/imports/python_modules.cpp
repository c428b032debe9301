// SPDX-License-Identifier: Apache-2.0
// Modules that lie beside a script: they are followed, too.
#include <algorithm>
#include <string>

#include "kernels/described/imports/python_follower.hpp"
#include "kernels/described/imports/python_paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described::python {
namespace {

constexpr std::size_t most_modules = 16;

}  // namespace

Follower* Follower::module(const std::string& name, int node) {
  std::string file = name;
  file.erase(0, std::min(file.find_first_not_of('.'), file.size()));
  std::ranges::replace(file, '.', '/');
  if (file.empty() || !state_.read) return nullptr;
  const auto known = std::ranges::find(state_.modules, file, [](const auto& one) { return one.first; });
  if (known != state_.modules.end()) return known->second.get();
  if (state_.modules.size() >= most_modules) return nullptr;
  for (const std::string& folder : state_.folders)
    for (const std::string& path :
         {joined_path(folder, file + ".py"), joined_path(folder, file + "/__init__.py")})
      if (auto content = state_.read(path)) {
        const std::size_t place_of_it = state_.modules.size();
        state_.modules.emplace_back(file, nullptr);
        try {
          // Modules may import each other: it is known before it is followed.
          state_.modules[place_of_it].second.reset(new Follower(std::move(*content), path, state_));
        } catch (const UsageError&) {
          keep({Unfollowed::Kind::module, place(node), path});
          return nullptr;
        }
        Follower* const made = state_.modules[place_of_it].second.get();
        made->assign_name("__name__", Value::of(name));
        made->assign_name("__file__", Value::of(path));
        made->run(made->tree_.parts(0), 0);
        made->scope_ = made->module_;
        return made;
      }
  return nullptr;
}

/// `from module import a, b as c`, or all of its names.
void Follower::import_from(int node, int module) {
  const std::string path(text(module));
  const Follower* const own = this->module(path, module);
  const auto& names = own == nullptr ? module_->names : own->module_->names;
  for (const int part : tree_.parts(node)) {
    if (kind(part) == "wildcard_import" && own != nullptr && own != this) {
      for (const auto& [name, value] : names)
        if (!name.starts_with('_') && name.find('.') == std::string::npos) assign_name(name, value);
      continue;
    }
    if (tree_[part].field != "name") continue;
    const bool has_alias = kind(part) == "aliased_import";
    const int wanted = has_alias ? tree_.child_named(part, "name") : part;
    const int alias = has_alias ? tree_.child_named(part, "alias") : wanted;
    if (wanted < 0 || alias < 0) continue;
    const auto found = std::ranges::find(names, text(wanted), &std::pair<std::string, Value>::first);
    const bool is_known = own != nullptr && found != names.end();
    const Value value = is_known ? found->second : Value::object(format("{}.{}", path, text(wanted)));
    assign_name(std::string(text(alias)), value);
  }
}

void Follower::import(int node) {
  if (const int from = tree_.child_named(node, "module_name"); from >= 0) {
    import_from(node, from);
    return;
  }
  for (const int part : tree_.parts(node)) {
    if (tree_[part].field != "name") continue;
    const bool has_alias = kind(part) == "aliased_import";
    const int path = has_alias ? tree_.child_named(part, "name") : part;
    const int alias = has_alias ? tree_.child_named(part, "alias") : -1;
    if (path < 0) continue;
    const std::string full(text(path));
    const std::string name = alias >= 0 ? std::string(text(alias)) : full.substr(0, full.find('.'));
    assign_name(name, Value::object(alias >= 0 ? full : name));
    const Follower* const own = module(full, path);
    if (own == nullptr || own == this) continue;
    // `module.name` is looked for as a whole.
    const std::string before = alias >= 0 ? name : full;
    for (const auto& [inner, value] : Scope(*own->module_).names)
      if (inner.find('.') == std::string::npos) assign_name(format("{}.{}", before, inner), value);
  }
}

}  // namespace tune::described::python
