if(NOT WORKBOOK_SANITIZE) # which see 23_cuda's
  add_program_test(22_cells.meeting "22_cells;programs" chapters/meeting.py $<TARGET_FILE:22_cells>)
endif()
