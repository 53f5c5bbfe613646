# What is tested of the library's fluids: that they flow as they should, and that its functions keep the
# header's promises. Included after the library, whose target stable_fluids is; what is tested of it as a
# library stands in cuda/library/tests.cmake.
if(TARGET stable_fluids)
  find_package(Threads REQUIRED)

  # One executable, run part by part.
  set(parts stable_fluids_physics.cpp stable_fluids_step.cpp stable_fluids_interface.cpp)
  list(TRANSFORM parts PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  add_executable(test_stable_fluids ${parts})
  target_link_libraries(test_stable_fluids PRIVATE workbook::catch2)
  foreach(part physics step interface)
    add_test(NAME stable_fluids.${part} COMMAND test_stable_fluids "[${part}]" ${WORKBOOK_CATCH2_FLAGS})
    set_tests_properties(stable_fluids.${part} PROPERTIES LABELS library TIMEOUT 600)
  endforeach()

  # All of them once more on the GPU, and beside the host. It brings its own main: it must be able to say
  # that it was skipped.
  add_executable(test_stable_fluids_device ${parts} ${PROJECT_SOURCE_DIR}/tests/stable_fluids_device.cpp)
  target_link_libraries(test_stable_fluids_device PRIVATE Catch2::Catch2)
  add_test(NAME stable_fluids.device COMMAND test_stable_fluids_device ${WORKBOOK_CATCH2_FLAGS})
  set_tests_properties(stable_fluids.device PROPERTIES LABELS "library;gpu" SKIP_RETURN_CODE 77 TIMEOUT 900)

  foreach(target test_stable_fluids test_stable_fluids_device)
    workbook_test_options(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${target} PRIVATE REFERENCE_DIR="${PROJECT_SOURCE_DIR}/tests/reference")
    target_link_libraries(${target} PRIVATE stable_fluids Threads::Threads)
  endforeach()

  find_package(benchmark QUIET)
  if(benchmark_FOUND)
    add_executable(benchmark_stable_fluids EXCLUDE_FROM_ALL
                   ${PROJECT_SOURCE_DIR}/tests/benchmarks/stable_fluids.cpp)
    workbook_compile_options(benchmark_stable_fluids)
    target_include_directories(benchmark_stable_fluids PRIVATE ${PROJECT_SOURCE_DIR}/chapters)
    target_link_libraries(benchmark_stable_fluids PRIVATE stable_fluids Threads::Threads
                          benchmark::benchmark)
  endif()
endif()
