# add_chapter(<folder> [FOLLOWS <folder>] TITLE "..." ADDS name... [CHANGES name...]
#             [RETIRES tag "reason" ...])
#
# One chapter of the book: its program, and its tests together with those of the chapters before it.
# ADDS and CHANGES name what its solver.hpp adds to the one it follows, and what it changes there;
# RETIRES names the tags of inherited tests that no longer hold, each with the reason. The workbook
# script and the checks in tests/honesty read these lines too: a call begins at the margin.
function(add_chapter folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLLOWS;TITLE" "ADDS;CHANGES;RETIRES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_chapter(${folder}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()

  add_executable(${folder} ${folder}/main.cpp ${folder}/solver.hpp)
  workbook_compile_options(${folder})
  target_link_libraries(${folder} PRIVATE workbook_program)

  set(ideas ${folder})
  if(arg_FOLLOWS)
    get_property(earlier GLOBAL PROPERTY workbook_ideas_${arg_FOLLOWS})
    get_property(retired GLOBAL PROPERTY workbook_retired_${arg_FOLLOWS})
    list(PREPEND ideas ${earlier})
  endif()
  while(arg_RETIRES)
    list(POP_FRONT arg_RETIRES tag reason)
    list(APPEND retired ${tag})
  endwhile()
  set_property(GLOBAL PROPERTY workbook_ideas_${folder} ${ideas})
  set_property(GLOBAL PROPERTY workbook_retired_${folder} ${retired})
  if(WORKBOOK_TESTS)
    add_chapter_tests(${folder} IDEAS ${ideas} RETIRED ${retired})
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/mine/${folder}/solver.hpp)
    workbook_mine_targets(mine ${folder} ${PROJECT_SOURCE_DIR}/mine/${folder}
                          IDEAS ${ideas} RETIRED ${retired})
  endif()
endfunction()
