# What its program is linked with more than those of other chapters (window/exports.hpp).
set(link_mutants $<TARGET_FILE:workbook_vdb> $<TARGET_PROPERTY:workbook_vdb,INTERFACE_LINK_LIBRARIES>)
add_program_test(31_smoke.exports "31_smoke" chapters/exports.py $<TARGET_FILE:31_smoke>)
