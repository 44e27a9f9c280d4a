# cmake -DROOT=… -P listed.cmake: every source is named in the CMakeLists.txt of its library, so that
# none is forgotten and left without warnings and tests.
cmake_minimum_required(VERSION 3.25)
set(forgotten "")
foreach(folder IN ITEMS hardware model cli tests)
  file(STRINGS "${ROOT}/${folder}/CMakeLists.txt" lines)
  list(TRANSFORM lines STRIP)
  file(GLOB_RECURSE files RELATIVE "${ROOT}/${folder}" "${ROOT}/${folder}/*.h"
       "${ROOT}/${folder}/*.cpp")
  if(folder STREQUAL "tests")
    # Only the tests themselves: headers and the other folders have their own rules.
    list(FILTER files INCLUDE REGEX "_test\\.cpp$")
  endif()
  list(FILTER files EXCLUDE REGEX "/node_modules/")
  foreach(file IN LISTS files)
    if(NOT file IN_LIST lines)
      string(APPEND forgotten "${folder}/CMakeLists.txt: ${file}\n")
    endif()
  endforeach()
endforeach()
if(NOT forgotten STREQUAL "")
  message(NOTICE "${forgotten}")
  message(FATAL_ERROR "sources that no list names")
endif()
