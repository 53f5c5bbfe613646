# cmake -DPROGRAM=emulated_23_cuda -DFOLDER=. -P program.cmake
#
# Runs the chapter's program on the emulated GPU and on the host. The states, the pictures and the last
# line must be the same, and --timings has a row for each way to relax, with bytes and a share.
foreach(backend cuda host)
  execute_process(COMMAND ${PROGRAM} --headless --n 14 --scene jets --steps 3 --backend ${backend} --show pressure
                  --save ${FOLDER}/${backend}.csv --png ${FOLDER}/${backend}.png
                  OUTPUT_VARIABLE words_of_${backend} COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ${backend} "" words_of_${backend} "${words_of_${backend}}")
  file(SHA256 ${FOLDER}/${backend}.csv state_of_${backend})
endforeach()
if(NOT state_of_cuda STREQUAL state_of_host)
  message(FATAL_ERROR "the state is another on the GPU than on the host")
endif()
if(NOT words_of_cuda STREQUAL words_of_host)
  message(FATAL_ERROR "on the GPU the program says ${words_of_cuda}, and on the host ${words_of_host}")
endif()
execute_process(COMMAND ${PROGRAM} --headless --n 10 --scene jets --steps 1 --timings ${FOLDER}/timings.csv
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(STRINGS ${FOLDER}/timings.csv rows)
list(POP_FRONT rows head)
if(NOT head STREQUAL "by,N,relax_ms,step_ms,bytes_a_cell,share_of_bandwidth")
  message(FATAL_ERROR "--timings begins with ${head}")
endif()
set(number "[0-9.e+-]+")
foreach(by cell colour tile march)
  list(POP_FRONT rows row)
  if(NOT row MATCHES "^${by},10,${number},${number},${number},${number}$")
    message(FATAL_ERROR "--timings: ${row}")
  endif()
endforeach()
foreach(by graph host)
  list(POP_FRONT rows row)
  if(NOT row MATCHES "^${by},10,,${number},,$")
    message(FATAL_ERROR "--timings: ${row}")
  endif()
endforeach()
