# What is tested of the library as a library: what it exports, that it can be installed and found, its
# examples, and that nothing that it is given makes it fall over. Whether its fluids flow as they should,
# other tests see to.
include(CheckLanguage)

# library_test(<name> [<fixture>...]): what such tests have in common, and what must have been run before.
function(library_test name)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES LABELS library TIMEOUT 600 SKIP_RETURN_CODE 77
                         FIXTURES_REQUIRED "${ARGN}")
  endif()
endfunction()

# ---- What leaves it ------------------------------------------------------------------------------

# It exports what the header declares and nothing else; and what is compiled for wide registers stays
# among itself.
if(UNIX AND NOT WORKBOOK_SANITIZE)
  set(wide "")
  foreach(name avx2 avx512)
    if(TARGET stable_fluids_rows_${name})
      list(APPEND wide $<TARGET_OBJECTS:stable_fluids_rows_${name}>)
    endif()
  endforeach()
  add_program_test(stable_fluids.symbols library stable_fluids_package.py symbols "${CMAKE_NM}"
                   $<TARGET_FILE:stable_fluids> ${wide})
  library_test(stable_fluids.symbols)
endif()

# ---- The examples --------------------------------------------------------------------------------

# The C example in C99 to the letter; and the header, alone and with the example, as C11 and C++.
check_language(C)
if(CMAKE_C_COMPILER AND NOT WORKBOOK_SANITIZE)
  enable_language(C)
  set(channel ${PROJECT_SOURCE_DIR}/cuda/example/channel.c)
  file(CONFIGURE OUTPUT header.c CONTENT "#include <stable_fluids.h>\nint main(void) { return 0; }\n")
  configure_file(${CMAKE_CURRENT_BINARY_DIR}/header.c header.cpp COPYONLY)
  configure_file(${channel} channel.cpp COPYONLY)
  add_executable(stable_fluids_channel ${channel})
  add_library(stable_fluids_in_c99 OBJECT ${CMAKE_CURRENT_BINARY_DIR}/header.c)
  add_library(stable_fluids_in_c11 OBJECT ${CMAKE_CURRENT_BINARY_DIR}/header.c ${channel})
  add_library(stable_fluids_in_cpp OBJECT ${CMAKE_CURRENT_BINARY_DIR}/header.cpp
              ${CMAKE_CURRENT_BINARY_DIR}/channel.cpp)
  set_target_properties(stable_fluids_channel stable_fluids_in_c99 PROPERTIES C_STANDARD 99)
  set_target_properties(stable_fluids_in_c11 PROPERTIES C_STANDARD 11)
  foreach(target stable_fluids_channel stable_fluids_in_c99 stable_fluids_in_c11 stable_fluids_in_cpp)
    set_target_properties(${target} PROPERTIES C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_link_libraries(${target} PRIVATE stable_fluids)
    workbook_compile_options(${target})
    if(NOT MSVC)
      target_compile_options(${target} PRIVATE -pedantic-errors)
    endif()
  endforeach()
  add_program_test(stable_fluids.channel library stable_fluids_package.py channel
                   $<TARGET_FILE:stable_fluids_channel>)
  library_test(stable_fluids.channel)
endif()

# Python, which cannot load a library with sanitizers.
if(NOT WORKBOOK_SANITIZE)
  add_program_test(stable_fluids.python library stable_fluids_python.py $<TARGET_FILE:stable_fluids>)
  library_test(stable_fluids.python)
endif()

# ---- Installed -----------------------------------------------------------------------------------

if(CMAKE_C_COMPILER AND NOT WORKBOOK_SANITIZE)
  set(package stable_fluids_package.py)
  set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)
  add_program_test(stable_fluids.install library ${package} install ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR}
                   $<CONFIG> ${prefix})
  library_test(stable_fluids.install)
  if(TEST stable_fluids.install)
    set_tests_properties(stable_fluids.install PROPERTIES FIXTURES_SETUP stable_fluids_installed)
  endif()
  add_program_test(stable_fluids.find_package library ${package} find_package ${CMAKE_COMMAND} ${prefix}
                   ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/find_package)
  add_program_test(stable_fluids.installed_python library ${package} python ${prefix})
  if(UNIX)
    add_program_test(stable_fluids.pkg_config library ${package} pkg_config ${prefix}
                     ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/pkg_config)
  endif()
  foreach(name find_package installed_python pkg_config)
    library_test(stable_fluids.${name} stable_fluids_installed)
  endforeach()
endif()

# ---- Whatever it is given ------------------------------------------------------------------------

# A fixed number of cases that are made up here, with any compiler.
add_executable(stable_fluids_fuzz ${PROJECT_SOURCE_DIR}/tests/stable_fluids_fuzz.cpp)
# Memory that runs out, at every place where any is asked for.
add_executable(stable_fluids_memory ${PROJECT_SOURCE_DIR}/tests/stable_fluids_memory.cpp)
foreach(name fuzz memory)
  workbook_test_options(stable_fluids_${name})
  target_link_libraries(stable_fluids_${name} PRIVATE stable_fluids_static)
endforeach()
add_test(NAME stable_fluids.fuzz COMMAND stable_fluids_fuzz $<IF:$<BOOL:${WORKBOOK_SANITIZE}>,500,3000>)
add_test(NAME stable_fluids.memory COMMAND stable_fluids_memory)
library_test(stable_fluids.fuzz)
library_test(stable_fluids.memory)

# The same program as libFuzzer drives it, which makes up its cases by looking at what they lead to. It
# is run by .ci/run.
if(WORKBOOK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "WORKBOOK_FUZZ needs libFuzzer, which comes with Clang: configure with "
                        "-DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_executable(stable_fluids_libfuzzer EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/stable_fluids_fuzz.cpp)
  workbook_test_options(stable_fluids_libfuzzer)
  target_compile_definitions(stable_fluids_libfuzzer PRIVATE STABLE_FLUIDS_LIBFUZZER)
  target_compile_options(stable_fluids_libfuzzer PRIVATE -fsanitize=fuzzer)
  target_link_options(stable_fluids_libfuzzer PRIVATE -fsanitize=fuzzer)
  target_link_libraries(stable_fluids_libfuzzer PRIVATE stable_fluids_static)
endif()

# ---- What is said of it --------------------------------------------------------------------------

add_program_test(stable_fluids.reference honesty ../cuda/library/reference.py)
