# SPDX-License-Identifier: Apache-2.0
# tune_embed(target NAMESPACE ns FUNCTION fn ROOT dir FILES file... [NAMES name...]): adds a source to `target` that
# defines
#   std::span<const std::pair<std::string_view, std::string_view>> ns::fn();
# the files' names (as in NAMES, else relative to ROOT) and texts, in the order given. Made anew when a file changes.
function(tune_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE;FUNCTION;ROOT" "FILES;NAMES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  list(TRANSFORM ARG_FILES PREPEND ${ARG_ROOT}/ OUTPUT_VARIABLE paths)
  if(NOT ARG_NAMES)
    set(ARG_NAMES ${ARG_FILES})
  endif()
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} -DFUNCTION=${ARG_FUNCTION}
            -DROOT=${ARG_ROOT} "-DFILES=${ARG_FILES}" "-DNAMES=${ARG_NAMES}" -P ${script}
    DEPENDS ${paths} ${script}
    COMMENT "Embedding ${ARG_FUNCTION}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
