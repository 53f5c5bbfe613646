add_program_test(23_cuda.meeting "23_cuda;programs" chapters/meeting.py $<TARGET_FILE:23_cuda>)
add_exercise_tests(23_cuda)

# The tests of the device code bring their own main: they must be able to say that they were skipped.
add_executable(test_23_cuda_device ${PROJECT_SOURCE_DIR}/tests/chapters/23_cuda_device.cpp)
in_outer_ring(test_23_cuda_device)
workbook_test_options(test_23_cuda_device)
target_include_directories(test_23_cuda_device PRIVATE ${PROJECT_SOURCE_DIR}/tests/support
                           ${PROJECT_SOURCE_DIR}/chapters)
target_link_libraries(test_23_cuda_device PRIVATE workbook::cuda Catch2::Catch2 Threads::Threads)
add_test(NAME 23_cuda.device COMMAND test_23_cuda_device ${WORKBOOK_CATCH2_FLAGS})
set_tests_properties(23_cuda.device PROPERTIES LABELS "23_cuda;gpu" SKIP_RETURN_CODE 77 TIMEOUT 600)
add_dependencies(tests_of_23_cuda test_23_cuda_device)
if(TARGET test_23_cuda_emulated)
  add_dependencies(tests_of_23_cuda test_23_cuda_emulated)
endif()
