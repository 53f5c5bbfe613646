if(NOT WORKBOOK_SANITIZE) # which see 23_cuda's
  add_program_test(21_3d.meeting "21_3d;programs" chapters/meeting.py $<TARGET_FILE:21_3d>)
endif()
add_program_test(21_3d.vti "21_3d" chapters/vti.py $<TARGET_FILE:21_3d>)
