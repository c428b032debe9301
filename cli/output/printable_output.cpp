// SPDX-License-Identifier: Apache-2.0
#include "cli/output/printable_output.hpp"

#include <iostream>

#include "tuner/base/format.hpp"
#include "tuner/base/text_style.hpp"

namespace tune::cli {

PrintableOutput::PrintableOutput(std::ostream& stream, bool keeps_colours)
    : stream_(stream), target_(stream.rdbuf(this)), keeps_colours_(keeps_colours) {}

PrintableOutput::~PrintableOutput() {
  sync();
  stream_.rdbuf(target_);
}

PrintableOutput::int_type PrintableOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

std::streamsize PrintableOutput::xsputn(const char* text, std::streamsize count) {
  waiting_.append(text, static_cast<std::size_t>(count));
  return waiting_.find('\n') == std::string::npos || pass_on() ? count : 0;
}

int PrintableOutput::sync() {
  return pass_on() && target_->pubsync() == 0 ? 0 : -1;
}

bool PrintableOutput::pass_on() {
  const std::string text = keeps_colours_ ? printable_with_colours(waiting_) : printable(waiting_);
  waiting_.clear();
  const auto count = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), count) == count;
}

void say(const std::string& line) {
  std::cerr << one_line(line) << "\n";
}

}  // namespace tune::cli
