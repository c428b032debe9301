# SPDX-License-Identifier: Apache-2.0
# A port for vcpkg that builds the source tree it lies in: vcpkg install cuda-tune --overlay-ports=packaging/vcpkg
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH packaging)
cmake_path(GET packaging PARENT_PATH SOURCE_PATH)
set(cuda OFF)
if("cuda" IN_LIST FEATURES)
  set(cuda ON)
endif()

vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DTUNE_TESTS=OFF -DTUNE_CUDA=${cuda} -DFETCHCONTENT_FULLY_DISCONNECTED=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tune CONFIG_PATH lib/cmake/tune)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES tune AUTO_CLEAN)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE ${SOURCE_PATH}/NOTICE)
