// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/draft.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/base/format.hpp"

namespace tune::described {

std::string_view DraftObject::find(std::string_view member) const {
  const auto found = std::ranges::find(members, member, &std::pair<std::string, std::string>::first);
  return found == members.end() ? std::string_view() : std::string_view(found->second);
}

void DraftObject::set(std::string_view member, std::string json) {
  const auto found = std::ranges::find(members, member, &std::pair<std::string, std::string>::first);
  if (found == members.end())
    members.emplace_back(member, std::move(json));
  else
    found->second = std::move(json);
}

void DraftObject::remove(std::string_view member) {
  std::erase_if(members, [&](const auto& one) { return one.first == member; });
}

void DraftObject::add_guess(std::string_view text) {
  if (text.empty()) return;
  if (!guess.empty()) guess += "; ";
  guess += text;
}

std::string DraftObject::json() const {
  if (members.size() == 1 && members.front().first == "values") return members.front().second;
  std::vector<std::string> all;
  for (const auto& [member, value] : members) all.push_back(format("{}: {}", as_json(member), value));
  return "{" + joined(all) + "}";
}

DraftObject* Draft::argument(std::string_view name) {
  const auto found = std::ranges::find(arguments, name, &DraftObject::name);
  return found == arguments.end() ? nullptr : &*found;
}

std::string as_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_list(const std::vector<std::string>& values) {
  return "[" + joined(values) + "]";
}

std::string json_extents(const std::vector<std::string>& values) {
  return values.size() == 1 ? values.front() : json_list(values);
}

namespace {

class Writer {
 public:
  explicit Writer(const Draft& draft) : draft_(draft) {}

  FirstDefinition write() {
    line("{");
    line(format("  // Made by '{}'. Each guess is marked: correct it, then remove its mark.", draft_.maker));
    line(format("  \"problem\": {},", as_json(draft_.problem)));
    write_kernel();
    write_fields(draft_.work, "  ");
    line("");
    line("  \"parameters\": {");
    write_objects(draft_.parameters);
    line("  },");
    write_constraints();
    line("");
    line("  // In the kernel's order; \"access\" is read, unless it is given.");
    line("  \"arguments\": {");
    write_objects(draft_.arguments);
    line("  },");
    line("");
    write_launches();
    line("");
    write_fields(draft_.results, "  ", "");
    line("}");
    result_.missing = draft_.missing;
    return std::move(result_);
  }

 private:
  void line(std::string text, const std::string& name = {}, const std::string& guess = {}) {
    lines_ += 1 + static_cast<int>(std::ranges::count(text, '\n'));
    if (!guess.empty()) {
      text += "  // TODO: " + guess;
      result_.guesses.push_back({lines_, name, guess});
    }
    result_.json += text + "\n";
  }

  /// `end`: behind the last, in place of the comma.
  void write_fields(const std::vector<DraftField>& fields, const std::string& indent,
                    const std::string& end = ",", std::size_t first = 0) {
    for (std::size_t i = first; i < fields.size(); ++i)
      line(format("{}{}: {}{}", indent, as_json(fields[i].name), fields[i].json,
                  i + 1 < fields.size() ? "," : end),
           fields[i].name, fields[i].guess);
  }

  void write_objects(const std::vector<DraftObject>& objects) {
    for (std::size_t i = 0; i < objects.size(); ++i)
      line(format("    {}: {}{}", as_json(objects[i].name), objects[i].json(),
                  i + 1 < objects.size() ? "," : ""),
           objects[i].name, objects[i].guess);
  }

  void write_kernel() {
    const auto& fields = draft_.kernel;
    if (fields.size() == 1) {
      line(format("  \"kernel\": {},", fields.front().json), "kernel", fields.front().guess);
    } else {
      line(format("  \"kernel\": {{{}: {},", as_json(fields.front().name), fields.front().json), "kernel",
           fields.front().guess);
      write_fields(fields, "    ", "},", 1);
    }
    line("");
  }

  void write_constraints() {
    const auto& all = draft_.constraints;
    const bool is_marked = std::ranges::any_of(all, [](const DraftField& one) { return !one.guess.empty(); });
    if (all.size() < 2 && !is_marked) {
      line(format("  \"constraints\": [{}],", joined(all, &DraftField::json)), "constraints",
           draft_.further_constraints);
      return;
    }
    line("  \"constraints\": [", "constraints", draft_.further_constraints);
    for (std::size_t i = 0; i < all.size(); ++i)
      line(format("    {}{}", all[i].json, i + 1 < all.size() ? "," : ""), "constraints", all[i].guess);
    line("  ],");
  }

  void write_launches() {
    const auto& launches = draft_.launches;
    const bool is_list = launches.size() > 1;
    line("  // Up to three axes: [\"ceil_div(nx, BX)\", \"ny\"].");
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const DraftField& first = launches[i].front();
      const bool is_alone = launches[i].size() == 1, is_last = i + 1 == launches.size();
      const std::string end = std::string("}") + (is_list && is_last ? "]," : ",");
      line(format("  {}{{{}: {}{}",
                  i > 0     ? "  "
                  : is_list ? "\"launches\": ["
                            : "\"launches\": ",
                  as_json(first.name), first.json, is_alone ? end : ","),
           first.name, first.guess);
      write_fields(launches[i], "    ", end, 1);
    }
  }

  const Draft& draft_;
  FirstDefinition result_ = {};
  int lines_ = 0;
};

}  // namespace

FirstDefinition write_draft(const Draft& draft) {
  return Writer(draft).write();
}

}  // namespace tune::described
