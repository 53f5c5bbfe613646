# Reads chapters/manifest.json, as common/book/manifest.py does, which says what its members mean.

# json_text(<variable> <json> <member>): a text, or nothing where there is no such member.
function(json_text variable json member)
  string(JSON text ERROR_VARIABLE missing GET "${json}" ${member})
  if(missing)
    set(text "")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# json_list(<variable> <json> <member> [<of>]): the texts that a list holds, or nothing where there is no such member.
# Of objects, it is their member <of>.
function(json_list variable json member)
  string(JSON length ERROR_VARIABLE missing LENGTH "${json}" ${member})
  set(found "")
  if(NOT missing AND length GREATER 0)
    math(EXPR last "${length} - 1")
    foreach(n RANGE ${last})
      string(JSON one GET "${json}" ${member} ${n} ${ARGN})
      list(APPEND found "${one}")
    endforeach()
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# add_chapters(): each chapter of the manifest, in reading order.
function(add_chapters)
  set(file ${PROJECT_SOURCE_DIR}/chapters/manifest.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  check_manifest()
  file(READ ${file} manifest)
  string(JSON parts LENGTH "${manifest}" parts)
  math(EXPR last_part "${parts} - 1")
  foreach(part RANGE ${last_part})
    string(JSON chapters LENGTH "${manifest}" parts ${part} chapters)
    math(EXPR last_chapter "${chapters} - 1")
    foreach(n RANGE ${last_chapter})
      string(JSON chapter GET "${manifest}" parts ${part} chapters ${n})
      add_chapter("${chapter}")
    endforeach()
  endforeach()
endfunction()

# check_manifest(): the book's own reader says what is wrong with the manifest, and in which line.
function(check_manifest)
  if(NOT Python3_Interpreter_FOUND)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/common/book/book.py folders
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE why)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${why}")
  endif()
endfunction()
