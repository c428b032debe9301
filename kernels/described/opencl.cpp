// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/opencl.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/opencl_header.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

constexpr std::string_view header_name = "tune_opencl.h";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

/// True for the name of a vector type with as many numbers as one of `sizes`.
bool is_vector(std::string_view word, std::initializer_list<std::string_view> sizes) {
  for (const std::string_view base :
       {"float", "double", "int", "uint", "char", "uchar", "short", "ushort", "long", "ulong", "half"})
    for (const std::string_view size : sizes)
      if (word.size() == base.size() + size.size() && word.starts_with(base) && word.ends_with(size))
        return true;
  return false;
}

/// Returns the elements that a member of a vector names (`xy`, `s01`), or nothing.
std::vector<int> elements_of(std::string_view member) {
  constexpr std::string_view letters = "xyzw", digits = "0123456789abcdef";
  std::vector<int> elements;
  const auto is_digit = [&](int (*kind)(int)) { return kind(static_cast<unsigned char>(member[1])) != 0; };
  const bool numbered = member.size() > 1 && member[0] == 's' &&
                        (is_digit(std::isdigit) || (member.size() == 2 && is_digit(std::isxdigit)));
  for (const char c : numbered ? member.substr(1) : member) {
    const std::size_t found =
        numbered ? digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))))
                 : letters.find(c);
    if (found == std::string_view::npos) return {};
    elements.push_back(static_cast<int>(found));
  }
  const std::size_t count = elements.size();
  return count <= 4 || count == 8 || count == 16 ? elements : std::vector<int>();
}

/// Returns the words between the brackets of structs and unions: names of their members.
std::set<std::string, std::less<>> words_of_structs(const std::string& text) {
  std::set<std::string, std::less<>> words;
  const std::string plain = without_comments(text);
  for (const std::string_view kind : {"struct", "union"})
    for (std::size_t at = plain.find(kind); at != std::string::npos; at = plain.find(kind, at + 1)) {
      const std::size_t open = plain.find_first_of("{;()", at);
      if (open == std::string::npos || plain[open] != '{') continue;
      std::size_t end = open + 1;
      for (int depth = 1; end < plain.size() && depth > 0; ++end)
        depth += plain[end] == '{' ? 1 : plain[end] == '}' ? -1 : 0;
      words.merge(words_in(std::string_view(plain).substr(open, end - open)));
    }
  return words;
}

/// Rewrites one file. Strings, comments and lines stay where they are.
class Translation {
 public:
  explicit Translation(const SourceFile& file)
      : file_(file), text_(file.text), members_(words_of_structs(file.text)) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (text_.compare(at_, 2, "//") == 0) return copy_to(text_.find('\n', at_));
    if (text_.compare(at_, 2, "/*") == 0) return copy_to(behind(text_.find("*/", at_ + 2), 2));
    if (c == '"' || c == '\'') return copy_string();
    if (c == '#' && is_first_of_line()) return directive();
    if (is_word(c)) return word();
    if (c == '(' && literal()) return;
    if (c == '(') ++parentheses_;
    if (c == ')' && parentheses_ > 0 && --parentheses_ == 0) in_kernel_parameters_ = false;
    if (c == '{') ++braces_;
    if (c == '}' && braces_ > 0) --braces_;
    if (c == ';' || c == '{') after_kernel_ = false;
    if (c == '(' && parentheses_ == 1 && after_kernel_ && braces_ == 0) in_kernel_parameters_ = true;
    out_ += c;
    ++at_;
  }

  static std::size_t behind(std::size_t found, std::size_t length) {
    return found == std::string::npos ? found : found + length;
  }
  void copy_to(std::size_t end) {
    end = std::min(end, text_.size());
    out_.append(text_, at_, end - at_);
    at_ = end;
  }
  void copy_string() {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    copy_to(end + 1);
  }
  bool is_first_of_line() const {
    std::size_t before = at_;
    while (before > 0 && (text_[before - 1] == ' ' || text_[before - 1] == '\t')) --before;
    return before == 0 || text_[before - 1] == '\n';
  }
  /// Leaves out pragmas of OpenCL. The words of other directives are rewritten as everywhere.
  void directive() {
    std::size_t name = at_ + 1;
    while (name < text_.size() && (text_[name] == ' ' || text_[name] == '\t')) ++name;
    if (text_.compare(name, 6, "pragma") == 0) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      if (text_.substr(at_, end - at_).find("OPENCL") != std::string::npos) {
        at_ = end;
        return;
      }
    }
    copy_to(name);
  }

  char next_behind(std::size_t place) const {
    while (place < text_.size() && is_space(text_[place])) ++place;
    return place < text_.size() ? text_[place] : '\0';
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string word = text_.substr(at_, end - at_);
    const bool is_member = !out_.empty() && (out_.back() == '.' || out_.ends_with("->"));
    // Without underscores, it is a qualifier only in front of a type.
    const bool qualifies = word.starts_with("__") || is_word(next_behind(end));
    at_ = end;
    if (is_member) return member(word);
    refuse(word);
    if (is_one_of(word, {"__kernel", "kernel"}) && qualifies) {
      after_kernel_ = true;
      out_ += "extern \"C\" __global__";
    } else if (is_one_of(word,
                         {"__global", "global", "__private", "private", "__read_only", "__write_only"}) &&
               qualifies) {
      return;
    } else if (is_one_of(word, {"__local", "local"}) && qualifies) {
      if (in_kernel_parameters_)
        refused("a parameter in local memory: declare the array in the kernel instead");
      if (parentheses_ == 0 && !is_pointer(end)) out_ += "__shared__";
    } else if (is_one_of(word, {"__constant", "constant"}) && qualifies) {
      out_ += parentheses_ == 0 && braces_ == 0 && !is_pointer(end) ? "__constant__" : "const";
    } else if (word == "restrict") {
      out_ += "__restrict__";
    } else if (const std::string conversion = conversion_of(word); !conversion.empty()) {
      out_ += conversion;
    } else {
      out_ += word;
    }
  }

  /// Returns the function of the header for `convert_float4_sat`, `convert_uchar_rtz` and `as_int4`.
  static std::string conversion_of(std::string_view word) {
    constexpr std::string_view conversion = "convert_", as = "as_";
    const bool converts = word.starts_with(conversion);
    if (word == "convert_int_rte" || (!converts && !word.starts_with(as))) return {};
    std::string_view type = word.substr(converts ? conversion.size() : as.size()), mode;
    if (const std::size_t end = type.find('_'); converts && end != std::string_view::npos) {
      mode = type.substr(end);
      type = type.substr(0, end);
    }
    const std::string_view base = type.substr(0, type.find_first_of("0123456789"));
    if (!is_one_of(base,
                   {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) ||
        (base != type && !is_vector(type, {"2", "3", "4", "8", "16"})))
      return {};
    if (!converts) return base == type ? std::string() : format("tune_cl_as<{}>", type);
    if (!is_one_of(mode, {"", "_sat", "_rtz", "_sat_rtz"})) return {};
    return format("tune_cl_convert{}<{}>", mode.starts_with("_sat") ? "_sat" : "",
                  base == "char" && base == type ? "signed char" : type);
  }
  /// Writes a member behind its point: a part of a vector becomes a function of the vector.
  void member(const std::string& name) {
    const bool is_half = is_one_of(name, {"lo", "hi", "even", "odd"});
    const std::vector<int> elements = elements_of(name);
    if (members_.contains(name) || (elements.empty() && !is_half)) {
      out_ += name;
      return;
    }
    if (elements.size() == 1) {
      const auto element = static_cast<std::size_t>(elements.front());
      out_ += element < 4 ? std::string(1, "xyzw"[element]) : format("s{:x}", element);
      return;
    }
    const bool by_pointer = out_.ends_with("->");
    out_.resize(out_.size() - (by_pointer ? 2 : 1));
    const std::size_t begin = begin_of_operand();
    const std::string vector = out_.substr(begin);
    out_.resize(begin);
    const char* const call = is_assigned(at_) ? "set" : "get";
    const std::string function = is_half ? format("tune_cl_{}_{}", call, name)
                                         : format("tune_cl_{}<{}>", call, joined(elements, {}, ","));
    out_ += format("{}({}{})", function, by_pointer ? "*" : "", vector);
  }
  /// Returns where the operand that ends the output begins: names, members, subscripts, calls.
  std::size_t begin_of_operand() const {
    std::size_t begin = out_.size();
    while (begin > 0) {
      const char c = out_[begin - 1];
      if (c == ']' || c == ')') {
        int depth = 0;
        do {
          --begin;
          depth += out_[begin] == ']' || out_[begin] == ')' ? 1 : 0;
          depth -= out_[begin] == '[' || out_[begin] == '(' ? 1 : 0;
        } while (begin > 0 && depth > 0);
      } else if (is_word(c)) {
        while (begin > 0 && is_word(out_[begin - 1])) --begin;
        if (begin == 0 || (out_[begin - 1] != '.' && !out_.substr(0, begin).ends_with("->"))) break;
        begin -= out_[begin - 1] == '.' ? 1 : 2;
      } else {
        break;
      }
    }
    return begin;
  }
  bool is_assigned(std::size_t place) const {
    while (place < text_.size() && is_space(text_[place])) ++place;
    if (place + 1 >= text_.size()) return false;
    if (text_[place] == '=') return text_[place + 1] != '=';
    return std::string_view("+-*/").find(text_[place]) != std::string_view::npos && text_[place + 1] == '=';
  }

  /// True where the declaration that goes on here is one of a pointer.
  bool is_pointer(std::size_t place) const {
    const std::size_t end = text_.find_first_of("*;=[(,", place);
    return end != std::string::npos && text_[end] == '*';
  }

  /// Rewrites `(float4)(`; false where there is something else.
  bool literal() {
    std::size_t begin = at_ + 1;
    while (begin < text_.size() && is_space(text_[begin])) ++begin;
    std::size_t end = begin;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string type = text_.substr(begin, end - begin);
    while (end < text_.size() && is_space(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != ')' || next_behind(end + 1) != '(') return false;
    refuse(type);
    if (!is_vector(type, {"2", "3", "4", "8", "16"})) return false;
    if (type.starts_with("half")) refused(format("a vector literal of {}", type));
    out_ += has_operators(type) ? "cl_" + type : format("tune_cl_make<{}>", type);
    at_ = end + 1;
    return true;
  }

  static bool has_operators(std::string_view type) {
    return is_one_of(type.substr(0, type.find_first_of("0123456789")), {"float", "double", "int", "uint"});
  }
  void refuse(const std::string& word) const {
    if (is_vector(word, {"8", "16"}) && !has_operators(word)) refused(format("the type {}", word));
    if (is_one_of(word,
                  {"image1d_t", "image2d_t", "image3d_t", "image2d_array_t", "sampler_t", "pipe", "event_t",
                   "async_work_group_copy", "enqueue_kernel", "read_imagef", "write_imagef"}))
      refused(word);
  }
  [[noreturn]] void refused(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw UsageError(format("{}:{}: CUDA has no counterpart of OpenCL's {}", file_.name, line, what));
  }

  const SourceFile& file_;
  const std::string& text_;
  const std::set<std::string, std::less<>> members_;  ///< of structs, whatever they are called
  std::string out_;
  std::size_t at_ = 0;
  int parentheses_ = 0, braces_ = 0;
  bool after_kernel_ = false;          ///< in the declaration of a kernel
  bool in_kernel_parameters_ = false;  ///< between its parentheses
};

}  // namespace

void translate_opencl(KernelText& text) {
  for (SourceFile& header : text.headers) header.text = Translation(header).run();
  text.source.text = format("#include \"{}\"\n#line 1 \"{}\"\n", header_name, text.source.name) +
                     Translation(text.source).run();
  text.headers.push_back({std::string(header_name), std::string(opencl_header)});
}

}  // namespace tune::described
