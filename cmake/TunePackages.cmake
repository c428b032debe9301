# SPDX-License-Identifier: Apache-2.0
# Packages, by `cpack` in a build folder of the preset static: a .deb and an archive that runs wherever it is unpacked.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tune)
foreach(package libboost-program-options-dev libeigen3-dev libexpected-dev libfmt-dev libsqlite3-dev libsqlitecpp-dev
                libtomlplusplus-dev libtree-sitter-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev)
  if(TUNE_STATIC AND EXISTS /usr/share/doc/${package}/copyright)
    string(REGEX REPLACE "-dev$" "" name ${package})
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${name}
      COMPONENT tune)
  endif()
endforeach()

# Manual pages and completion, by the program itself.
set(manual ${PROJECT_BINARY_DIR}/man1)
add_custom_command(OUTPUT ${manual}/tune.1 COMMAND tune reference man ${manual} DEPENDS tune VERBATIM)
add_custom_target(tune_manual ALL DEPENDS ${manual}/tune.1)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tune)
set(completion ${PROJECT_SOURCE_DIR}/cli/completion)
install(FILES ${completion}/tune.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tune
  COMPONENT tune)
install(FILES ${completion}/tune.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _tune COMPONENT tune)
install(FILES ${completion}/tune.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tune)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME cuda-tune)
set(CPACK_PACKAGE_VENDOR "the authors of tune")
set(CPACK_PACKAGE_CONTACT "the authors of tune")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
  "Finds the fastest correct configuration of a CUDA kernel on a GPU and stores every measurement.
 Measuring needs an NVIDIA GPU and NVRTC of the CUDA toolkit 12.4 or newer;
 recorded results, reports and lookups need neither.")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# tune compiles a check of the emulator with the system's compiler.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_PACKAGE_FILE_NAME "tune-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")  # of the archive
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
include(CPack)
