# SPDX-License-Identifier: Apache-2.0
# Called at build time by tune_embed: writes the C++ source that holds the files' texts.
set(entries "")
foreach(name IN LISTS FILES)
  file(READ ${ROOT}/${name} text)
  if(text MATCHES "\\)tune_text\"")
    message(FATAL_ERROR "${name} contains the delimiter of the raw string it is embedded in")
  endif()
  string(APPEND entries "    {\"${name}\", R\"tune_text(${text})tune_text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace ${NAMESPACE} {

std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}();

std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}() {
  static constexpr std::pair<std::string_view, std::string_view> files[] = {
${entries}  };
  return files;
}

}  // namespace ${NAMESPACE}
")
