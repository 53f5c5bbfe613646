add_program_test(22_cells.meeting "22_cells" chapters/meeting.py $<TARGET_FILE:22_cells>)
