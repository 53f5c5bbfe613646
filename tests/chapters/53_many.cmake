add_exercise_tests(53_many)
set(link_mutants $<TARGET_PROPERTY:PkgConfig::PETSC,INTERFACE_LINK_LIBRARIES>
    $<TARGET_PROPERTY:MPI::MPI_CXX,INTERFACE_LINK_LIBRARIES>)

# On several ranks, against 31_smoke. Ranks wait for each other many thousand times. Beside other tests each wait would
# take as long as these compute, so what takes long runs alone, and begins first.
add_seen_program_test(53_many.ranks "53_many;programs" chapters/ranks.py $<TARGET_FILE:53_many> $<TARGET_FILE:31_smoke>)
foreach(test 53_many.ranks 53_many.pictures)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST 120 RUN_SERIAL ON)
  endif()
endforeach()

if(TEST 53_many.command_line)
  set_tests_properties(53_many.command_line PROPERTIES COST 50)
  set_property(TEST 53_many.command_line APPEND PROPERTY LABELS programs) # each run begins MPI
endif()

# What tests/on_a_cluster.sh runs.
add_executable(many_ranks ${PROJECT_SOURCE_DIR}/tests/benchmarks/many.cpp)
in_outer_ring(many_ranks)
workbook_compile_options(many_ranks)
target_include_directories(many_ranks PRIVATE ${PROJECT_SOURCE_DIR}/chapters ${PROJECT_SOURCE_DIR}/chapters/53_many
                           ${PROJECT_SOURCE_DIR})
target_link_libraries(many_ranks PRIVATE workbook::eigen workbook::petsc Threads::Threads)
add_seen_program_test(53_many.figures "53_many;long" chapters/ranks_figures.py $<TARGET_FILE:53_many>
                      $<TARGET_FILE:many_ranks> ${PROJECT_SOURCE_DIR}/chapters/53_many/README.md)
if(TEST 53_many.figures)
  set_tests_properties(53_many.figures PROPERTIES TIMEOUT 1800 RUN_SERIAL ON COST 150)
endif()
add_dependencies(tests_of_53_many 31_smoke many_ranks)
