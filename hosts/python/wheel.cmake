# SPDX-License-Identifier: Apache-2.0
# Included by the top CMakeLists.txt when a wheel is built (CMAKE_PROJECT_segue_INCLUDE): what goes into the wheel.

# pip builds from a fresh clone too, so the private jemalloc is made when it is not there.
if((NOT DEFINED SEGUE_JEMALLOC OR SEGUE_JEMALLOC) AND NOT DEFINED SEGUE_JEMALLOC_DIR)
  execute_process(COMMAND "${CMAKE_SOURCE_DIR}/packaging/jemalloc" RESULT_VARIABLE jemalloc_status)
  if(NOT jemalloc_status EQUAL 0)
    message(FATAL_ERROR "no private jemalloc for the plugin (see above); to build the wheel without it: "
                        "pip install --config-settings=cmake.define.SEGUE_JEMALLOC=OFF ./hosts/python")
  endif()
endif()

# libsegue's one dependency beside libc goes into the wheel as well, as auditwheel would do it: Debian's static jansson
# is not position-independent, so it cannot be linked in. The plugin has no search path of its own.
set(CMAKE_BUILD_RPATH "$ORIGIN")
set(segue_licenses "${SKBUILD_METADATA_DIR}/licenses")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${segue_licenses}" COMPONENT python)
if(NOT DEFINED SEGUE_JEMALLOC OR SEGUE_JEMALLOC)
  install(FILES "${CMAKE_SOURCE_DIR}/build/jemalloc/COPYING" DESTINATION "${segue_licenses}" RENAME LICENSE.jemalloc
          COMPONENT python)
endif()
# Where a distribution keeps what it was told about jansson's licence, which is MIT.
file(GLOB segue_jansson_licence "/usr/share/doc/libjansson4/copyright" "/usr/share/licenses/jansson/LICENSE")
if(segue_jansson_licence)
  list(GET segue_jansson_licence 0 segue_jansson_licence)
  install(FILES "${segue_jansson_licence}" DESTINATION "${segue_licenses}" RENAME LICENSE.jansson COMPONENT python)
endif()
install(FILES "$<TARGET_FILE:segue_host>" DESTINATION . RENAME libsegue.so.1 COMPONENT python)
install(FILES "$<TARGET_FILE:segue_plugin>" DESTINATION . COMPONENT python)
install(PROGRAMS "$<TARGET_FILE:segue_isolate>" DESTINATION . COMPONENT python)
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES "$<TARGET_FILE:segue_host>" RESOLVED_DEPENDENCIES_VAR found
       PRE_INCLUDE_REGEXES "^libjansson" PRE_EXCLUDE_REGEXES ".*")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "libsegue should need one libjansson, and the linker found: ${found}")
  endif()
  get_filename_component(name "${found}" NAME)
  get_filename_component(file "${found}" REALPATH)
  file(COPY_FILE "${file}" "${CMAKE_INSTALL_PREFIX}/${name}")
  message(STATUS "bundled ${name} from ${file}")
]] COMPONENT python)
