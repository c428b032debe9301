# SPDX-License-Identifier: Apache-2.0
# Called at build time: installs what SOURCE/package-lock.json names into BUILD/node_modules and copies the file INSTALLED
# from there to OUTPUT; an empty file where that cannot be done, with the line WITHOUT. Never fails the build. ENTRY: a module in
# SOURCE to bundle instead, or empty. NPM, NODE: the programs, or something-NOTFOUND; TESTS: whether what only tests need is installed too.
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
  if(ENTRY)
    file(COPY ${SOURCE}/${ENTRY} DESTINATION ${BUILD})
    set(bundler ${BUILD}/node_modules/esbuild-wasm/bin/esbuild)
    execute_process(COMMAND ${NODE} ${bundler} ${ENTRY} --bundle --minify --format=iife --target=es2020 --log-level=error
                            --outfile=${OUTPUT}.bundle
                    WORKING_DIRECTORY ${BUILD} TIMEOUT 180 RESULT_VARIABLE status ERROR_VARIABLE output)
    if(status EQUAL 0)
      file(RENAME ${OUTPUT}.bundle ${OUTPUT})
    else()
      message(STATUS "${ENTRY} cannot be bundled (${status}), ${INSTALLED} is taken whole:\n${output}")
    endif()
  endif()
else()
  message(STATUS "${WITHOUT}: ${problem}")
  file(WRITE ${OUTPUT} "")
endif()
