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

# A static jansson keeps the wheel free of the system's; its symbols stay inside libsegue.
find_library(SEGUE_STATIC_JANSSON NAMES libjansson.a)
if(SEGUE_STATIC_JANSSON)
  message(STATUS "the wheel links ${SEGUE_STATIC_JANSSON} into libsegue and needs no jansson at run time")
  set(CMAKE_FIND_LIBRARY_SUFFIXES ".a" ".so")
  add_link_options("LINKER:--exclude-libs,ALL")
else()
  message(STATUS "no static jansson was found: the wheel needs the system's libjansson at run time")
endif()

install(FILES "$<TARGET_FILE:segue_host>" DESTINATION . RENAME libsegue.so.1 COMPONENT python)
install(FILES "$<TARGET_FILE:segue_plugin>" DESTINATION . COMPONENT python)
