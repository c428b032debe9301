// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace tune::cli {

/// While it lives, what is written to a stream arrives as printable text (`printable`): names come from files
/// and databases of other people. Colours of a TextStyle stay, where the stream shows them. Passes text on at
/// the end of each line and where the stream is flushed.
class PrintableOutput : private std::streambuf {
 public:
  PrintableOutput(std::ostream& stream, bool keeps_colours);
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;
  ~PrintableOutput() override;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;
  /// Returns false where the stream takes no more.
  bool pass_on();

  std::ostream& stream_;
  std::streambuf* target_;
  bool keeps_colours_;
  std::string waiting_;
};

/// Writes one line to standard error: what a user should know that is not an error.
void say(const std::string& line);

}  // namespace tune::cli
