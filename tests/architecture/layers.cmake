# cmake -DROOT=… -P layers.cmake
#
# Who may include whom. A room (hardware/cost, model/ops, …; files directly in cli/ are room cli) may
# include itself and the rooms on earlier lines of the table; rooms on one line do not see each
# other. Prints file:line and the rule for each include that breaks it, and then fails.
cmake_minimum_required(VERSION 3.25)

set(rooms_by_line
  "hardware/base"
  "hardware/machine hardware/telemetry"
  "hardware/cost"
  "model/llm model/workload model/engine"
  "model/layout"
  "model/ops"
  "model/memory model/step"
  "model/serving"
  "model/predict"
  "model/plan model/measured"
  "model/deploy model/calibrate model/diagnose"
  "cli/report"
  "cli/commands"
  "cli")

# Narrower: room, then all that it may include besides itself.
set(narrow_model/llm      "^hardware/base/")
set(narrow_model/workload "^hardware/base/")
set(narrow_model/engine   "^hardware/base/")
# Narrower: of hardware, model/ops may include only these.
set(narrow_model/ops      "^hardware/base/|^hardware/cost/work\\.h$|^model/")

# External packages: the first folder of the include, then the files that may include it.
set(package_yaml-cpp  "^hardware/base/spec_reader\\.cpp$")
set(package_nlohmann  "^hardware/base/json_reader\\.cpp$|^cli/report/json_report\\.cpp$")
set(package_CLI       "^cli/arguments\\.cpp$")
set(package_Eigen     "^model/(calibrate|diagnose)/.*\\.cpp$")
set(package_fmt       "\\.cpp$")
set(package_catch2    "^tests/")
set(package_benchmark "^tests/")
set(package_sys       ".")  # POSIX

set(line 0)
foreach(rooms IN LISTS rooms_by_line)
  math(EXPR line "${line} + 1")
  string(REPLACE " " ";" rooms "${rooms}")
  foreach(room IN LISTS rooms)
    set(line_of_${room} ${line})
  endforeach()
endforeach()

cmake_path(ABSOLUTE_PATH ROOT)
set(violations 0)

# The room of a file; a file that lies directly in cli/ is in room cli.
function(room_of path result)
  string(REGEX MATCH "^[^/]+/[^/]+/|^cli/" room "${path}")
  string(REGEX REPLACE "/$" "" room "${room}")
  set(${result} "${room}" PARENT_SCOPE)
endfunction()

# The rule that file, in room, breaks by including target, or nothing.
function(broken_rule file room target result)
  set(${result} "" PARENT_SCOPE)
  string(REGEX MATCH "^[^/]+" first "${target}")
  if(DEFINED package_${first})
    if(NOT file MATCHES "${package_${first}}")
      set(${result} "package '${first}' belongs only in '${package_${first}}'" PARENT_SCOPE)
    endif()
    return()
  endif()
  room_of("${target}" other)
  if(NOT DEFINED line_of_${other})
    set(${result} "'${target}' is in no known room or package" PARENT_SCOPE)
  elseif(room STREQUAL other)
    return()
  elseif(NOT line_of_${other} LESS line_of_${room})
    set(${result} "'${room}' (line ${line_of_${room}}) must not include '${other}' \
(line ${line_of_${other}})" PARENT_SCOPE)
  elseif(DEFINED narrow_${room} AND NOT target MATCHES "${narrow_${room}}")
    set(${result} "'${room}' may include only itself and '${narrow_${room}}'" PARENT_SCOPE)
  endif()
endfunction()

file(GLOB_RECURSE files RELATIVE "${ROOT}"
     "${ROOT}/hardware/*.h" "${ROOT}/hardware/*.cpp" "${ROOT}/model/*.h" "${ROOT}/model/*.cpp"
     "${ROOT}/cli/*.h" "${ROOT}/cli/*.cpp")
list(FILTER files EXCLUDE REGEX "/node_modules/")
list(SORT files)
foreach(file IN LISTS files)
  room_of("${file}" room)
  if(NOT DEFINED line_of_${room})
    message(NOTICE "${file}:1: '${room}' is no known room")
    math(EXPR violations "${violations} + 1")
    continue()
  endif()
  file(READ "${ROOT}/${file}" text)
  string(REGEX MATCHALL "(^|\n)[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]+" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*[<\"]" "" target "${include}")
    if(include MATCHES "<" AND NOT target MATCHES "/")
      continue()  # the standard library
    endif()
    broken_rule("${file}" "${room}" "${target}" rule)
    if(NOT rule STREQUAL "")
      string(FIND "${text}" "${include}" position)
      string(SUBSTRING "${text}" 0 ${position} before)
      string(REGEX MATCHALL "\n" newlines "${before}\n${include}")
      list(LENGTH newlines number)
      if(NOT include MATCHES "^\n")
        set(number 1)
      endif()
      message(NOTICE "${file}:${number}: ${rule}")
      math(EXPR violations "${violations} + 1")
    endif()
  endforeach()
endforeach()

if(files STREQUAL "")
  message(FATAL_ERROR "no sources under ${ROOT}")
elseif(violations GREATER 0)
  message(FATAL_ERROR "${violations} includes break the table in docs/architecture.md")
endif()
