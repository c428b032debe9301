# SPDX-License-Identifier: Apache-2.0
find_program(TUNE_NPM npm)

# tune_npm_file(SOURCE OUTPUT INSTALLED WITHOUT COMMENT): a rule that installs what SOURCE/package-lock.json names beside
# OUTPUT and makes OUTPUT the file node_modules/INSTALLED: an empty file, and the line WITHOUT, where npm is not found or
# cannot install. To try again: remove the folder of OUTPUT.
function(tune_npm_file source output installed without comment)
  cmake_path(GET output PARENT_PATH build)
  set(manifest package.json package-lock.json .npmrc)
  list(TRANSFORM manifest PREPEND ${source}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DNPM=${TUNE_NPM}" -DSOURCE=${source} -DBUILD=${build} -DINSTALLED=${installed}
            -DOUTPUT=${output} -DWITHOUT=${without} -DTESTS=${TUNE_TESTS} -P ${PROJECT_SOURCE_DIR}/cmake/npm_library.cmake
    DEPENDS ${manifest} ${PROJECT_SOURCE_DIR}/cmake/npm_library.cmake
    COMMENT ${comment}
    VERBATIM)
endfunction()
