# The chapters of the book: the program of each, and its tests together with those of the chapters before it.

# workbook_program_options(<program>): what holds for a chapter's program alone. With sanitizers, its tests are checked
# for the use of a variable whose scope has ended, and it is not: that takes a fifth of the time to compile it.
function(workbook_program_options program)
  if(WORKBOOK_SANITIZE)
    target_compile_options(${program} PRIVATE -fno-sanitize-address-use-after-scope)
  endif()
endfunction()

# workbook_program_headers(<program>): what the programs with matrices include is compiled once for all of them.
function(workbook_program_headers program)
  if(NOT TARGET workbook_program_headers)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp "")
    add_library(workbook_program_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
    target_link_libraries(workbook_program_headers PRIVATE workbook_program workbook::algebra)
    workbook_compile_options(workbook_program_headers)
    workbook_program_options(workbook_program_headers)
    target_precompile_headers(workbook_program_headers PRIVATE
      ${PROJECT_SOURCE_DIR}/common/algebra/algebra.hpp ${PROJECT_SOURCE_DIR}/common/app/box.hpp
      ${PROJECT_SOURCE_DIR}/common/app/numbers.hpp ${PROJECT_SOURCE_DIR}/common/app/program.hpp
      <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <utility> <vector>)
  endif()
  target_precompile_headers(${program} REUSE_FROM workbook_program_headers)
  workbook_precompiled_options(${program})
endfunction()

# sanitized_chapters(): the tests of all chapters, with sanitizers. The tests of an idea run once, in the last chapter
# that inherits it.
function(sanitized_chapters)
  get_property(chapters GLOBAL PROPERTY workbook_chapters)
  get_property(followed GLOBAL PROPERTY workbook_followed)
  list(REVERSE chapters)
  set(tested "")
  foreach(folder ${chapters})
    get_property(ideas GLOBAL PROPERTY workbook_ideas_${folder})
    get_property(retired GLOBAL PROPERTY workbook_retired_${folder})
    get_property(missing GLOBAL PROPERTY workbook_missing_${folder})
    set(is_last FALSE)
    if(NOT folder IN_LIST followed)
      set(is_last TRUE)
      list(REMOVE_ITEM ideas ${tested})
      list(APPEND tested ${ideas})
    endif()
    add_sanitized_tests(${folder} IS_LAST ${is_last} IDEAS ${ideas} RETIRED ${retired} MISSING ${missing})
  endforeach()
endfunction()

# add_page_chapter(<folder> <page>): a chapter whose program is a page. Its target makes bin/<folder>, which runs the
# page's modules in a browser without a window, and what these are compared with.
function(add_page_chapter folder page)
  set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${folder})
  file(CONFIGURE OUTPUT ${program} @ONLY CONTENT "#!/bin/sh
command -v node >/dev/null 2>&1 || {
    echo '${folder}: Node is not installed here (Debian: apt install nodejs)' >&2
    exit 2
}
exec node '${PROJECT_SOURCE_DIR}/${page}/node/program.js' --bin '${CMAKE_RUNTIME_OUTPUT_DIRECTORY}' \"$@\"
")
  file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_custom_target(${folder})
  if(WORKBOOK_TESTS AND NOT WORKBOOK_SANITIZE)
    include(${PROJECT_SOURCE_DIR}/tests/chapters/${folder}.cmake)
  endif()
endfunction()

# add_chapter(<json>): one chapter, of which the manifest says this.
function(add_chapter chapter)
  json_text(folder "${chapter}" folder)
  json_text(follows "${chapter}" follows)
  json_text(new_grid "${chapter}" new_grid)
  json_text(writes "${chapter}" writes)
  json_text(in_browser "${chapter}" in_browser)
  json_list(needs "${chapter}" needs)
  json_text(page "${chapter}" page)
  if(EMSCRIPTEN AND in_browser STREQUAL OFF)
    return()
  endif()
  if(NOT page STREQUAL "")
    add_page_chapter(${folder} ${page})
    return()
  endif()
  if(writes STREQUAL "")
    set(writes solver.hpp)
  endif()

  set(is_missing FALSE)
  foreach(library ${needs})
    if(NOT TARGET ${library})
      set(is_missing TRUE)
      list(REMOVE_ITEM needs ${library})
    endif()
  endforeach()
  if(is_missing)
    json_list(packages "${chapter}" packages)
    string(REPLACE ";" " " packages "${packages}")
    configure_file(${PROJECT_SOURCE_DIR}/common/cmake/missing.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp @ONLY)
    add_executable(${folder} ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp)
  else()
    add_executable(${folder} ${folder}/main.cpp ${folder}/numbers.cpp ${folder}/solver.hpp)
  endif()
  workbook_compile_options(${folder})
  workbook_program_options(${folder})
  # Most of a program with matrices is in headers, which are read once for both of its files.
  file(STRINGS ${folder}/main.cpp matrices REGEX "^#include \"window/window.hpp\"")
  if(matrices AND WORKBOOK_UNITY AND NOT EMSCRIPTEN)
    set_target_properties(${folder} PROPERTIES UNITY_BUILD ON)
  endif()
  target_include_directories(${folder} PRIVATE ${PROJECT_SOURCE_DIR}/chapters # "07_project/solver.hpp"
                             ${PROJECT_SOURCE_DIR}) # "common/app/program.hpp"
  target_link_libraries(${folder} PRIVATE workbook_program Threads::Threads ${needs})
  set(uses_eigen "")
  foreach(file solver.hpp numbers.cpp)
    file(STRINGS ${folder}/${file} found REGEX "^#include (<Eigen/|\"common/algebra/)")
    list(APPEND uses_eigen ${found})
  endforeach()
  if(uses_eigen)
    target_link_libraries(${folder} PRIVATE workbook::algebra)
    if(NOT needs AND NOT EMSCRIPTEN)
      workbook_program_headers(${folder})
    endif()
  endif()
  file(STRINGS ${folder}/main.cpp exports REGEX "^#include \"window/exports.hpp\"")
  if(exports)
    target_link_libraries(${folder} PRIVATE workbook_vdb)
  endif()
  if(EMSCRIPTEN)
    workbook_browser_program(${folder})
    if(WORKBOOK_BROWSER_QUICK AND TARGET "${follows}" AND new_grid STREQUAL ""
       AND writes STREQUAL solver.hpp)
      workbook_browser_quick(${follows})
    endif()
    return() # its tests are native
  endif()

  set(ideas ${folder})
  set(earlier "")
  set(retired "")
  # Beside a file of the chapter's own, solver.hpp is what it was, and so are its tests.
  if(NOT follows STREQUAL "" AND new_grid STREQUAL "" AND writes STREQUAL solver.hpp)
    get_property(earlier GLOBAL PROPERTY workbook_ideas_${follows})
    get_property(retired GLOBAL PROPERTY workbook_retired_${follows})
    list(PREPEND ideas ${earlier})
    set_property(GLOBAL APPEND PROPERTY workbook_followed ${follows}) # all of its code is in this chapter, too
  endif()
  json_list(retires "${chapter}" retires tag)
  list(APPEND retired ${retires})
  set_property(GLOBAL APPEND PROPERTY workbook_chapters ${folder})
  set_property(GLOBAL PROPERTY workbook_ideas_${folder} ${ideas})
  set_property(GLOBAL PROPERTY workbook_writes_${folder} ${writes})
  set_property(GLOBAL PROPERTY workbook_retired_${folder} ${retired})
  set_property(GLOBAL PROPERTY workbook_missing_${folder} ${is_missing})
  if(WORKBOOK_TESTS AND NOT WORKBOOK_SANITIZE)
    add_chapter_tests(${folder} IDEAS ${ideas} RETIRED ${retired} MISSING ${is_missing})
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/mine/${folder}/${writes} AND NOT is_missing)
    workbook_mine_targets(mine ${folder} ${PROJECT_SOURCE_DIR}/mine/${folder}
                          IDEAS ${ideas} RETIRED ${retired})
  endif()
endfunction()
