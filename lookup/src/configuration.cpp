// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "lookup/src/search.hpp"

namespace tune::lookup {
namespace {

/// One flat object of JSON, as db/store/json.cpp writes it.
class Reader {
 public:
  Reader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  std::vector<std::pair<std::string, std::string>> object() {
    std::vector<std::pair<std::string, std::string>> entries;
    expect('{');
    if (!is('}')) do {
        std::string name = quoted();
        expect(':');
        entries.emplace_back(std::move(name), value());
      } while (accept(','));
    expect('}');
    return entries;
  }

 private:
  [[noreturn]] void fail() const {
    throw Failed({Code::damaged, file_ + " holds a configuration that cannot be read: " + text_},
                 SQLITE_CORRUPT);
  }
  bool is(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string quoted() {
    expect('"');
    std::string word;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && (++at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\\'))) fail();
      word += text_[at_++];
    }
    if (at_ == text_.size()) fail();
    ++at_;
    return word;
  }
  std::string value() {
    if (is('"')) return quoted();
    const std::size_t end = text_.find_first_of(",}", at_);
    if (end == std::string::npos || end == at_) fail();
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_configuration(const std::string& json,
                                                                     const std::string& file) {
  return Reader(json, file).object();
}

const char* to_string(Match match) {
  static constexpr const char* names[] = {"exact", "nearest size", "same architecture", "portfolio", "none"};
  return names[static_cast<std::size_t>(match)];
}

std::string Candidate::text(const std::string& name, const std::string& otherwise) const {
  for (const auto& [known, value] : configuration)
    if (known == name) return value;
  return otherwise;
}

long long Candidate::integer(const std::string& name, long long otherwise) const {
  const std::string value = text(name);
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  return value.empty() || *end != '\0' ? otherwise : number;
}

double Candidate::real(const std::string& name, double otherwise) const {
  const std::string value = text(name);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return value.empty() || *end != '\0' ? otherwise : number;
}

bool Candidate::flag(const std::string& name, bool otherwise) const {
  const std::string value = text(name);
  return value == "true" ? true : value == "false" ? false : otherwise;
}

}  // namespace tune::lookup
