# SPDX-License-Identifier: Apache-2.0
find_program(TUNE_NPM npm)
find_program(TUNE_NODE node)

# tune_npm_file(SOURCE OUTPUT INSTALLED WITHOUT COMMENT [ENTRY]): a rule that installs what SOURCE/package-lock.json names
# beside OUTPUT and makes OUTPUT the file node_modules/INSTALLED: an empty file, and the line WITHOUT, where npm is not
# found or cannot install. With ENTRY, a module in SOURCE, OUTPUT has instead what that module imports, bundled by esbuild;
# the file INSTALLED where that fails. To try again: remove the folder of OUTPUT.
function(tune_npm_file source output installed without comment)
  cmake_path(GET output PARENT_PATH build)
  set(manifest package.json package-lock.json .npmrc)
  set(entry ${ARGN})
  list(APPEND manifest ${entry})
  list(TRANSFORM manifest PREPEND ${source}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DNPM=${TUNE_NPM}" -DSOURCE=${source} -DBUILD=${build} -DINSTALLED=${installed}
            -DOUTPUT=${output} -DENTRY=${entry} -DNODE=${TUNE_NODE} -DWITHOUT=${without} -DTESTS=${TUNE_TESTS} -P ${PROJECT_SOURCE_DIR}/cmake/npm_library.cmake
    DEPENDS ${manifest} ${PROJECT_SOURCE_DIR}/cmake/npm_library.cmake
    COMMENT ${comment}
    VERBATIM)
endfunction()
