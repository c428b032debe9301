# SPDX-License-Identifier: Apache-2.0
# Called at every build: writes the source that knows release and revision, if they changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --exclude=*
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(status EQUAL 0)
  set(text "${VERSION} (${revision})")
else()
  set(text "${VERSION}")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"library/run/version.hpp\"

namespace tune::run {

std::string version() { return \"${text}\"; }

}  // namespace tune::run
")
