# The reader's own solvers: mine/<chapter>/solver.hpp (or what else the chapter writes), ignored by git, laid down by `workbook start`.

# workbook_mine_targets(<prefix> <folder> <solver's folder> IDEAS <folder>... [RETIRED <tag>...])
#
# The chapter's program and the tests of these ideas, compiled against another solver.hpp:
# <prefix>_<folder> and test_<prefix>_<folder>. Neither is built unless asked for, so that nobody is
# disturbed by an unfinished file; and no warning is an error there.
function(workbook_mine_targets prefix folder where)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "IDEAS;RETIRED")
  # A quoted #include looks beside main.cpp first: hence a copy of it, away from the chapter's solver.
  set(copies ${CMAKE_BINARY_DIR}/mine/${prefix}_${folder})
  foreach(source main numbers)
    configure_file(${PROJECT_SOURCE_DIR}/chapters/${folder}/${source}.cpp ${copies}/${source}.cpp COPYONLY)
  endforeach()
  # The solver.hpp that a file of the chapter's own stands beside.
  get_property(writes GLOBAL PROPERTY workbook_writes_${folder})
  set(beside "")
  if(NOT writes STREQUAL solver.hpp)
    set(beside ${PROJECT_SOURCE_DIR}/chapters/${folder})
  endif()
  add_executable(${prefix}_${folder} EXCLUDE_FROM_ALL ${copies}/main.cpp ${copies}/numbers.cpp)
  get_target_property(libraries ${folder} LINK_LIBRARIES)
  target_link_libraries(${prefix}_${folder} PRIVATE ${libraries})
  target_include_directories(${prefix}_${folder} PRIVATE ${where} ${beside} ${PROJECT_SOURCE_DIR}/chapters
                             ${PROJECT_SOURCE_DIR})
  workbook_mine_options(${prefix}_${folder})
  if(NOT WORKBOOK_TESTS)
    return()
  endif()

  set(tests test_${prefix}_${folder})
  set(sources ${arg_IDEAS})
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/tests/chapters/)
  list(TRANSFORM sources APPEND .cpp)
  workbook_readers_tests(${tests} ${where} "${beside}" ${sources})

  set(watched ${CMAKE_BINARY_DIR}/mine/watched_${prefix}_${folder})
  workbook_watched_targets(${prefix}_${folder} ${watched} "${where};${beside}" SOURCES ${sources} MAIN ${copies}/main.cpp
                           LIBRARIES ${libraries})

  # What common/book/check.py and watch.py need to know.
  set(plan "program $<TARGET_FILE:${prefix}_${folder}>\ntests $<TARGET_FILE:${tests}>\n")
  string(APPEND plan "watched_folder ${watched}\nwatched $<TARGET_FILE:watched_${prefix}_${folder}>\n"
                     "watched_tests $<TARGET_FILE:test_watched_${prefix}_${folder}>\nwindow $<TARGET_FILE:workbook_window>\n")
  if(TARGET test_earlier_${prefix}_${folder})
    string(APPEND plan "watched_earlier $<TARGET_FILE:test_earlier_${prefix}_${folder}>\n")
  endif()
  set(without "")
  foreach(tag ${arg_RETIRED})
    string(APPEND without "~[${tag}]")
  endforeach()
  foreach(idea ${arg_IDEAS})
    string(APPEND plan "idea ${idea} [${idea}]${without}\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/mine/$<CONFIG>/${prefix}_${folder}.plan CONTENT "${plan}")
endfunction()

# workbook_readers_tests(<target> <solver's folder> <folder beside> <source>...): tests against the solver in that folder.
function(workbook_readers_tests target where beside)
  add_executable(${target} EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support ${where} ${beside}
                             ${PROJECT_SOURCE_DIR}/chapters ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE workbook::catch2 workbook_test_algebra Threads::Threads)
  workbook_checked(${target})
  if(NOT TARGET workbook_checked_headers) # compiled once for all readers' tests
    add_library(workbook_checked_headers OBJECT EXCLUDE_FROM_ALL
                ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
    target_link_libraries(workbook_checked_headers PRIVATE workbook::catch2 workbook_test_algebra
                          Threads::Threads)
    workbook_checked(workbook_checked_headers)
    target_precompile_headers(workbook_checked_headers PRIVATE
                              ${PROJECT_SOURCE_DIR}/tests/support/catch.hpp
                              ${PROJECT_SOURCE_DIR}/common/algebra/algebra.hpp)
  endif()
  target_precompile_headers(${target} REUSE_FROM workbook_checked_headers)
endfunction()

# workbook_watched_targets(<name> <folder> <further folders> SOURCES <test>... MAIN <main.cpp> LIBRARIES <library>...)
#
# What `workbook watch` builds anew each time the reader saves: the program, the tests of the chapter's idea, and those
# of the ideas before. common/book/watch.py lays down in the folder what the reader has written, in two parts: a header
# that declares the functions, and definitions.cpp, which defines them. Only the latter is compiled each time. The whole
# of it is in whole.cpp, which is compiled to see whether a mistake is the reader's.
function(workbook_watched_targets name folder where)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "MAIN" "SOURCES;LIBRARIES")
  set(definitions ${folder}/definitions.cpp)
  set_source_files_properties(${definitions} PROPERTIES GENERATED TRUE)
  set(program watched_${name})
  set(watch ${PROJECT_SOURCE_DIR}/common/watch)
  add_executable(${program} EXCLUDE_FROM_ALL ${arg_MAIN} ${definitions} ${watch}/window.cpp ${watch}/watched.cpp
                 ${watch}/numbers.cpp)
  add_dependencies(${program} workbook_window) # in which it is shown
  # window.cpp and watched.cpp stand before the library that has files of these names, which are not linked then.
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} workbook::algebra)
  target_include_directories(${program} PRIVATE ${folder} ${where} ${PROJECT_SOURCE_DIR}/chapters ${PROJECT_SOURCE_DIR})
  workbook_mine_options(${program})
  if(NOT TARGET workbook_watched_headers) # compiled once for all of these programs
    file(WRITE ${CMAKE_BINARY_DIR}/mine/headers.cpp "")
    add_library(workbook_watched_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/mine/headers.cpp)
    target_link_libraries(workbook_watched_headers PRIVATE workbook_program workbook::algebra)
    workbook_mine_options(workbook_watched_headers)
    target_precompile_headers(workbook_watched_headers PRIVATE
      ${PROJECT_SOURCE_DIR}/common/algebra/algebra.hpp ${PROJECT_SOURCE_DIR}/common/app/box.hpp
      ${PROJECT_SOURCE_DIR}/common/app/program.hpp
      <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <utility> <vector>)
  endif()
  target_precompile_headers(${program} REUSE_FROM workbook_watched_headers)

  set_source_files_properties(${folder}/whole.cpp PROPERTIES GENERATED TRUE)
  add_library(whole_${name} OBJECT EXCLUDE_FROM_ALL ${folder}/whole.cpp)
  target_link_libraries(whole_${name} PRIVATE ${arg_LIBRARIES} workbook::algebra)
  target_include_directories(whole_${name} PRIVATE ${where} ${PROJECT_SOURCE_DIR}/chapters ${PROJECT_SOURCE_DIR})
  workbook_mine_options(whole_${name})
  target_precompile_headers(whole_${name} REUSE_FROM workbook_watched_headers)

  list(POP_BACK arg_SOURCES own)
  workbook_readers_tests(test_watched_${name} ${folder} "${where}" ${own} ${definitions})
  if(arg_SOURCES)
    workbook_readers_tests(test_earlier_${name} ${folder} "${where}" ${arg_SOURCES} ${definitions})
  endif()
endfunction()

function(workbook_mine_options target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /wd4100 /permissive- /utf-8)
  else()
    # A beginner's missing `return` is worth stopping at; an argument not used yet is not.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter -Werror=return-type
                           -ffp-contract=off)
  endif()
endfunction()

# workbook_checked(<target>): tests of a reader's file, with assertions, and with words rather than silence
# where a program reaches beyond an array. AddressSanitizer is linked for its report of where that was, but the code is
# not compiled for it: that would take twice as long, at each check, and find little more.
function(workbook_checked target)
  workbook_mine_options(${target})
  target_compile_definitions(${target} PRIVATE REFERENCE_DIR="${PROJECT_SOURCE_DIR}/tests/reference")
  if(MSVC)
    target_compile_options(${target} PRIVATE /UNDEBUG)
    return()
  endif()
  target_compile_options(${target} PRIVATE -O1 -g1 -UNDEBUG)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS
                             _LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE)
  include(CheckCXXSourceCompiles)
  set(overflows -fsanitize=signed-integer-overflow,integer-divide-by-zero,return)
  set(CMAKE_REQUIRED_FLAGS "${overflows} -fno-sanitize-recover=all")
  set(CMAKE_REQUIRED_LINK_OPTIONS -fsanitize=address,undefined)
  check_cxx_source_compiles("int main() { return 0; }" WORKBOOK_HAVE_SANITIZERS)
  if(WORKBOOK_HAVE_SANITIZERS)
    target_compile_options(${target} PRIVATE ${overflows} -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
