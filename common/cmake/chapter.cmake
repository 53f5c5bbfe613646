# add_chapter(<folder> [FOLLOWS <folder> [NEW_GRID "reason"]] TITLE "..." ADDS name... [GIVES name...]
#             [CHANGES name...] [DROPS name...] [RETIRES tag "reason" ...] [NEEDS library...]
#             [NOT_IN_BROWSER])
#
# One chapter of the book: its program, and its tests together with those of the chapters before it.
# ADDS and CHANGES name what its solver.hpp adds to the one it follows, and what it changes there;
# GIVES names what is new as well, but not for the reader to write; DROPS what is gone. RETIRES names
# the tags of inherited tests that no longer hold, each with the reason. With NEW_GRID the fluid lives
# on another grid: the tests of earlier chapters cannot be compiled against it, its own test file says
# anew what still holds, and the chapters that follow inherit from this one on. NEEDS names further
# libraries that the program links. NOT_IN_BROWSER: the browser edition has its lesson, but no program.
#
# add_part(<tens> "...") names a part of the book: the chapters whose numbers have these tens.
#
# common/book/book.py reads these lines too, and everything else asks that: a call begins at the margin.
function(add_part tens title)
endfunction()

function(add_chapter folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_IN_BROWSER" "FOLLOWS;TITLE;NEW_GRID"
                        "ADDS;GIVES;CHANGES;DROPS;RETIRES;NEEDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_chapter(${folder}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()

  if(EMSCRIPTEN AND arg_NOT_IN_BROWSER)
    return()
  endif()

  add_executable(${folder} ${folder}/main.cpp ${folder}/numbers.cpp ${folder}/solver.hpp)
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
  if(arg_FOLLOWS AND NOT arg_NEW_GRID)
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
  set_property(GLOBAL PROPERTY workbook_retired_${folder} ${retired})
  if(WORKBOOK_TESTS)
    add_chapter_tests(${folder} IDEAS ${ideas} RETIRED ${retired})
    if(earlier)
      inherited_again(${arg_FOLLOWS} IDEAS ${earlier})
    endif()
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/mine/${folder}/solver.hpp)
    workbook_mine_targets(mine ${folder} ${PROJECT_SOURCE_DIR}/mine/${folder}
                          IDEAS ${ideas} RETIRED ${retired})
  endif()
endfunction()
