// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/kernel_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

struct Include {
  std::string name;
  bool in_quotes = false;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  while (!text.empty()) {
    const auto directive = directive_of(next_line(text));
    if (!directive || directive->name != "include") continue;
    if (const std::string_view name = included_name(directive->rest); !name.empty())
      includes.push_back({std::string(name), directive->rest.starts_with('"')});
  }
  return includes;
}

}  // namespace

std::string without_comments(const std::string& text) {
  std::string plain = text;
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
    if (plain[i] != '/' || (plain[i + 1] != '/' && plain[i + 1] != '*')) continue;
    const bool line = plain[i + 1] == '/';
    const std::size_t found = plain.find(line ? "\n" : "*/", i + 2);
    const std::size_t end = found == std::string::npos ? plain.size() : found + (line ? 0 : 2);
    for (; i < end; ++i)
      if (plain[i] != '\n') plain[i] = ' ';
  }
  return plain;
}

std::string joined_lines(std::string text) {
  std::string lines;
  std::size_t continued = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++continued;
      ++i;
      lines += ' ';
    } else {
      lines += text[i];
      if (text[i] == '\n') lines.append(std::exchange(continued, 0), '\n');
    }
  }
  return lines;
}

std::set<std::string, std::less<>> words_in(std::string_view text) {
  std::set<std::string, std::less<>> words;
  while (!text.empty()) {
    const std::string_view word = leading_word(text);
    if (!word.empty() && !words.contains(word)) words.emplace(word);
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return words;
}

KernelText read_kernel_text(const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders, const SourceLocation& place,
                            const std::vector<std::filesystem::path>& others, const FilesInMemory& memory) {
  const auto find = [&](const std::filesystem::path& path) -> tl::expected<std::string, std::string> {
    const auto known = memory.find(path.lexically_normal());
    auto text = known != memory.end() ? known->second : read_text(path);
    if (text) *text = without_byte_order_mark(std::move(*text));
    return text;
  };
  const auto read = [&](const std::filesystem::path& path) {
    const auto text = find(path);
    if (!text)
      place.fail(format("cannot read the kernel's file {}: {}: check its name", path.string(), text.error()));
    return *text;
  };
  KernelText all;
  all.source = {file.filename().string(), read(file)};
  std::set<std::string> seen;
  std::vector<std::pair<std::string, std::filesystem::path>> open;  // texts and the folders they lie in
  open.emplace_back(all.source.text, file.parent_path());
  for (const std::filesystem::path& other : others) {
    const std::string name = other.filename().string();
    if (name == all.source.name || !seen.insert(name).second)
      place.fail(format("two of the kernel's files have the name {}", name));
    all.headers.push_back({name, read(other)});
    open.emplace_back(all.headers.back().text, other.parent_path());
    all.source.text += format("\n#include \"{}\"\n", name);
  }
  while (!open.empty()) {
    const auto [text, folder] = std::move(open.back());
    open.pop_back();
    for (const auto& [name, in_quotes] : includes_of(text)) {
      if (seen.contains(name)) continue;
      std::vector<std::filesystem::path> places;
      if (in_quotes) places = {folder, file.parent_path()};
      places.insert(places.end(), folders.begin(), folders.end());
      for (const std::filesystem::path& where : places) {
        const auto header = find(where / name);
        if (!header) continue;
        seen.insert(name);
        all.headers.push_back({name, *header});
        open.emplace_back(*header, (where / name).parent_path());
        break;
      }
    }
  }
  return all;
}

std::vector<std::filesystem::path> folders_with_headers(const std::filesystem::path& file,
                                                        std::vector<std::filesystem::path> folders) {
  constexpr int highest = 6;  // folders above the file's
  std::error_code error;
  const auto folder_with = [&](const std::string& name) {
    std::filesystem::path above = std::filesystem::absolute(file, error).parent_path();
    for (int level = 0; level < highest && above.has_relative_path(); ++level, above = above.parent_path()) {
      for (const char* const below :
           {"", "include", "inc", "common", "Common", "util", "utils", "utilities", "src"})
        if (const std::filesystem::path folder = *below == 0 ? above : above / below;
            std::filesystem::is_regular_file(folder / name, error))
          return folder;
      if (std::filesystem::exists(above / ".git", error)) break;  // what lies above is not of this project
    }
    return std::filesystem::path();
  };
  std::set<std::string> searched;
  for (bool has_found = true; has_found;) {
    has_found = false;
    const KernelText text = read_kernel_text(file, folders, {});
    for (const SourceFile& known : text.headers) searched.insert(known.name);
    const auto search_in = [&](const SourceFile& source) {
      for (const Include& include : includes_of(source.text)) {
        if (!searched.insert(include.name).second) continue;
        const std::filesystem::path folder = folder_with(include.name);
        if (folder.empty() || std::ranges::find(folders, folder) != folders.end()) continue;
        folders.push_back(folder);
        has_found = true;
      }
    };
    search_in(text.source);
    for (const SourceFile& header : text.headers) search_in(header);
  }
  return folders;
}

std::string replaced(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const auto found = values.find(word);
    result += found == values.end() ? word : found->second;
    i = end;
  }
  return result;
}

namespace {

/// Gives every `#define` of an object-like macro its value.
std::size_t redefine_macros(std::string& text, const std::map<std::string, std::string>& values) {
  std::string changed;
  std::size_t count = 0;
  const std::string plain = without_comments(text);  // of the same length
  std::string_view rest = text, rest_of_plain = plain;
  while (!rest.empty()) {
    const char* const begin = rest.data();
    next_line(rest);
    std::string_view of_plain = next_line(rest_of_plain);
    const auto directive = directive_of(of_plain);
    const auto found =
        directive && directive->name == "define" ? values.find(std::string(directive->word)) : values.end();
    if (found == values.end() || directive->rest.substr(directive->word.size()).starts_with('(')) {
      changed.append(begin, rest.empty() ? text.data() + text.size() : rest.data());
      continue;
    }
    changed += format("#define {} {}\n", found->first, found->second);
    ++count;
    // Lines that the old value goes on in stay as empty ones: those behind keep their numbers.
    for (; of_plain.ends_with('\\') && !rest.empty(); next_line(rest), changed += '\n')
      of_plain = next_line(rest_of_plain);
  }
  text = std::move(changed);
  return count;
}

/// Returns the end of the value that begins here: the comma, semicolon or bracket behind it.
std::size_t end_of_value(std::string_view plain, std::size_t at) {
  int depth = 0;
  for (; at < plain.size(); ++at) {
    const char c = plain[at];
    if (depth == 0 && (c == ',' || c == ';' || c == '}')) break;
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth < 0) break;
  }
  return at;
}

/// True where a name behind this text is that of a constant: `static constexpr int`, `const int A = 1,`,
/// `enum Sizes { A = 1,`. Not of a pointer, an argument, or a parameter of a template.
bool declares_constant(std::string_view before) {
  std::size_t begin = before.size();
  int depth = 0;
  for (; begin > 0; --begin) {
    const char c = before[begin - 1];
    if (c == ';' || c == '#' || (depth == 0 && (c == '{' || c == '}'))) break;
    depth += c == ')' || c == ']' || c == '}' ? 1 : c == '(' || c == '[' || c == '{' ? -1 : 0;
    if (depth < 0) return false;
  }
  const auto is_separator = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == ','; };
  if (!before.empty() && !is_separator(before.back())) return false;
  const std::string_view statement = before.substr(begin);
  const auto words = words_in(statement);
  if (words.contains("template")) return false;
  if (words.contains("const") || words.contains("constexpr"))
    return statement.find_first_of("*&") == std::string_view::npos;
  if (begin == 0 || before[begin - 1] != '{') return false;
  const std::size_t last = before.substr(0, begin - 1).find_last_of(";{}");
  return words_in(before.substr(last == std::string_view::npos ? 0 : last, begin)).contains("enum");
}

/// Gives every constant of the language its value; lines keep their numbers.
std::size_t redefine_constants(std::string& text, const std::map<std::string, std::string>& values) {
  std::size_t count = 0;
  std::string plain = without_comments(text);  // of the same length
  for (const auto& [name, value] : values)
    for (std::size_t at = plain.find(name); at != std::string::npos;
         at = plain.find(name, at + name.size())) {
      const std::size_t behind = at + name.size();
      if ((at > 0 && is_word(plain[at - 1])) || (behind < plain.size() && is_word(plain[behind]))) continue;
      const std::size_t sign = plain.find_first_not_of(" \t\n", behind);
      if (sign == std::string::npos || (plain[sign] != '=' && plain[sign] != '{') ||
          plain.compare(sign, 2, "==") == 0 || !declares_constant(std::string_view(plain).substr(0, at)))
        continue;
      const std::size_t end = end_of_value(plain, sign + 1);
      const auto lines = std::count(plain.begin() + static_cast<std::ptrdiff_t>(sign),
                                    plain.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      const std::string given = (plain[sign] == '=' ? "= " : "{") + value + std::string(lines, '\n');
      text.replace(sign, end - sign, given);
      plain.replace(sign, end - sign, given);
      ++count;
    }
  return count;
}

}  // namespace

std::size_t redefine(std::string& text, const std::map<std::string, std::string>& values) {
  const std::size_t macros = redefine_macros(text, values);
  return macros + redefine_constants(text, values);
}

std::vector<std::string> split_arguments(const std::string& text, std::size_t at) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ')' && depth == 0) break;
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    }
  }
  if (!trimmed(part).empty() && trimmed(part) != "void") parts.emplace_back(trimmed(part));
  return parts;
}

std::vector<std::string> template_arguments(const std::string& entry) {
  const std::size_t open = entry.find('<'), close = entry.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split_arguments(entry.substr(open + 1, close - open - 1), 0);
}

namespace {

/// Leaves out words and attributes at the end: `static`, `__launch_bounds__(TILE * TILE)`,
/// `[[maybe_unused]]`.
std::string_view without_specifiers(std::string_view text) {
  for (text = trimmed(text);
       !text.empty() && std::string_view("([{<>;}").find(text.back()) == std::string::npos;
       text = trimmed(text)) {
    int open = 0;  // brackets
    do {
      open += text.ends_with(')') || text.ends_with(']') ? 1 : 0;
      open -= text.ends_with('(') || text.ends_with('[') ? 1 : 0;
      text.remove_suffix(1);
    } while (open > 0 && !text.empty());
  }
  return text;
}

/// Adds the parameters of a template that ends before this place.
void add_template(std::string_view before, KernelDeclaration& declaration) {
  constexpr std::string_view begin = "template";
  before = without_specifiers(before);
  const std::size_t found = before.ends_with('>') ? before.rfind(begin) : std::string_view::npos;
  if (found == std::string_view::npos || before.substr(found).find_first_of(";#") != std::string::npos)
    return;
  for (const std::string& one : template_arguments(std::string(before.substr(found)))) {
    const std::size_t equal = one.find('=');
    declaration.templates.push_back(name_of_parameter(one));
    declaration.otherwise.emplace_back(
        equal == std::string::npos ? std::string_view() : trimmed(std::string_view(one).substr(equal + 1)));
  }
}

}  // namespace

std::vector<KernelDeclaration> declarations_of(const std::string& text, const std::string& entry,
                                               std::string_view mark) {
  const std::string plain = without_comments(text);
  std::string_view name = trimmed(std::string_view(entry).substr(0, entry.find('<')));
  if (const std::size_t colons = name.rfind("::"); colons != std::string_view::npos)
    name.remove_prefix(colons + 2);
  std::vector<KernelDeclaration> declarations;
  if (name.empty()) return declarations;
  for (std::size_t at = plain.find(mark); at != std::string::npos; at = plain.find(mark, at + 1)) {
    // Up to the body or the end of the declaration.
    const std::size_t end = std::min(plain.find('{', at), plain.find(';', at));
    for (std::size_t found = plain.find(name, at + 1); found < end; found = plain.find(name, found + 1)) {
      if (is_word(plain[found - 1]) || is_word(plain[found + name.size()])) continue;
      const std::size_t open = plain.find_first_not_of(" \t\r\n", found + name.size());
      if (open == std::string::npos || plain[open] != '(') continue;
      declarations.push_back({split_arguments(plain, open + 1), {}, {}});
      add_template(std::string_view(plain).substr(0, at), declarations.back());
      break;
    }
  }
  return declarations;
}

std::vector<KernelDeclaration> declarations_of(const KernelText& text, const std::string& entry) {
  std::vector<KernelDeclaration> all = declarations_of(text.source.text, entry, text.mark);
  for (const SourceFile& header : text.headers)
    for (KernelDeclaration& one : declarations_of(header.text, entry, text.mark))
      all.push_back(std::move(one));
  return all;
}

std::string name_of_parameter(const std::string& declaration) {
  std::string_view text = std::string_view(declaration).substr(0, declaration.find('='));
  text = trimmed(text.substr(0, text.find('[')));
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

std::string type_of_parameter(const std::string& declaration) {
  static const std::set<std::string, std::less<>> qualifiers = {
      "const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "register"};
  std::string_view text = std::string_view(declaration).substr(0, declaration.find('='));
  text = trimmed(text.substr(0, text.find('[')));
  const std::string name = name_of_parameter(declaration);
  std::string type;
  while (!text.empty()) {
    const std::string_view word = leading_word(text);
    if (word.empty()) {
      if (text.front() != '*' && text.front() != '&' && text.front() != ' ') type += text.front();
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(word.size());
    // The name comes last; a declaration may have none.
    if (qualifiers.contains(word) || (text.empty() && word == name && !type.empty())) continue;
    type += (type.empty() ? "" : " ") + std::string(word);
  }
  return type;
}

bool is_pointer(const std::string& declaration) {
  return declaration.find('*') != std::string::npos || declaration.find('[') != std::string::npos;
}

}  // namespace tune::described
