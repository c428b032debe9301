# SPDX-License-Identifier: Apache-2.0
# Called at build time: installs what SOURCE/package-lock.json names into BUILD/node_modules and copies the chart library
# to BUILD/echarts.min.js; an empty file where that cannot be done. Never fails the build. NPM: the program, or
# something-NOTFOUND; TESTS: whether what only tests need is installed too.
set(library ${BUILD}/echarts.min.js)
file(MAKE_DIRECTORY ${BUILD})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${BUILD})
set(problem "npm is not installed")
if(NPM)
  set(parts --omit=dev)
  if(TESTS)
    set(parts --include=dev)
  endif()
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund ${parts}
                  WORKING_DIRECTORY ${BUILD} TIMEOUT 180 RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(problem "npm ci failed (${status}):\n${output}")
endif()
set(installed ${BUILD}/node_modules/echarts/dist/echarts.min.js)
if(NPM AND status EQUAL 0 AND EXISTS ${installed})
  file(COPY_FILE ${installed} ${library})
else()
  message(STATUS "Pages of `tune report` will take the chart library from the web: ${problem}")
  file(WRITE ${library} "")
endif()
