# SPDX-License-Identifier: Apache-2.0
# tune_install_pc(NAME COMPONENT c DESCRIPTION d LIBS l [REQUIRES r] [LIBS_PRIVATE l]): the package
# of a library for pkg-config. The folder of the file says where the package lies, unless that of libraries is absolute.
function(tune_install_pc name)
  cmake_parse_arguments(pc "" "COMPONENT;DESCRIPTION;LIBS;REQUIRES;LIBS_PRIVATE" "" ${ARGN})
  set(pc_PREFIX ${CMAKE_INSTALL_PREFIX})
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # the prefix /usr has libraries by architecture
    string(REGEX REPLACE "/$" "" pc_PREFIX "\${pcfiledir}/${up}")
  endif()
  foreach(folder LIBDIR INCLUDEDIR DATADIR)
    set(pc_${folder} ${CMAKE_INSTALL_${folder}})
    if(NOT IS_ABSOLUTE "${pc_${folder}}")
      string(PREPEND pc_${folder} "\${prefix}/")
    endif()
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/package.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT ${pc_COMPONENT})
endfunction()
