# SPDX-License-Identifier: Apache-2.0
# Called at build time: installs what SOURCE/package-lock.json names into BUILD/node_modules and copies the file INSTALLED
# from there to OUTPUT; an empty file where that cannot be done, with the line WITHOUT. Never fails the build. NPM: the
# program, or something-NOTFOUND; TESTS: whether what only tests need is installed too.
file(MAKE_DIRECTORY ${BUILD})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${BUILD})
set(problem "npm is not installed")
if(NPM)
  set(parts --omit=dev)
  if(TESTS)
    set(parts --include=dev)
  endif()
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                          --fetch-retry-mintimeout=1000 ${parts}
                  WORKING_DIRECTORY ${BUILD} TIMEOUT 180 RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(problem "npm ci failed (${status}):\n${output}")
endif()
set(installed ${BUILD}/node_modules/${INSTALLED})
if(NPM AND status EQUAL 0 AND EXISTS ${installed})
  file(COPY_FILE ${installed} ${OUTPUT})
else()
  message(STATUS "${WITHOUT}: ${problem}")
  file(WRITE ${OUTPUT} "")
endif()
