add_program_test(21_3d.vti "21_3d" chapters/vti.py $<TARGET_FILE:21_3d>)
