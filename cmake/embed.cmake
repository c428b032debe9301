# SPDX-License-Identifier: Apache-2.0
# Called at build time by tune_embed: writes the C++ source that holds the files' texts.
set(texts "")
set(entries "")
set(number 0)
foreach(file name IN ZIP_LISTS FILES NAMES)
  file(READ ${ROOT}/${file} text)
  if(text MATCHES "\\)tune_text\"")
    message(FATAL_ERROR "${file} contains the delimiter of the raw string it is embedded in")
  endif()
  # An array knows its size: a compiler that counts the letters of a literal gives up at some hundred thousand.
  string(APPEND texts "constexpr char text_${number}[] = R\"tune_text(${text})tune_text\";\n")
  string(APPEND entries "    {\"${name}\", {text_${number}, sizeof text_${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace ${NAMESPACE} {
namespace {
${texts}}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}();

std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}() {
  static constexpr std::pair<std::string_view, std::string_view> files[] = {
${entries}  };
  return files;
}

}  // namespace ${NAMESPACE}
")
