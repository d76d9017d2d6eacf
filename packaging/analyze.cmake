# SPDX-License-Identifier: Apache-2.0
# For packaging/analyze, which has CMake include it (CMAKE_PROJECT_INCLUDE): every unit of the product is read when it is
# compiled, by gcc's analyzer or, where clang compiles, by clang-tidy. What that looks for stands in .clang-tidy, its exceptions
# at their lines (NOLINT). gcc's exceptions are here, since clang refuses the names of its warnings in a source.

if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fanalyzer)
else()
  set(CMAKE_C_CLANG_TIDY clang-tidy --quiet --warnings-as-errors=* --extra-arg=-Xclang --extra-arg=-analyzer-config
                         --extra-arg=-Xclang --extra-arg=max-nodes=${SEGUE_ANALYZER_NODES})
endif()

# gcc_is_wrong(WARNING FOLDER FILE...): it is not asked there. The reason stands above each.
function(gcc_is_wrong warning folder)
  list(TRANSFORM ARGN PREPEND "${CMAKE_SOURCE_DIR}/${folder}/")
  set_property(SOURCE ${ARGN} DIRECTORY "${CMAKE_SOURCE_DIR}/${folder}" APPEND PROPERTY COMPILE_OPTIONS "-Wno-${warning}")
endfunction()

function(segue_analysis)
  # Both arenas, of which a build has one.
  add_library(segue_system_arena OBJECT plugin/core/arena_system.c)
  target_link_libraries(segue_system_arena PRIVATE segue_abi)
  target_include_directories(segue_system_arena PRIVATE plugin)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
    return()
  endif()

  # gcc 12 loses sight of a pointer that is kept in a row of an array, or in a struct that it knows by a pointer alone, and
  # takes it for leaked. The leak sanitizer and valgrind watch these units in the tests.
  gcc_is_wrong(analyzer-malloc-leak hosts/c search_path.c)
  gcc_is_wrong(analyzer-malloc-leak hosts/cli kafka/properties.c simulate/scenario.c simulate/scenario_actions.c
               simulate/scenario_deeds.c simulate/world.c)
  # Nor does it see that a row which it knows by a count alone has been written.
  gcc_is_wrong(analyzer-use-of-uninitialized-value hosts/c search_path.c)
  # A replay is listed only while its copy is there; that stands in another function than the one that relies on it.
  gcc_is_wrong(analyzer-null-dereference hosts/cli simulate/world.c)
  # Nor does it know that what fopen() opens is another stream than stdin, which stays open.
  gcc_is_wrong(analyzer-file-leak hosts/cli files.c)
  gcc_is_wrong(analyzer-malloc-leak hosts/cli files.c)
  # The same of memory without which another function has failed before.
  foreach(warning null-argument null-dereference possible-null-argument)
    gcc_is_wrong(analyzer-${warning} hosts/cli plan/course.c)
  endforeach()
endfunction()
cmake_language(DEFER CALL segue_analysis)
