# add_chapter(<folder> [FOLLOWS <folder> [NEW_GRID "reason"]] TITLE "..." ADDS name... [GIVES name...]
#             [CHANGES name...] [DROPS name...] [RETIRES tag "reason" ...] [NEEDS library...]
#             [PACKAGES package...] [WRITES file] [NOT_IN_BROWSER])
#
# One chapter of the book: its program, and its tests together with those of the chapters before it.
# ADDS and CHANGES name what its solver.hpp adds to the one it follows, and what it changes there;
# GIVES names what is new as well, but not for the reader to write; DROPS what is gone. RETIRES names
# the tags of inherited tests that no longer hold, each with the reason. With NEW_GRID the fluid lives
# on another grid: the tests of earlier chapters cannot be compiled against it, its own test file says
# anew what still holds, and the chapters that follow inherit from this one on. NEEDS names further
# libraries that the program links. PACKAGES names the Debian packages that these are in, where `workbook`
# installs them for this chapter alone; without them its program only says what is missing. WRITES names the
# file that holds what the chapter adds, where that is not solver.hpp, which then is byte for byte that of the
# chapter before. NOT_IN_BROWSER: the browser edition has its lesson, but no program.
#
# add_part(<tens> "...") names a part of the book: the chapters whose numbers have these tens.
#
# common/book/book.py reads these lines too, and everything else asks that: a call begins at the margin.
function(add_part tens title)
endfunction()

function(add_chapter folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_IN_BROWSER" "FOLLOWS;TITLE;NEW_GRID;WRITES"
                        "ADDS;GIVES;CHANGES;DROPS;RETIRES;NEEDS;PACKAGES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_chapter(${folder}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()

  if(EMSCRIPTEN AND arg_NOT_IN_BROWSER)
    return()
  endif()

  if(NOT arg_WRITES)
    set(arg_WRITES solver.hpp)
  endif()
  set(is_missing FALSE)
  foreach(library ${arg_NEEDS})
    if(NOT TARGET ${library})
      set(is_missing TRUE)
      list(REMOVE_ITEM arg_NEEDS ${library})
    endif()
  endforeach()
  if(is_missing)
    string(REPLACE ";" " " packages "${arg_PACKAGES}")
    configure_file(${PROJECT_SOURCE_DIR}/common/cmake/missing.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp @ONLY)
    add_executable(${folder} ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp)
  else()
    add_executable(${folder} ${folder}/main.cpp ${folder}/numbers.cpp ${folder}/solver.hpp)
  endif()
  workbook_compile_options(${folder})
  target_include_directories(${folder} PRIVATE ${PROJECT_SOURCE_DIR}/chapters # "07_project/solver.hpp"
                             ${PROJECT_SOURCE_DIR}) # "common/app/program.hpp"
  target_link_libraries(${folder} PRIVATE workbook_program workbook::eigen Threads::Threads
                        ${arg_NEEDS})
  if(EMSCRIPTEN)
    workbook_browser_program(${folder})
    return() # its tests are native
  endif()

  set(ideas ${folder})
  set(earlier "")
  set(retired "")
  # Beside a file of the chapter's own, solver.hpp is what it was, and so are its tests.
  if(arg_FOLLOWS AND NOT arg_NEW_GRID AND arg_WRITES STREQUAL solver.hpp)
    get_property(earlier GLOBAL PROPERTY workbook_ideas_${arg_FOLLOWS})
    get_property(retired GLOBAL PROPERTY workbook_retired_${arg_FOLLOWS})
    list(PREPEND ideas ${earlier})
  endif()
  while(arg_RETIRES)
    list(POP_FRONT arg_RETIRES tag reason)
    list(APPEND retired ${tag})
  endwhile()
  set_property(GLOBAL PROPERTY workbook_ideas_${folder} ${ideas})
  set_property(GLOBAL PROPERTY workbook_needs_${folder} ${arg_NEEDS})
  set_property(GLOBAL PROPERTY workbook_writes_${folder} ${arg_WRITES})
  set_property(GLOBAL PROPERTY workbook_retired_${folder} ${retired})
  if(WORKBOOK_TESTS)
    add_chapter_tests(${folder} IDEAS ${ideas} RETIRED ${retired} MISSING ${is_missing})
    if(earlier)
      inherited_again(${arg_FOLLOWS} IDEAS ${earlier})
    endif()
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/mine/${folder}/${arg_WRITES} AND NOT is_missing)
    workbook_mine_targets(mine ${folder} ${PROJECT_SOURCE_DIR}/mine/${folder}
                          IDEAS ${ideas} RETIRED ${retired})
  endif()
endfunction()
