add_exercise_tests(52_fast)
set(link_mutants $<TARGET_FILE:stable_fluids> -Wl,-rpath,$<TARGET_FILE_DIR:stable_fluids>) # it takes part in the race

# The contestants of the race that are given: no test of the idea, so none that a start file must fail.
chapter_test(test_52_fast_contestants 52_fast ${PROJECT_SOURCE_DIR}/tests/chapters/52_fast_contestants.cpp)
target_link_libraries(test_52_fast_contestants PRIVATE stable_fluids)
add_test(NAME 52_fast.contestants COMMAND test_52_fast_contestants ${WORKBOOK_CATCH2_FLAGS})
set_tests_properties(52_fast.contestants PROPERTIES LABELS "52_fast" TIMEOUT 300)
add_dependencies(tests_of_52_fast test_52_fast_contestants)

# What the race charges for an iteration, beside what is read and written. The same functions as elsewhere, compiled
# with other vectors: so it is a program of its own. With sanitizers it would take a minute and find nothing more.
if(NOT WORKBOOK_SANITIZE)
  chapter_test(test_52_fast_work 52_fast ${PROJECT_SOURCE_DIR}/tests/chapters/52_fast_work.cpp)
  target_link_libraries(test_52_fast_work PRIVATE stable_fluids)
  in_outer_ring(test_52_fast_work)
  add_seen_test(52_fast.work "52_fast;long" $<TARGET_FILE:test_52_fast_work> ${WORKBOOK_CATCH2_FLAGS})
  add_dependencies(tests_of_52_fast test_52_fast_work)
endif()
