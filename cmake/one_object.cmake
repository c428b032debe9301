# SPDX-License-Identifier: Apache-2.0
# Joins the objects and archives after `--` in OUTPUT. Only what SHARED exports stays global.
set(files)
set(listed OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(listed)
    list(APPEND files ${CMAKE_ARGV${i}})
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(listed ON)
  endif()
endforeach()

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${SHARED} OUTPUT_VARIABLE exported
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "@[^\n]*|[ ][^\n]*" "" exported "${exported}")
file(WRITE ${OUTPUT}.symbols "${exported}")
# A group would be left out where the program has one of the same name, and local symbols would lead nowhere.
execute_process(COMMAND ${COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${OUTPUT}.all
  -Wl,--start-group ${files} -Wl,--end-group COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OBJCOPY} --keep-global-symbols=${OUTPUT}.symbols ${OUTPUT}.all ${OUTPUT}
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.all)
