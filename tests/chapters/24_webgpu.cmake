# What 22_cells computes, for the kernels to be compared with: its functions on random cells, and its program.
add_executable(cells_of_22 ${PROJECT_SOURCE_DIR}/tests/chapters/24_webgpu.cpp)
workbook_compile_options(cells_of_22)
target_include_directories(cells_of_22 PRIVATE ${PROJECT_SOURCE_DIR}/chapters ${PROJECT_SOURCE_DIR})
target_link_libraries(cells_of_22 PRIVATE Threads::Threads)
add_dependencies(24_webgpu cells_of_22 22_cells)

# Where Node or Chromium is missing, these tests say that they are skipped.
add_custom_target(tests_of_24_webgpu)
add_dependencies(tests_of_24_webgpu 24_webgpu)
find_program(WORKBOOK_NODE node)
if(WORKBOOK_NODE)
  # add_page_test(<name> <labels> <script> <argument>...)
  function(add_page_test name labels script)
    add_test(NAME 24_webgpu.${name} COMMAND ${WORKBOOK_NODE} ${PROJECT_SOURCE_DIR}/tests/webgpu/${script}
             --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${ARGN})
    set_tests_properties(24_webgpu.${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 TIMEOUT 600)
  endfunction()
  add_page_test(24_webgpu "24_webgpu" run.js)
  add_page_test(window "24_webgpu" page.js)
  add_page_test(program "24_webgpu" program.js)
  add_page_test(answers "24_webgpu;honesty" answers.js)
  add_page_test(mutants "24_webgpu;honesty;mutants" mutants.js)
  add_seen_test(playground honesty ${WORKBOOK_NODE} ${PROJECT_SOURCE_DIR}/tests/webgpu/playground.js)
  set_tests_properties(playground PROPERTIES TIMEOUT 1800 COST 200)
  add_picture_test(24_webgpu.pictures "24_webgpu;honesty" honesty/lessons.py --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
                   --pictures --only 24_webgpu)
  add_test(NAME 24_webgpu.numbers COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/24_webgpu --numbers)
  set_tests_properties(24_webgpu.numbers PROPERTIES LABELS "24_webgpu;numbers" FAIL_REGULAR_EXPRESSION DIFFERS
                       SKIP_REGULAR_EXPRESSION "not installed")
endif()
