# A reader who writes 03_advect under `workbook watch`.
if(NOT WORKBOOK_SANITIZE)
  workbook_mine_targets(reader 03_advect ${CMAKE_BINARY_DIR}/mine/reader/03_advect IDEAS 02_fade 03_advect)
  add_program_test(watch "common;long" common/watch.py --build ${CMAKE_BINARY_DIR} --config $<CONFIG>)
  if(TEST watch)
    set_tests_properties(watch PROPERTIES RESOURCE_LOCK building COST 50)
  endif()
endif()
