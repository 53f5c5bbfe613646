add_exercise_tests(07_project)
add_program_test(07_project.stirring 07_project chapters/stirring.py $<TARGET_FILE:07_project>)
